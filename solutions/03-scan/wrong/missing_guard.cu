// verdict: RTE or CHECK task=naive max_n=5000
// because: elements past its end
// The grid is rounded up, and the threads beyond the end go on.
#include <utility>

#include "scan.h"

__global__ void naive_step(const int* d_from, int* d_to, int, int offset) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    d_to[i] = i >= offset ? d_from[i - offset] + d_from[i] : d_from[i];
}

void naive(const int* d_in, int* d_out, int n, Workspace& work) {
    if (n == 0) return;
    int steps = 1;
    while (1 << steps < n) ++steps;
    int* d_to = d_out;
    int* d_other = work.get<int>(n);
    if (steps % 2 == 0) std::swap(d_to, d_other);
    const int* d_from = d_in;
    for (int step = 0; step < steps; ++step) {
        naive_step<<<ceil_div(n, 256), 256>>>(d_from, d_to, n, 1 << step);
        CUDA_CHECK(cudaGetLastError());
        d_from = d_to;
        std::swap(d_to, d_other);
    }
}
