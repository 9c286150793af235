// verdict: WA task=four_inputs max_n=5000
// because: all 3 elements are there, 2 of them in places that are not theirs
// Finds the smallest and the largest, and leaves the middle two as they are.
#include "networks.h"

struct Network {
    Comparator comparator[4];
};

__global__ void four_inputs_kernel(const int* d_in, int* d_out, int n) {
    int first = (blockIdx.x * 256 + threadIdx.x) * 4;
    if (first >= n) return;
    int wire[4];
    for (int k = 0; k < 4; ++k) wire[k] = first + k < n ? d_in[first + k] : kGreatest<int>;
    constexpr Network network = {{{0, 1}, {2, 3}, {0, 2}, {1, 3}}};
#pragma unroll
    for (Comparator c : network.comparator) {
        int low = min(wire[c.low], wire[c.high]);
        wire[c.high] = max(wire[c.low], wire[c.high]);
        wire[c.low] = low;
    }
    for (int k = 0; k < 4; ++k) {
        if (first + k < n) d_out[first + k] = wire[k];
    }
}

void four_inputs(const int* d_in, int* d_out, int n, Workspace&) {
    if (n == 0) return;
    four_inputs_kernel<<<ceil_div(n, 1024), 256>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}
