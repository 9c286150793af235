// Style: any thread that swaps sets the same flag in shared memory to 1, without an atomic; readers and writers of the
// four inputs are different warps of a block, which talk through a volatile ring and __threadfence_block().
#include "networks.h"

constexpr int kGroups = 32;  // groups of four for each pair of warps

// Warps 0 to 3 read and sort, warps 4 to 7 write what the warp four before them has made.
__global__ void __launch_bounds__(256) relay(const int* in, int* out, int n) {
    __shared__ int s_box[4][2][4][kGroups];
    __shared__ int s_made[4], s_taken[4];
    int lane = threadIdx.x % 32, pair = threadIdx.x / 32 % 4;
    bool reader = threadIdx.x < 128;
    volatile int *made = &s_made[pair], *taken = &s_taken[pair];
    if (reader && lane == 0) *made = *taken = 0;
    __syncthreads();
    for (int round = 0; round < 4; ++round) {
        int first = (((blockIdx.x * 4 + round) * 4 + pair) * kGroups + lane) * 4;
        auto& box = s_box[pair][round % 2];
        if (reader) {
            int x[4];
            for (int k = 0; k < 4; ++k) x[k] = first + k < n ? in[first + k] : kGreatest<int>;
            for (int k : {0, 1, 2, 0, 1, 0}) {
                int low = min(x[k], x[k + 1]), high = max(x[k], x[k + 1]);
                x[k] = low, x[k + 1] = high;
            }
            if (lane == 0)
                while (*taken < round - 1) __nanosleep(100);
            __syncwarp();
            for (int k = 0; k < 4; ++k) box[k][lane] = x[k];
            __threadfence_block();
            __syncwarp();
            if (lane == 0) *made = round + 1;
        } else {
            if (lane == 0)
                while (*made <= round) __nanosleep(100);
            __syncwarp();
            __threadfence_block();
            for (int k = 0; k < 4; ++k)
                if (first + k < n) out[first + k] = box[k][lane];
            __threadfence_block();
            __syncwarp();
            if (lane == 0) *taken = round + 1;
        }
    }
}

std::vector<Comparator> network_of_four() { return {{0, 1}, {1, 2}, {2, 3}, {0, 1}, {1, 2}, {0, 1}}; }

void four_inputs(const int* d_in, int* d_out, int n, Workspace&) {
    if (n == 0) return;
    relay<<<ceil_div(n, 4 * 4 * 4 * kGroups), 256>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}

template <Phases phases>
__global__ void sort_tile(const int* in, int* out, int n) {
    __shared__ int s[kTile], s_swapped;
    int t = threadIdx.x, base = blockIdx.x * kTile, count = min(kTile, n - base);
    for (int k = t; k < count; k += blockDim.x) s[k] = in[base + k];
    for (int phase = 0; phase < count; phase += 2) {
        __syncthreads();
        s_swapped = 0;
        __syncthreads();
        for (int odd = 0; odd < 2; ++odd) {
            int k = 2 * t + odd;
            if (k + 1 < count && s[k + 1] < s[k]) {
                int swap = s[k];
                s[k] = s[k + 1];
                s[k + 1] = swap;
                s_swapped = 1;
            }
            __syncthreads();
        }
        if (phases == Phases::until_sorted && s_swapped == 0) break;
    }
    __syncthreads();
    for (int k = t; k < count; k += blockDim.x) out[base + k] = s[k];
}

template <Phases phases>
void odd_even(const int* d_in, int* d_out, int n, Workspace&) {
    if (n == 0) return;
    sort_tile<phases><<<ceil_div(n, kTile), kTile / 2>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}

template void odd_even<Phases::all>(const int*, int*, int, Workspace&);
template void odd_even<Phases::until_sorted>(const int*, int*, int, Workspace&);
