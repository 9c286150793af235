// Style: a warp ranks its keys by __match_any_sync and a leader's atomic; traits and concepts for keys; bit tricks;
// a record moved by memcpy through registers.
#include <concepts>
#include <cstring>

#include "radix.h"

constexpr int kThreads = 256, kWarps = kThreads / 32, kRows = 8, kTile = kThreads * kRows;

template <class Key>
struct Word;
template <std::unsigned_integral Key>
struct Word<Key> {
    static __device__ Key of(Key key) { return key; }
};
template <std::signed_integral Key>
struct Word<Key> {
    static __device__ unsigned of(Key key) { return static_cast<unsigned>(key) + 0x80000000u; }
};
template <>
struct Word<float> {
    static __device__ unsigned of(float key) {
        int bits = __float_as_int(key);
        return static_cast<unsigned>(bits) ^ static_cast<unsigned>((bits >> 31) | INT_MIN);
    }
};

template <class Key>
__device__ unsigned digit_of(Key key, int begin, int width) {
    return static_cast<unsigned>(Word<Key>::of(key) >> begin) & ((1u << width) - 1);
}

template <int R, class Key>
__global__ void count_tiles(const Key* keys, int* counts, int n, int begin, int width) {
    __shared__ int s[1 << R];
    for (int d = threadIdx.x; d < 1 << R; d += kThreads) s[d] = 0;
    __syncthreads();
    for (int k = threadIdx.x; k < kTile; k += kThreads) {
        int i = blockIdx.x * kTile + k;
        if (i < n) atomicAdd(&s[digit_of(keys[i], begin, width)], 1);
    }
    __syncthreads();
    for (int d = threadIdx.x; d < 1 << R; d += kThreads) counts[d * gridDim.x + blockIdx.x] = s[d];
}

// Places within the tile and digit come from the warp's counters; warps take the tile's rows one after the other.
template <int R, class Key, bool has_values>
__global__ void __launch_bounds__(kThreads)
    move_tiles(const Key* keys, const unsigned* values, Key* keys_out, unsigned* values_out, const int* offsets, int n,
               int begin, int width) {
    __shared__ int s_next[kWarps][1 << R];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, first = blockIdx.x * kTile + warp * (32 * kRows) + lane;
    for (int d = lane; d < 1 << R; d += 32) s_next[warp][d] = 0;
    __syncwarp();
    Key key[kRows];
    int digit[kRows], rank[kRows];
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
        bool there = first + r * 32 < n;
        key[r] = there ? keys[first + r * 32] : Key{};
        digit[r] = there ? static_cast<int>(digit_of(key[r], begin, width)) : -1;
        unsigned alike = __match_any_sync(0xffffffffu, digit[r]);
        int leader = __ffs(static_cast<int>(alike)) - 1, before = 0;
        if (lane == leader && there) before = atomicAdd(&s_next[warp][digit[r]], __popc(alike));
        rank[r] = __shfl_sync(0xffffffffu, before, leader) + __popc(alike & ~(~0u << lane));
    }
    __syncthreads();
    for (int d = threadIdx.x; d < 1 << R; d += kThreads) {
        int place = offsets[d * gridDim.x + blockIdx.x];
        for (int w = 0; w < kWarps; ++w) {
            int count = s_next[w][d];
            s_next[w][d] = place;
            place += count;
        }
    }
    __syncthreads();
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
        if (digit[r] < 0) continue;
        int place = s_next[warp][digit[r]] + rank[r];
        keys_out[place] = key[r];
        if (has_values) values_out[place] = values[first + r * 32];
    }
}

template <int R, class Key, bool has_values>
void sort(const Key* keys, const unsigned* values, Key* keys_out, unsigned* values_out, int n, Bits bits,
          Workspace& work) {
    if (n == 0) return;
    int passes = ceil_div(bits.end - bits.begin, R), tiles = ceil_div(n, kTile);
    int* counts = work.get<int>((tiles << R) + 1);
    Key* key_buffer[2] = {keys_out, passes > 1 ? work.get<Key>(n) : nullptr};
    unsigned* value_buffer[2] = {values_out, has_values && passes > 1 ? work.get<unsigned>(n) : nullptr};
    for (int pass = 0; pass < passes; ++pass) {
        int to = (passes - 1 - pass) & 1, begin = bits.begin + pass * R,
            width = bits.end - begin < R ? bits.end - begin : R;
        count_tiles<R><<<tiles, kThreads>>>(keys, counts, n, begin, width);
        CUDA_CHECK(cudaGetLastError());
        primitives::exclusive_sum(counts, counts, tiles << R, work);
        move_tiles<R, Key, has_values>
            <<<tiles, kThreads>>>(keys, values, key_buffer[to], value_buffer[to], counts, n, begin, width);
        CUDA_CHECK(cudaGetLastError());
        keys = key_buffer[to];
        values = value_buffer[to];
    }
}

template <int R, class Key>
void digit(const Key* d_in, Key* d_out, int n, Bits bits, Workspace& work) {
    sort<R, Key, false>(d_in, nullptr, d_out, nullptr, n, bits, work);
}

template <class Key>
void pairs(const Key* d_keys_in, const unsigned* d_values_in, Key* d_keys_out, unsigned* d_values_out, int n, Bits bits,
           Workspace& work) {
    sort<8, Key, true>(d_keys_in, d_values_in, d_keys_out, d_values_out, n, bits, work);
}

__global__ void number(const Record* in, unsigned* keys, unsigned* order, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        keys[i] = in[i].key;
        order[i] = i;
    }
}

__global__ void collect(const Record* in, const unsigned* order, Record* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 2 * n) return;
    uint4 half;
    std::memcpy(&half, reinterpret_cast<const uint4*>(in + order[i / 2]) + i % 2, sizeof half);
    reinterpret_cast<uint4*>(out)[i] = half;
}

void by_index(const Record* d_in, Record* d_out, int n, Workspace& work) {
    if (n == 0) return;
    unsigned* d_words = work.get<unsigned>(4 * static_cast<std::size_t>(n));
    number<<<128, 256>>>(d_in, d_words, d_words + n, n);
    CUDA_CHECK(cudaGetLastError());
    sort<8, unsigned, true>(d_words, d_words + n, d_words + 2 * n, d_words + 3 * n, n, {0, 32}, work);
    collect<<<ceil_div(2 * n, 128), 128>>>(d_in, d_words + 3 * n, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}

template void digit<1>(const unsigned*, unsigned*, int, Bits, Workspace&);
template void digit<2>(const unsigned*, unsigned*, int, Bits, Workspace&);
template void digit<4>(const unsigned*, unsigned*, int, Bits, Workspace&);
template void digit<8>(const unsigned*, unsigned*, int, Bits, Workspace&);
template void digit<8>(const unsigned long long*, unsigned long long*, int, Bits, Workspace&);
template void pairs(const unsigned*, const unsigned*, unsigned*, unsigned*, int, Bits, Workspace&);
template void pairs(const int*, const unsigned*, int*, unsigned*, int, Bits, Workspace&);
template void pairs(const float*, const unsigned*, float*, unsigned*, int, Bits, Workspace&);
template void pairs(const unsigned long long*, const unsigned*, unsigned long long*, unsigned*, int, Bits, Workspace&);
