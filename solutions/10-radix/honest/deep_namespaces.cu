// Style: the solution in nested and inline namespaces, with using namespace std.
#include <algorithm>
#include <utility>

#include "radix.h"
struct Digit {
    int begin, count;

    template <class Word>
    __device__ unsigned of(Word word) const {
        return static_cast<unsigned>(word >> begin) & ((1u << count) - 1);
    }
};

template <class T>
struct Turns {
    const T* d_from;
    T *d_to, *d_other = nullptr;

    Turns(const T* d_in, T* d_out, int n, int passes, Workspace& work) : d_from(d_in), d_to(d_out) {
        if (d_in != nullptr && passes > 1) d_other = work.get<T>(n);
        if (passes % 2 == 0) std::swap(d_to, d_other);
    }
    void next() {
        d_from = d_to;
        std::swap(d_to, d_other);
    }
};

__device__ inline unsigned order_word(unsigned key) { return key; }
__device__ inline unsigned long long order_word(unsigned long long key) { return key; }
__device__ inline unsigned order_word(int key) { return static_cast<unsigned>(key) ^ 0x80000000; }
__device__ inline unsigned order_word(float key) {
    unsigned bits = __float_as_uint(key);
    return bits ^ ((bits & 0x80000000) != 0 ? 0xffffffff : 0x80000000);
}

struct OrderedDigit : Digit {
    template <class Key>
    __device__ unsigned of(Key key) const {
        return Digit::of(order_word(key));
    }
};

namespace student::lab10 {
inline namespace v2 {

constexpr int kBits = 8;
constexpr int kDigits = 1 << kBits;
constexpr int kThreads = kDigits;  // some steps have a thread for each digit
constexpr int kWarps = kThreads / 32;
constexpr unsigned kAllLanes = 0xffffffff;

template <class Key>
__host__ __device__ constexpr int rows() {
    return sizeof(Key) == 8 ? 8 : 16;
}
template <class Key>
__host__ __device__ constexpr int tile_size() {
    return kThreads * rows<Key>();
}

__host__ __device__ OrderedDigit digit_of_pass(Bits bits, int p) {
    int begin = bits.begin + p * kBits;
    return {{begin, bits.end - begin < kBits ? bits.end - begin : kBits}};
}

template <class Key>
__global__ void __launch_bounds__(kThreads) count_all_digits(const Key* d_keys, int* d_counts, int n, Bits bits) {
    __shared__ int s_counts[sizeof(Key)][kDigits];
    int passes = ceil_div(bits.end - bits.begin, kBits);
    for (int p = 0; p < passes; ++p) s_counts[p][threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads) {
        Key key = d_keys[i];
        for (int p = 0; p < passes; ++p) atomicAdd(&s_counts[p][digit_of_pass(bits, p).of(key)], 1);
    }
    __syncthreads();
    for (int p = 0; p < passes; ++p) {
        int count = s_counts[p][threadIdx.x];
        if (count > 0) atomicAdd(&d_counts[p * kDigits + threadIdx.x], count);
    }
}

__device__ int exclusive_sum_of_block(int value, int (&s_sums)[kWarps]) {
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, sum = value;
    for (int distance = 1; distance < 32; distance *= 2) {
        int other = __shfl_up_sync(kAllLanes, sum, distance);
        if (lane >= distance) sum += other;
    }
    if (lane == 31) s_sums[warp] = sum;
    __syncthreads();
    for (int w = 0; w < warp; ++w) sum += s_sums[w];
    return sum - value;
}

__global__ void __launch_bounds__(kThreads) scan_counts(int* d_counts) {
    __shared__ int s_sums[kWarps];
    int* d_count = d_counts + blockIdx.x * kDigits + threadIdx.x;
    *d_count = exclusive_sum_of_block(*d_count, s_sums);
}

enum class Status : unsigned {
    aggregate = 1,         // the count of this tile
    inclusive_prefix = 2,  // the count of this tile and all tiles before it
};

__device__ void publish(unsigned long long* d_state, int pass, Status status, int count) {
    unsigned long long high = 2 * static_cast<unsigned>(pass) + static_cast<unsigned>(status);
    store_relaxed(d_state, high << 32 | static_cast<unsigned>(count));
}

__device__ int exclusive_prefix_of(unsigned long long* d_states, int pass, int tile) {
    int before = 0;
    unsigned nanoseconds = 8;
    for (int other = tile - 1; other >= 0;) {
        unsigned long long word = load_relaxed(d_states + other * kDigits + threadIdx.x);
        unsigned status = static_cast<unsigned>(word >> 32);
        if (status <= 2 * static_cast<unsigned>(pass)) {  // not published yet
            __nanosleep(nanoseconds);
            nanoseconds = nanoseconds < 256 ? 2 * nanoseconds : 256;
            continue;
        }
        before += static_cast<int>(word);
        if (status == 2 * static_cast<unsigned>(pass) + 2) return before;
        --other;
    }
    return before;
}

__device__ unsigned lanes_alike(unsigned digit, int bits) {
    unsigned alike = kAllLanes;
    for (int b = 0; b < bits; ++b) {
        bool is_one = (digit >> b & 1) == 1;
        unsigned ones = __ballot_sync(kAllLanes, is_one);
        alike &= is_one ? ones : ~ones;
    }
    return alike;
}

template <class Key>
struct Pass {
    const Key* d_keys_in;
    const unsigned* d_values_in;
    Key* d_keys_out;
    unsigned* d_values_out;
    const int* d_first;
    unsigned long long* d_states;
    unsigned* d_ticket;
    int n, number;
    OrderedDigit digit;
};

template <class Key, bool kHasValues>
__global__ void __launch_bounds__(kThreads) sweep(Pass<Key> pass) {
    constexpr int kRows = rows<Key>(), kTile = tile_size<Key>();
    __shared__ Key s_keys[kTile];
    __shared__ unsigned s_values[kHasValues ? kTile : 1];
    __shared__ int s_of_warp[kWarps][kDigits], s_shift[kDigits], s_sums[kWarps], s_tile;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, d = threadIdx.x;

    if (threadIdx.x == 0) s_tile = static_cast<int>(atomicAdd(pass.d_ticket, 1));
    for (int w = 0; w < kWarps; ++w) s_of_warp[w][d] = 0;
    __syncthreads();
    int tile = s_tile, first = tile * kTile, mine = warp * (32 * kRows) + lane;
    int count = min(kTile, pass.n - first);

    Key key[kRows];
    int rank[kRows];
    for (int r = 0; r < kRows; ++r) key[r] = mine + r * 32 < count ? pass.d_keys_in[first + mine + r * 32] : Key{};
    for (int r = 0; r < kRows; ++r) {
        unsigned digit = mine + r * 32 < count ? pass.digit.of(key[r]) : (1u << pass.digit.count) - 1;
        unsigned alike = lanes_alike(digit, pass.digit.count);
        unsigned before = alike & ((1u << lane) - 1);
        rank[r] = s_of_warp[warp][digit] + __popc(before);
        __syncwarp();
        if (before == 0) s_of_warp[warp][digit] += __popc(alike);
        __syncwarp();
    }
    __syncthreads();

    int of_tile = 0;
    for (int w = 0; w < kWarps; ++w) of_tile += s_of_warp[w][d];
    unsigned long long* d_state = pass.d_states + tile * kDigits + d;
    publish(d_state, pass.number, tile == 0 ? Status::inclusive_prefix : Status::aggregate, of_tile);
    int local = exclusive_sum_of_block(of_tile, s_sums);
    int next = local;
    for (int w = 0; w < kWarps; ++w) {
        int of_warp = s_of_warp[w][d];
        s_of_warp[w][d] = next;
        next += of_warp;
    }
    int before = exclusive_prefix_of(pass.d_states, pass.number, tile);
    if (tile > 0) publish(d_state, pass.number, Status::inclusive_prefix, before + of_tile);
    s_shift[d] = pass.d_first[d] + before - local;
    __syncthreads();

    for (int r = 0; r < kRows; ++r) {
        int j = mine + r * 32;
        unsigned digit = j < count ? pass.digit.of(key[r]) : (1u << pass.digit.count) - 1;
        int place = s_of_warp[warp][digit] + rank[r];
        s_keys[place] = key[r];
        if (kHasValues) s_values[place] = j < count ? pass.d_values_in[first + j] : 0;
    }
    __syncthreads();
    for (int j = threadIdx.x; j < count; j += kThreads) {
        Key next_key = s_keys[j];
        int to = s_shift[pass.digit.of(next_key)] + j;
        pass.d_keys_out[to] = next_key;
        if (kHasValues) pass.d_values_out[to] = s_values[j];
    }
}

}  // namespace v2
}  // namespace student::lab10

