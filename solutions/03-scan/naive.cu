// Task 1, naive: every element adds its left neighbour at distance 1, then 2, then 4, ...; a launch for each step.
// Work O(n log n), all of it in global memory: 8 bytes an element and step, 20 steps for a million elements.
#include <utility>

#include "scan.h"

constexpr int kBlock = 256;

// Launch: a thread for each element. Before, an element is the sum of up to `offset` elements; after, of twice as many.
__global__ void naive_step(const int* d_from, int* d_to, int n, int offset) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    d_to[i] = i >= offset ? d_from[i - offset] + d_from[i] : d_from[i];
}

void naive(const int* d_in, int* d_out, int n, Workspace& work) {
    if (n == 0) return;
    int steps = 1;  // one at least: it copies
    while (1 << steps < n) ++steps;

    // Two arrays take turns: no barrier orders the blocks of one launch, so none may overwrite what another reads.
    int* d_to = d_out;
    int* d_other = work.get<int>(n);
    if (steps % 2 == 0) std::swap(d_to, d_other);  // the last step writes d_out
    const int* d_from = d_in;
    for (int step = 0; step < steps; ++step) {
        naive_step<<<ceil_div(n, kBlock), kBlock>>>(d_from, d_to, n, 1 << step);
        CUDA_CHECK(cudaGetLastError());
        d_from = d_to;
        std::swap(d_to, d_other);
    }
}
