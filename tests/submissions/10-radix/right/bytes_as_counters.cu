// Style: a thread's own counters, bytes packed into shared memory beside those of its neighbours, then halves of words
// for the sums; unions of a word and its bytes; a digit of at most four bits, whatever R is; overloads for order words.
#include "radix.h"

constexpr int kThreads = 256, kEach = 8, kTile = kThreads * kEach, kDigits = 16;

__device__ unsigned ordered(unsigned key) { return key; }
__device__ unsigned long long ordered(unsigned long long key) { return key; }
__device__ unsigned ordered(int key) { return static_cast<unsigned>(key) + 0x80000000u; }
__device__ unsigned ordered(float key) {
    union {
        float number;
        int bits;
    } word = {key};
    return static_cast<unsigned>(word.bits ^ (word.bits >> 31 | INT_MIN));
}

template <class Key>
__device__ int digit_of(Key key, int bit, int width) {
    return static_cast<int>(ordered(key) >> bit) & ((1 << width) - 1);
}

template <class Key>
__global__ void count(const Key* keys, int* counts, int n, int bit, int width) {
    __shared__ int s[kDigits];
    if (threadIdx.x < kDigits) s[threadIdx.x] = 0;
    __syncthreads();
    for (int k = 0, i = blockIdx.x * kTile + threadIdx.x; k < kEach && i < n; ++k, i += kThreads)
        atomicAdd(&s[digit_of(keys[i], bit, width)], 1);
    __syncthreads();
    if (threadIdx.x < kDigits) counts[threadIdx.x * gridDim.x + blockIdx.x] = s[threadIdx.x];
}

template <class Key>
__global__ void __launch_bounds__(kThreads) scatter(const Key* keys, const unsigned* values, Key* keys_to,
                                                    unsigned* values_to, const int* begin, int n, int bit, int width) {
    __shared__ unsigned char s_own[kDigits][kThreads];
    __shared__ unsigned short s_warp[kDigits][kThreads / 32];
    __shared__ Key s_key[kTile];
    int t = threadIdx.x, warp = t / 32, first = blockIdx.x * kTile, count = min(kTile, n - first);
    for (int d = 0; d < kDigits; ++d) s_own[d][t] = 0;
    for (int k = t; k < count; k += kThreads) s_key[k] = keys[first + k];
    __syncthreads();
    int mine = min(max(count - t * kEach, 0), kEach);
    for (int k = 0; k < mine; ++k) ++s_own[digit_of(s_key[t * kEach + k], bit, width)][t];
    // A scan of bytes within each warp: 32 threads with at most 8 keys each fit into 8 bits, but for the last one.
    for (int d = 0; d < kDigits; ++d) {
        int own = s_own[d][t], sum = own;
        for (int step = 1; step < 32; step *= 2) {
            int left = __shfl_up_sync(~0u, sum, step);
            if (t % 32 >= step) sum += left;
        }
        s_own[d][t] = static_cast<unsigned char>(sum - own);
        if (t % 32 == 31) s_warp[d][warp] = static_cast<unsigned short>(sum);
    }
    __syncthreads();
    if (t < kDigits) {
        unsigned short before = 0;
        for (auto& sum : s_warp[t]) {
            unsigned short next = before + sum;
            sum = before;
            before = next;
        }
    }
    __syncthreads();
    for (int k = 0; k < mine; ++k) {
        Key key = s_key[t * kEach + k];
        int d = digit_of(key, bit, width), to = begin[d * gridDim.x + blockIdx.x] + s_warp[d][warp] + s_own[d][t]++;
        keys_to[to] = key;
        if (values) values_to[to] = values[first + t * kEach + k];
    }
}

template <class Key>
void sort(const Key* keys, const unsigned* values, Key* keys_out, unsigned* values_out, int n, Bits bits, int most,
          Workspace& work) {
    if (n == 0) return;
    int tiles = ceil_div(n, kTile), passes = ceil_div(bits.end - bits.begin, most);
    int *counts = work.get<int>(kDigits * tiles), *begin = work.get<int>(kDigits * tiles + 1);
    Key* other_keys = work.get<Key>(n);
    unsigned* other_values = values ? work.get<unsigned>(n) : nullptr;
    for (int bit = bits.begin; passes-- > 0; bit += most) {
        int width = min(most, bits.end - bit);
        Key* keys_to = passes % 2 ? other_keys : keys_out;
        unsigned* values_to = passes % 2 ? other_values : values_out;
        count<<<tiles, kThreads>>>(keys, counts, n, bit, width);
        CUDA_CHECK(cudaGetLastError());
        primitives::exclusive_sum(counts, begin, (1 << width) * tiles, work);
        scatter<<<tiles, kThreads>>>(keys, values, keys_to, values_to, begin, n, bit, width);
        CUDA_CHECK(cudaGetLastError());
        keys = keys_to, values = values_to;
    }
}

template <int R, class Key>
void digit(const Key* d_in, Key* d_out, int n, Bits bits, Workspace& work) {
    sort<Key>(d_in, nullptr, d_out, nullptr, n, bits, R < 4 ? R : 4, work);
}

template <class Key>
void pairs(const Key* d_keys_in, const unsigned* d_values_in, Key* d_keys_out, unsigned* d_values_out, int n, Bits bits,
           Workspace& work) {
    sort(d_keys_in, d_values_in, d_keys_out, d_values_out, n, bits, 4, work);
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
