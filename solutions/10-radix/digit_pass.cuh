// What tasks 2 and 3 share: the offsets of a pass, and the split of a tile in shared memory. Each task has a kernel
// `sort_tiles` of its own.
//
//     count_tiles  ->  local_offsets                 a stream of its own
//                  ->  primitives::exclusive_sum     the default stream
//                                    -> sort_tiles   when both are done
#pragma once

#include "passes.cuh"
#include "side_stream.cuh"
#include "toolbox/block.h"

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;

// Rows of 32 keys in a warp's part of a tile. A tile's keys, values and counts fit into 48 KB of shared memory.
template <class Key>
__host__ __device__ constexpr int rows() {
    return sizeof(Key) == 8 ? 8 : 16;
}
template <class Key>
__host__ __device__ constexpr int tile_size() {
    return kThreads * rows<Key>();
}

// The place in the tile of the thread's key of row 0. Its key of the next row is 32 places on.
template <class Key>
__device__ int first_of_thread() {
    return static_cast<int>(threadIdx.x) / 32 * (rows<Key>() * 32) + threadIdx.x % 32;
}

// Launch: a block for each tile. Writes the counts into two tables, one the transpose of the other. d_of_tile has a row
// for each tile, whose exclusive sum gives the tile's local offsets. d_of_digit has a row for each digit; the exclusive
// sum of the whole table gives the global offsets. DigitOfKey is Digit or OrderedDigit.
template <int R, class Key, class DigitOfKey>
__global__ void __launch_bounds__(kThreads)
    count_tiles(const Key* d_keys, int* d_of_tile, int* d_of_digit, int n, DigitOfKey digit) {
    constexpr int kDigits = 1 << R;
    static_assert(kDigits <= kThreads, "a thread for each digit");
    __shared__ int s_counts[kDigits];
    if (threadIdx.x < kDigits) s_counts[threadIdx.x] = 0;
    __syncthreads();
    int first = blockIdx.x * tile_size<Key>() + first_of_thread<Key>();
    for (int r = 0; r < rows<Key>(); ++r) {
        int i = first + r * 32;
        if (i < n) atomicAdd(&s_counts[digit.of(d_keys[i])], 1);
    }
    __syncthreads();
    int d = threadIdx.x;
    if (d >= kDigits) return;
    d_of_tile[blockIdx.x * kDigits + d] = s_counts[d];
    d_of_digit[d * gridDim.x + blockIdx.x] = s_counts[d];
}

// Launch: a warp for each tile. Replaces each row of kDigits counts by its exclusive sum: the place of the first key of
// each digit in the sorted tile. All lanes of a warp make the same steps, because they shuffle.
template <int R>
__global__ void __launch_bounds__(kThreads) local_offsets(int* d_of_tile, int tiles) {
    constexpr int kDigits = 1 << R;
    int tile = (blockIdx.x * kThreads + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (tile >= tiles) return;  // whole warps leave
    int before = 0;
    for (int d = lane; d - lane < kDigits; d += 32) {
        int count = d < kDigits ? d_of_tile[tile * kDigits + d] : 0, sum = inclusive_sum_of_warp(count);
        if (d < kDigits) d_of_tile[tile * kDigits + d] = before + sum - count;
        before += __shfl_sync(kAllLanes, sum, 31);
    }
}

// Where the first key of each tile and digit goes: d_local[tile * 2^R + digit] in the sorted tile, and
// d_global[digit * tiles + tile] in the output. The two sums do not need each other, so they run on two streams.
template <int R, class Key, class DigitOfKey>
void find_offsets(const Key* d_keys, int* d_local, int* d_global, int n, DigitOfKey digit, const SideStream& side,
                  Workspace& work) {
    int tiles = ceil_div(n, tile_size<Key>());
    count_tiles<R><<<tiles, kThreads>>>(d_keys, d_local, d_global, n, digit);
    CUDA_CHECK(cudaGetLastError());
    side.fork();
    local_offsets<R><<<ceil_div(tiles, kWarps), kThreads, 0, side.get()>>>(d_local, tiles);
    CUDA_CHECK(cudaGetLastError());
    primitives::exclusive_sum(d_global, d_global, tiles << R, work);
    side.join();
}

// The places in the tile of the thread's keys after a split by one bit: zeros first, both groups in order. Called by
// all threads of a block, and contains one barrier: before it, all have finished what they did before the call.
template <int kRows>
__device__ void split_places(const bool (&is_one)[kRows], int (&place)[kRows], int (&s_zeros)[kWarps]) {
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    unsigned votes[kRows];
    int count = 0;
    for (int r = 0; r < kRows; ++r) {
        votes[r] = __ballot_sync(kAllLanes, !is_one[r]);
        count += __popc(votes[r]);
    }
    if (lane == 0) s_zeros[warp] = count;
    __syncthreads();
    int before = 0, zeros = 0;  // the zeros in earlier warps, and those in the tile
    for (int w = 0; w < kWarps; ++w) {
        if (w == warp) before = zeros;
        zeros += s_zeros[w];
    }
    for (int r = 0; r < kRows; ++r) {
        int zeros_before = before + __popc(votes[r] & ((1u << lane) - 1));
        int i = (warp * kRows + r) * 32 + lane;
        place[r] = is_one[r] ? zeros + i - zeros_before : zeros_before;
        before += __popc(votes[r]);
    }
}
