// Style: cooperative groups: coalesced groups of those who keep, labeled and binary partitions, memcpy_async of a tile;
// a look-back in which every tile waits for the tile before it alone, by cuda::atomic_ref in a static device array.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <cuda/atomic>

#include "compact.h"

namespace cg = cooperative_groups;

template <class T, class Keep>
__global__ void count_warps(const T* in, int* counts, int n, Keep keep) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int number = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
    int kept = 0;
    for (int k = 0; k < 4; ++k) {
        int i = number * 128 + k * 32 + warp.thread_rank();
        kept += i < n && keep(in[i]) ? 1 : 0;
    }
    kept = cg::reduce(warp, kept, cg::plus<int>());
    if (warp.thread_rank() == 0) counts[number] = kept;
}

template <class T, class Keep>
__global__ void move_warps(const T* in, const int* places, T* out, int* total, int n, Keep keep) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int number = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank(), place = places[number];
    for (int k = 0; k < 4; ++k) {
        int i = number * 128 + k * 32 + warp.thread_rank();
        bool kept = i < n && keep(in[i]);
        auto same = cg::binary_partition(warp, kept);
        if (kept) out[place + same.thread_rank()] = in[i];
        place += warp.shfl(kept ? same.size() : 32 - same.size(), 0);
    }
    if (number == 0 && warp.thread_rank() == 0) *total = places[gridDim.x * warp.meta_group_size()];
}

template <class T, class Keep>
void warp_ballot(const T* d_in, T* d_out, int* d_count, int n, Keep keep, Workspace& work) {
    CUDA_CHECK(cudaMemset(d_count, 0, sizeof(int)));
    if (n == 0) return;
    int blocks = ceil_div(n, 512);
    int* d_counts = work.get<int>(4 * blocks + 1);
    count_warps<<<blocks, 128>>>(d_in, d_counts, n, keep);
    CUDA_CHECK(cudaGetLastError());
    primitives::exclusive_sum(d_counts, d_counts, 4 * blocks, work);
    move_warps<<<blocks, 128>>>(d_in, d_counts, d_out, d_count, n, keep);
    CUDA_CHECK(cudaGetLastError());
}

template <class T, class Keep>
__global__ void flags(const T* in, int* flags, int n, Keep keep) {
    auto i = cg::this_grid().thread_rank();
    if (i < n) flags[i] = keep(in[i]);
}

template <class T>
__global__ void gather(const T* in, const int* flags, const int* places, T* out, int* total, int n) {
    auto i = cg::this_grid().thread_rank();
    if (i < n && flags[i]) {
        auto active = cg::coalesced_threads();  // the lanes that keep theirs: their places are neighbours
        int first = active.shfl(places[i], 0);
        out[first + active.thread_rank()] = in[i];
    }
    if (i == 0) *total = places[n];
}

template <class T, class Keep>
void three_kernels(const T* d_in, T* d_out, int* d_count, int n, Keep keep, Workspace& work) {
    CUDA_CHECK(cudaMemset(d_count, 0, sizeof(int)));
    if (n == 0) return;
    int *d_flags = work.get<int>(n), *d_places = work.get<int>(n + 1);
    flags<<<ceil_div(n, 128), 128>>>(d_in, d_flags, n, keep);
    CUDA_CHECK(cudaGetLastError());
    primitives::exclusive_sum(d_flags, d_places, n, work);
    gather<<<ceil_div(n, 128), 128>>>(d_in, d_flags, d_places, d_out, d_count, n);
    CUDA_CHECK(cudaGetLastError());
}

// A tile's inclusive prefix plus 1; 0: not there yet. Room for 2^26 elements.
constexpr int kTileItems = 4096;
__device__ unsigned prefixes[(1 << 26) / kTileItems + 1];

template <class T, class Keep>
__global__ void __launch_bounds__(512) chained(const T* in, T* out, int* total, unsigned* ticket, int n, Keep keep) {
    __shared__ alignas(16) T s_in[kTileItems];
    __shared__ int s_counts[16], s_tile, s_before;
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    if (block.thread_rank() == 0) s_tile = atomicAdd(ticket, 1u);
    block.sync();
    int first = s_tile * kTileItems, count = min(kTileItems, n - first);
    cg::memcpy_async(block, s_in, in + first, sizeof(T) * count);
    cg::wait(block);
    int own = 0, begin = warp.meta_group_rank() * (kTileItems / 16);
    for (int k = warp.thread_rank(); k < kTileItems / 16; k += 32) own += begin + k < count && keep(s_in[begin + k]);
    own = cg::reduce(warp, own, cg::plus<int>());
    if (warp.thread_rank() == 0) s_counts[warp.meta_group_rank()] = own;
    block.sync();
    if (block.thread_rank() == 0) {
        int sum = 0;
        for (int& c : s_counts) {
            int mine = c;
            c = sum;
            sum += mine;
        }
        using Ref = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;
        unsigned before = 1;
        if (s_tile > 0) {
            Ref left(prefixes[s_tile - 1]);
            while ((before = left.load(cuda::memory_order_acquire)) == 0) {
            }
        }
        Ref(prefixes[s_tile]).store(before + sum, cuda::memory_order_release);
        s_before = before - 1;
        if (first + kTileItems >= n) *total = s_before + sum;
    }
    block.sync();
    int place = s_before + s_counts[warp.meta_group_rank()];
    for (int k = warp.thread_rank(); k < kTileItems / 16; k += 32) {
        bool kept = begin + k < count && keep(s_in[begin + k]);
        int rank = cg::exclusive_scan(warp, kept ? 1 : 0);
        if (kept) out[place + rank] = s_in[begin + k];
        place += warp.shfl(rank + kept, 31);
    }
}

template <class T, class Keep>
void look_back(const T* d_in, T* d_out, int* d_count, int n, Keep keep, Workspace& work) {
    CUDA_CHECK(cudaMemsetAsync(d_count, 0, sizeof(int)));
    if (n == 0) return;
    auto* d_ticket = work.get<unsigned>(1);
    void* d_prefixes = nullptr;
    CUDA_CHECK(cudaGetSymbolAddress(&d_prefixes, prefixes));
    int tiles = ceil_div(n, kTileItems);
    CUDA_CHECK(cudaMemsetAsync(d_ticket, 0, sizeof *d_ticket));
    CUDA_CHECK(cudaMemsetAsync(d_prefixes, 0, tiles * sizeof(unsigned)));
    chained<<<tiles, 512>>>(d_in, d_out, d_count, d_ticket, n, keep);
    CUDA_CHECK(cudaGetLastError());
}

template void three_kernels(const int*, int*, int*, int, IsPositive, Workspace&);
template void three_kernels(const unsigned char*, unsigned char*, int*, int, IsDiamond, Workspace&);
template void three_kernels(const float*, float*, int*, int, IsAbove, Workspace&);
template void warp_ballot(const int*, int*, int*, int, IsPositive, Workspace&);
template void warp_ballot(const unsigned char*, unsigned char*, int*, int, IsDiamond, Workspace&);
template void warp_ballot(const float*, float*, int*, int, IsAbove, Workspace&);
template void warp_ballot(const int*, int*, int*, int, Always, Workspace&);
template void look_back(const int*, int*, int*, int, IsPositive, Workspace&);
template void look_back(const unsigned char*, unsigned char*, int*, int, IsDiamond, Workspace&);
template void look_back(const float*, float*, int*, int, IsAbove, Workspace&);
template void look_back(const int*, int*, int*, int, Always, Workspace&);
template void look_back(const long long*, long long*, int*, int, IsEven, Workspace&);
