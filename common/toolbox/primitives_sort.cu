// A stable sort, one digit a pass, the lowest first (LSD radix sort). A pass counts the digits of every tile, scans the
// counts, digit by digit and tile by tile within each digit, and so gets the place of the first key of each digit of
// each tile.
#include "toolbox/primitives_sort.h"

#include <utility>

#include "toolbox/primitives.h"

namespace primitives {
namespace {

constexpr int kDigitBits = 8;
constexpr int kDigits = 1 << kDigitBits;
constexpr int kThreads = kDigits;  // so that each thread can handle one digit
constexpr int kWarps = kThreads / 32;
constexpr int kRows = 16;  // of 32 keys, for every warp
constexpr int kTile = kThreads * kRows;
constexpr unsigned kAllLanes = 0xffffffff;

struct Pass {
    const unsigned* d_keys_in;
    const int* d_values_in;  // null: keys only
    unsigned* d_keys_out;
    int* d_values_out;
    int n;
    int shift;  // of the digit
    unsigned mask;

    // A place beyond the end gets an extra digit, which is not counted.
    __device__ int digit(int i) const { return i < n ? (d_keys_in[i] >> shift) & mask : kDigits; }
};

// How often each digit occurs in each warp's rows; the last column is for places beyond the end.
using WarpCounts = int[kWarps][kDigits + 1];

__device__ int first_of_thread() {
    return blockIdx.x * kTile + static_cast<int>(threadIdx.x) / 32 * (kRows * 32) + threadIdx.x % 32;
}

// Called by all kThreads of a block. Every warp counts in its own row, so no atomics are needed.
__device__ void count_digits(const Pass& pass, WarpCounts& s_counts) {
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int d = lane; d <= kDigits; d += 32) s_counts[warp][d] = 0;
    __syncwarp();
    for (int r = 0; r < kRows; ++r) {
        int digit = pass.digit(first_of_thread() + r * 32);
        unsigned same = __match_any_sync(kAllLanes, digit);
        if (lane == __ffs(same) - 1) s_counts[warp][digit] += __popc(same);
        __syncwarp();
    }
    __syncthreads();
}

// Launch: a block of kThreads for each tile. d_counts[digit * tiles + tile]: in this order, their scan is the offsets.
__global__ void count_tiles(Pass pass, int* d_counts) {
    __shared__ WarpCounts s_counts;
    count_digits(pass, s_counts);
    int digit = threadIdx.x, count = 0;
    for (int w = 0; w < kWarps; ++w) count += s_counts[w][digit];
    d_counts[digit * gridDim.x + blockIdx.x] = count;
}

// Launch: as above.
__global__ void scatter_tiles(Pass pass, const int* d_offsets) {
    __shared__ WarpCounts s_next;  // where a warp's next key of each digit goes
    count_digits(pass, s_next);
    int next = d_offsets[threadIdx.x * gridDim.x + blockIdx.x];
    for (int w = 0; w < kWarps; ++w) {
        int count = s_next[w][threadIdx.x];
        s_next[w][threadIdx.x] = next;
        next += count;
    }
    __syncthreads();

    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int r = 0; r < kRows; ++r) {
        int i = first_of_thread() + r * 32;
        int digit = pass.digit(i);
        unsigned same = __match_any_sync(kAllLanes, digit);
        int to = s_next[warp][digit] + __popc(same & ((1u << lane) - 1));
        if (i < pass.n) {
            pass.d_keys_out[to] = pass.d_keys_in[i];
            if (pass.d_values_in != nullptr) pass.d_values_out[to] = pass.d_values_in[i];
        }
        __syncwarp();
        if (lane == __ffs(same) - 1) s_next[warp][digit] += __popc(same);
        __syncwarp();
    }
}

// The arrays that a pass reads and writes: two alternate, so that the last of `passes` writes d_out. Both are null if
// there is no input.
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

template <class T>
void copy(const T* d_in, T* d_out, int n) {
    CUDA_CHECK(cudaMemcpyAsync(d_out, d_in, n * sizeof(T), cudaMemcpyDeviceToDevice));
}

// Both pointers to values may be null.
void sort(const unsigned* d_keys_in, const int* d_values_in, unsigned* d_keys_out, int* d_values_out, int n,
          Workspace& work, int bits) {
    if (n == 0) return;
    if (bits == 0) {  // all keys count as equal
        copy(d_keys_in, d_keys_out, n);
        if (d_values_in != nullptr) copy(d_values_in, d_values_out, n);
        return;
    }
    int tiles = ceil_div(n, kTile), passes = ceil_div(bits, kDigitBits);
    auto* d_offsets = work.get<int>(std::size_t{kDigits} * tiles + 1);
    Turns<unsigned> keys(d_keys_in, d_keys_out, n, passes, work);
    Turns<int> values(d_values_in, d_values_out, n, passes, work);
    for (int shift = 0; shift < bits; shift += kDigitBits) {
        unsigned mask = (1u << (bits - shift < kDigitBits ? bits - shift : kDigitBits)) - 1;
        Pass pass{keys.d_from, values.d_from, keys.d_to, values.d_to, n, shift, mask};
        count_tiles<<<tiles, kThreads>>>(pass, d_offsets);
        CUDA_CHECK(cudaGetLastError());
        exclusive_sum(d_offsets, d_offsets, kDigits * tiles, work);
        scatter_tiles<<<tiles, kThreads>>>(pass, d_offsets);
        CUDA_CHECK(cudaGetLastError());
        keys.next();
        values.next();
    }
}

}  // namespace

void sort_keys(const unsigned* d_in, unsigned* d_out, int n, Workspace& work, int bits) {
    sort(d_in, nullptr, d_out, nullptr, n, work, bits);
}

void sort_pairs(const unsigned* d_keys_in, const int* d_values_in, unsigned* d_keys_out, int* d_values_out, int n,
                Workspace& work, int bits) {
    sort(d_keys_in, d_values_in, d_keys_out, d_values_out, n, work, bits);
}

}  // namespace primitives
