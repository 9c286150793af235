// Style: a look-back in which each digit's thread reads words of 2 bits of status and 30 bits of count by
// cuda::atomic_ref, relaxed; constexpr functions; a struct of arguments by value; block scans by cooperative groups.
#include <cooperative_groups.h>
#include <cooperative_groups/scan.h>

#include <cuda/atomic>
#include <cuda/std/bit>
#include <type_traits>

#include "radix.h"

namespace cg = cooperative_groups;

constexpr int kDigits = 256, kThreads = kDigits, kWarps = kThreads / 32;
template <class Key>
constexpr int kRows = sizeof(Key) == 8 ? 6 : 12;
template <class Key>
constexpr int kTile = kThreads* kRows<Key>;

template <class Key>
__device__ auto word_of(Key key) {
    if constexpr (std::is_same_v<Key, float>) {
        auto bits = cuda::std::bit_cast<unsigned>(key);
        return bits >> 31 ? ~bits : bits | 0x80000000u;
    } else if constexpr (std::is_same_v<Key, int>) {
        return cuda::std::bit_cast<unsigned>(key) ^ 0x80000000u;
    } else {
        return key;
    }
}

struct Digit {
    int begin, width;
    template <class Key>
    __device__ int of(Key key) const {
        return static_cast<int>((word_of(key) >> begin) & ((1u << width) - 1));
    }
};

__device__ int block_exclusive(int x, int* s_sums) {
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    int sum = cg::inclusive_scan(warp, x);
    if (warp.thread_rank() == 31) s_sums[warp.meta_group_rank()] = sum;
    block.sync();
    for (unsigned w = 0; w < warp.meta_group_rank(); ++w) sum += s_sums[w];
    return sum - x;
}

template <class Key>
__global__ void count_all(const Key* keys, int n, Digit digit, int* counts) {
    __shared__ int s[kDigits];
    s[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads)
        atomicAdd(&s[digit.of(keys[i])], 1);
    __syncthreads();
    atomicAdd(&counts[threadIdx.x], s[threadIdx.x]);
}

using State = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;
constexpr unsigned kCount = 1u << 30, kSum = 2u << 30, kMask = kCount - 1;

__device__ int look_back(unsigned* states, int tile) {
    int sum = 0;
    while (--tile >= 0) {
        State state(states[tile * kDigits + threadIdx.x]);
        unsigned word;
        while ((word = state.load(cuda::memory_order_relaxed)) == 0) __nanosleep(40);
        sum += word & kMask;
        if (word >= kSum) break;
    }
    return sum;
}

template <class Key>
struct Pass {
    const Key* keys_in;
    const unsigned* values_in;
    Key* keys_out;
    unsigned* values_out;
    const int* counts;
    unsigned *states, *ticket;
    int n;
    Digit digit;
};

