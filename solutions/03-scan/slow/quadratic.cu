// verdict: TLE task=naive seconds=3
// because: a sum of its own for each element makes n * n / 2 additions
// Every thread adds up its own prefix: n * n / 2 additions.
#include "scan.h"

__global__ void sum_prefix(const int* d_in, int* d_out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int sum = 0;
    for (int k = 0; k <= i; ++k) sum += d_in[k];
    d_out[i] = sum;
}

void naive(const int* d_in, int* d_out, int n, Workspace&) {
    if (n == 0) return;
    sum_prefix<<<ceil_div(n, 256), 256>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}