using namespace student::lab10;
using namespace std;

template <class Key>
void onesweep(const Key* d_keys_in, const unsigned* d_values_in, Key* d_keys_out, unsigned* d_values_out, int n,
              Bits bits, Workspace& work) {
    if (n == 0) return;
    int tiles = ceil_div(n, tile_size<Key>()), passes = ceil_div(bits.end - bits.begin, kBits);
    std::size_t states = std::size_t{kDigits} * tiles, words = passes * (kDigits + 1);
    std::size_t bytes = states * sizeof(unsigned long long) + words * sizeof(unsigned);
    auto* d_states = reinterpret_cast<unsigned long long*>(work.get<char>(bytes));
    auto* d_tickets = reinterpret_cast<unsigned*>(d_states + states);
    int* d_counts = reinterpret_cast<int*>(d_tickets + passes);
    CUDA_CHECK(cudaMemsetAsync(d_states, 0, bytes));
    constexpr int kMostBlocks = 1024;
    int blocks = std::min(tiles, kMostBlocks);
    count_all_digits<<<blocks, kThreads>>>(d_keys_in, d_counts, n, bits);
    CUDA_CHECK(cudaGetLastError());
    scan_counts<<<passes, kThreads>>>(d_counts);
    CUDA_CHECK(cudaGetLastError());

    Turns<Key> keys(d_keys_in, d_keys_out, n, passes, work);
    Turns<unsigned> values(d_values_in, d_values_out, n, passes, work);
    auto* kernel = d_values_in != nullptr ? sweep<Key, true> : sweep<Key, false>;
    for (int p = 0; p < passes; ++p, keys.next(), values.next()) {
        kernel<<<tiles, kThreads>>>({keys.d_from, values.d_from, keys.d_to, values.d_to, d_counts + p * kDigits,
                                     d_states, d_tickets + p, n, p, digit_of_pass(bits, p)});
        CUDA_CHECK(cudaGetLastError());
    }
}

template void onesweep(const unsigned*, const unsigned*, unsigned*, unsigned*, int, Bits, Workspace&);
template void onesweep(const int*, const unsigned*, int*, unsigned*, int, Bits, Workspace&);
template void onesweep(const float*, const unsigned*, float*, unsigned*, int, Bits, Workspace&);
template void onesweep(const unsigned long long*, const unsigned*, unsigned long long*, unsigned*, int, Bits,
                       Workspace&);