template <class Key>
__global__ void __launch_bounds__(kThreads) sweep(const Pass<Key> p) {
    __shared__ Key s_keys[kTile<Key>];
    __shared__ unsigned s_values[kTile<Key>];
    __shared__ int s_place[kWarps][kDigits], s_to[kDigits], s_sums[kWarps], s_more[kWarps], s_tile;
    int d = threadIdx.x, lane = d & 31, warp = d >> 5;
    if (d == 0) s_tile = atomicAdd(p.ticket, 1u);
    for (auto& of_warp : s_place) of_warp[d] = 0;
    __syncthreads();
    const int tile = s_tile, first = tile * kTile<Key>, count = min(kTile<Key>, p.n - first);
    Key key[kRows<Key>];
    int rank[kRows<Key>];
#pragma unroll
    for (int r = 0; r < kRows<Key>; ++r) {
        int k = (warp * kRows<Key> + r) * 32 + lane;
        if (k < count) key[r] = p.keys_in[first + k];
        int digit = k < count ? p.digit.of(key[r]) : kDigits;
        unsigned same = __match_any_sync(~0u, digit), below = same & ((1u << lane) - 1);
        int seen = digit < kDigits ? s_place[warp][digit] : 0;
        rank[r] = seen + __popc(below);
        __syncwarp();
        if (below == 0 && digit < kDigits) s_place[warp][digit] = seen + __popc(same);
        __syncwarp();
    }
    __syncthreads();
    int own = 0;
    for (int w = 0; w < kWarps; ++w) own += s_place[w][d];
    State state(p.states[tile * kDigits + d]);
    state.store((tile == 0 ? kSum : kCount) | own, cuda::memory_order_relaxed);
    int here = block_exclusive(own, s_sums), before_digit = block_exclusive(p.counts[d], s_more);
    for (int w = 0, next = here; w < kWarps; ++w) {
        int of_warp = s_place[w][d];
        s_place[w][d] = next;
        next += of_warp;
    }
    int before = look_back(p.states, tile);
    if (tile > 0) state.store(kSum | (before + own), cuda::memory_order_relaxed);
    s_to[d] = before_digit + before - here;
    __syncthreads();
#pragma unroll
    for (int r = 0; r < kRows<Key>; ++r) {
        int k = (warp * kRows<Key> + r) * 32 + lane;
        if (k >= count) continue;
        int place = s_place[warp][p.digit.of(key[r])] + rank[r];
        s_keys[place] = key[r];
        if (p.values_in) s_values[place] = p.values_in[first + k];
    }
    __syncthreads();
    for (int k = d; k < count; k += kThreads) {
        int to = s_to[p.digit.of(s_keys[k])] + k;
        p.keys_out[to] = s_keys[k];
        if (p.values_in) p.values_out[to] = s_values[k];
    }
}

template <class Key>
void onesweep(const Key* d_keys_in, const unsigned* d_values_in, Key* d_keys_out, unsigned* d_values_out, int n,
              Bits bits, Workspace& work) {
    if (n == 0) return;
    int tiles = ceil_div(n, kTile<Key>), passes = ceil_div(bits.end - bits.begin, 8);
    std::size_t words = static_cast<std::size_t>(tiles + 1) * kDigits + 1;
    Key* keys[2] = {d_keys_out, work.get<Key>(n)};
    unsigned* values[2] = {d_values_out, d_values_in ? work.get<unsigned>(n) : nullptr};
    auto* d_states = work.get<unsigned>(words);
    Pass<Key> p{d_keys_in, d_values_in, nullptr, nullptr, nullptr, d_states, d_states + words - 1, n, {}};
    int* d_counts = reinterpret_cast<int*>(d_states + static_cast<std::size_t>(tiles) * kDigits);
    p.counts = d_counts;
    for (int pass = 0; pass < passes; ++pass) {
        int begin = bits.begin + 8 * pass;
        p.digit = {begin, bits.end - begin < 8 ? bits.end - begin : 8};
        p.keys_out = keys[(passes - 1 - pass) % 2];
        p.values_out = values[(passes - 1 - pass) % 2];
        CUDA_CHECK(cudaMemsetAsync(d_states, 0, words * sizeof *d_states));
        count_all<<<min(tiles, 64), kThreads>>>(p.keys_in, n, p.digit, d_counts);
        CUDA_CHECK(cudaGetLastError());
        sweep<<<tiles, kThreads>>>(p);
        CUDA_CHECK(cudaGetLastError());
        p.keys_in = p.keys_out;
        if (d_values_in) p.values_in = p.values_out;
    }
}

template void onesweep(const unsigned*, const unsigned*, unsigned*, unsigned*, int, Bits, Workspace&);
template void onesweep(const int*, const unsigned*, int*, unsigned*, int, Bits, Workspace&);
template void onesweep(const float*, const unsigned*, float*, unsigned*, int, Bits, Workspace&);
template void onesweep(const unsigned long long*, const unsigned*, unsigned long long*, unsigned*, int, Bits,
                       Workspace&);
