// verdict: RTE task=naive max_n=5000
// because: invalid configuration argument (at n = 0
// n = 0 makes a grid of no blocks.
#include <utility>

#include "scan.h"

__global__ void naive_step(const int* d_from, int* d_to, int n, int offset) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) d_to[i] = i >= offset ? d_from[i - offset] + d_from[i] : d_from[i];
}

void naive(const int* d_in, int* d_out, int n, Workspace& work) {
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
