// Task 1, four_inputs: the network is a table. The loop over it is unrolled, so the compiler turns the table's numbers
// into names of registers, and nothing of the table is left at run time. Global memory: each element read once and
// written once, 16 bytes a lane.
#include <iterator>

#include "networks.h"

constexpr int kBlock = 256;
constexpr int kWires = 4;

struct Network {
    Comparator comparator[5];
};

// Two pairs, then their smaller and their larger elements, then the two in the middle. Fewer than five will not do.
__host__ __device__ constexpr Network sorting_network() { return {{{0, 1}, {2, 3}, {0, 2}, {1, 3}, {1, 2}}}; }

std::vector<Comparator> network_of_four() {
    constexpr Network network = sorting_network();
    return {std::begin(network.comparator), std::end(network.comparator)};
}

// Launch: a thread for every four elements, blocks of kBlock.
__global__ void four_inputs_kernel(const int* d_in, int* d_out, int n) {
    int first = (blockIdx.x * kBlock + threadIdx.x) * kWires;
    if (first >= n) return;
    bool full = first + kWires <= n;
    int wire[kWires];
    if (full) {
        int4 four = *reinterpret_cast<const int4*>(d_in + first);
        wire[0] = four.x, wire[1] = four.y, wire[2] = four.z, wire[3] = four.w;
    } else {
        for (int k = 0; k < kWires; ++k) wire[k] = first + k < n ? d_in[first + k] : kGreatest<int>;
    }

    constexpr Network network = sorting_network();
#pragma unroll
    for (Comparator c : network.comparator) {
        int low = min(wire[c.low], wire[c.high]);
        wire[c.high] = max(wire[c.low], wire[c.high]);
        wire[c.low] = low;
    }

    if (full) {
        *reinterpret_cast<int4*>(d_out + first) = make_int4(wire[0], wire[1], wire[2], wire[3]);
    } else {
        for (int k = 0; k < kWires; ++k) {
            if (first + k < n) d_out[first + k] = wire[k];
        }
    }
}

void four_inputs(const int* d_in, int* d_out, int n, Workspace&) {
    if (n == 0) return;
    four_inputs_kernel<<<ceil_div(ceil_div(n, kWires), kBlock), kBlock>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}
