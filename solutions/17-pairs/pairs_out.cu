// Task 5, pairs_out: as 4, but each hit is kept. Nobody knows how many there will be, so a warp asks for the places of
// its hits when it has them: in which order the warps ask does not matter, because two stable sorts put the pairs in
// order, first by the second index, then by the first. Each distance is computed once.
// Work: as 4, and two sorts of the pairs. Global memory: 8 bytes a pair for each of their passes.
#include "cells.cuh"

// The sum of this lane's value and of those of the lanes before it (lab 3).
__device__ int inclusive_sum(int value, int lane) {
    for (int distance = 1; distance < 32; distance *= 2) {
        int left = __shfl_up_sync(kAllLanes, value, distance);
        if (lane >= distance) value += left;
    }
    return value;
}

// Launch: a warp for each share. Lane k holds the share's point k. d_total is 0 at first.
__global__ void find_pairs(Shares shares, unsigned* d_firsts, unsigned* d_seconds, int* d_total, long long square,
                           Grid grid) {
    int number = blockIdx.x * kWarps + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (number >= *shares.d_count) return;
    const Sorted& in = shares.points;
    Share share = share_of(in, shares.d_first, number, grid);
    int mine = share.first + min(lane, share.size - 1), own_index = in.d_order[mine];
    Point own = in.d_points[mine];
    for (int first = 0; first < share.candidates; first += 32) {
        // Bit k of hits: the lane's candidate makes a pair with the share's point k, and that one comes first.
        unsigned hits = 0;
        bool exists = first + lane < share.candidates;
        int j = share.candidate(min(first + lane, share.candidates - 1)), index = in.d_order[j];
        Point other = in.d_points[j];
        for (int k = 0; k < share.size; ++k) {
            bool is_first = __shfl_sync(kAllLanes, own_index, k) < index;
            if (are_near(shuffle(own, k), other, square) && is_first && exists) hits |= 1u << k;
        }
        // Places for the hits of all lanes, by one atomic.
        int end = inclusive_sum(__popc(hits), lane), place = 0;
        if (lane == 31 && end > 0) place = atomicAdd(d_total, end);
        place = __shfl_sync(kAllLanes, place, 31) + end - __popc(hits);
        for (int k = 0; k < share.size; ++k) {
            int index_k = __shfl_sync(kAllLanes, own_index, k);
            if ((hits >> k & 1) == 1) {
                d_firsts[place] = index_k;
                d_seconds[place++] = index;
            }
        }
    }
}

// Launch: a thread for each pair.
__global__ void join(const unsigned* d_firsts, const unsigned* d_seconds, Pair* d_pairs, int count) {
    int p = blockIdx.x * kBlock + threadIdx.x;
    if (p < count) d_pairs[p] = {static_cast<int>(d_firsts[p]), static_cast<int>(d_seconds[p])};
}

void pairs_out(const Point* d_points, Pair* d_pairs, int* d_count, int n, int radius, Grid grid, int room,
               Workspace& work) {
    CUDA_CHECK(cudaMemsetAsync(d_count, 0, sizeof(int)));
    if (n == 0) return;
    Shares shares = shares_of(d_points, n, grid, work);
    auto* d_firsts = work.get<unsigned>(room);
    auto* d_seconds = work.get<unsigned>(room);
    auto* d_sorted_seconds = work.get<unsigned>(room);
    auto* d_firsts_by_second = work.get<unsigned>(room);
    find_pairs<<<ceil_div(n, kWarps), kBlock>>>(shares, d_firsts, d_seconds, d_count, square_of(radius), grid);
    CUDA_CHECK(cudaGetLastError());

    int count = 0;  // the host must know it, to sort as many
    CUDA_CHECK(cudaMemcpy(&count, d_count, sizeof(int), cudaMemcpyDeviceToHost));
    if (count == 0) return;
    int bits = std::bit_width(static_cast<unsigned>(n - 1));
    auto sort = [&](const unsigned* d_keys, const unsigned* d_values, unsigned* d_keys_out, unsigned* d_values_out) {
        primitives::sort_pairs(d_keys, reinterpret_cast<const int*>(d_values), d_keys_out,
                               reinterpret_cast<int*>(d_values_out), count, work, bits);
    };
    sort(d_seconds, d_firsts, d_sorted_seconds, d_firsts_by_second);
    sort(d_firsts_by_second, d_sorted_seconds, d_firsts, d_seconds);  // stable: equal firsts keep their seconds' order
    join<<<ceil_div(count, kBlock), kBlock>>>(d_firsts, d_seconds, d_pairs, count);
    CUDA_CHECK(cudaGetLastError());
}
