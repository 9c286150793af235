// Style: the solution in one file, host vectors reserved beforehand.
#include <utility>
#include <vector>

#include "quicksort.h"
__device__ inline unsigned scramble(unsigned x) {
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

__device__ inline int some_place(int first, int count, int k) {
    return static_cast<int>(__umulhi(scramble(scramble(first) + 0x9e3779b9u * k), count));
}

__device__ inline int median(int a, int b, int c) { return max(min(a, b), min(max(a, b), c)); }

template <int kThreads, class T>
__device__ void sort_shared(T* s_keys, int count) {
    int pairs = 1;
    while (2 * pairs < count) pairs *= 2;
    for (int size = 2; size <= 2 * pairs; size *= 2) {
        for (int stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            for (int pair = threadIdx.x; pair < pairs; pair += kThreads) {
                int low = 2 * pair - (pair & (stride - 1));
                int high = stride == size / 2 ? low ^ (size - 1) : low + stride;
                if (high >= count) continue;
                T a = s_keys[low], b = s_keys[high];
                if (b < a) {
                    s_keys[low] = b;
                    s_keys[high] = a;
                }
            }
        }
    }
    __syncthreads();
}

namespace {

constexpr int kThreads = 512;
constexpr int kTile = 4096;   // keys that a block counts and moves
constexpr int kSmall = 4096;  // keys that a block sorts
constexpr int kWays = 128;    // at most; a power of two
constexpr int kOversampling = 8;

constexpr int kBuckets = 2 * kWays;

struct Range {
    int first, count;
    int ways, first_tile;
};

struct Buckets {
    int *d_counts, *d_sums, *d_placed;
    __device__ int begin(const Range& range, int r, int bucket) const {
        return range.first + d_sums[r * kBuckets + bucket] - d_sums[r * kBuckets];
    }
};

template <class T>
__device__ int bucket_of(T key, const T* s_splitters, int ways) {
    int j = 0;  // the number of splitters that are less than the key
    for (int step = ways / 2; step > 0; step /= 2) {
        if (s_splitters[j + step - 1] < key) j += step;
    }
    bool equal = j < ways - 1 && !(key < s_splitters[j]);
    return 2 * j + (equal ? 1 : 0);
}

template <class T>
__global__ void __launch_bounds__(kThreads) choose_splitters(const T* d_from, const Range* d_ranges, T* d_splitters) {
    __shared__ T s_sample[kWays * kOversampling];
    Range range = d_ranges[blockIdx.x];
    int size = range.ways * kOversampling;
    for (int k = threadIdx.x; k < size; k += kThreads)
        s_sample[k] = d_from[range.first + some_place(range.first, range.count, k)];
    sort_shared<kThreads>(s_sample, size);
    int j = threadIdx.x;
    if (j < range.ways - 1) d_splitters[blockIdx.x * kWays + j] = s_sample[(j + 1) * kOversampling - 1];
}

template <class T>
struct Tile {
    int r, first, count;
    Range range;
    __device__ Tile(const Range* d_ranges, const int* d_range_of_tile, const T* d_splitters, T* s_splitters) {
        r = d_range_of_tile[blockIdx.x];
        range = d_ranges[r];
        int before = (blockIdx.x - range.first_tile) * kTile;
        first = range.first + before;
        count = min(kTile, range.count - before);
        for (int j = threadIdx.x; j < range.ways - 1; j += kThreads) s_splitters[j] = d_splitters[r * kWays + j];
    }
};

template <class T>
__global__ void __launch_bounds__(kThreads)
    count_buckets(const T* d_from, const Range* d_ranges, const int* d_range_of_tile, const T* d_splitters,
                  int* d_counts) {
    __shared__ T s_splitters[kWays];
    __shared__ int s_counts[kBuckets];
    Tile<T> tile(d_ranges, d_range_of_tile, d_splitters, s_splitters);
    for (int b = threadIdx.x; b < kBuckets; b += kThreads) s_counts[b] = 0;
    __syncthreads();
    for (int k = threadIdx.x; k < tile.count; k += kThreads)
        atomicAdd(&s_counts[bucket_of(d_from[tile.first + k], s_splitters, tile.range.ways)], 1);
    __syncthreads();
    for (int b = threadIdx.x; b < kBuckets; b += kThreads) {
        if (s_counts[b] > 0) atomicAdd(&d_counts[tile.r * kBuckets + b], s_counts[b]);
    }
}

__device__ void sum_buckets(const int* s_counts, int* s_sums) {
    int b = threadIdx.x;
    if (b < kBuckets) s_sums[b] = b > 0 ? s_counts[b - 1] : 0;
    for (int distance = 1; distance < kBuckets; distance *= 2) {
        __syncthreads();
        int other = b < kBuckets && b >= distance ? s_sums[b - distance] : 0;
        __syncthreads();
        if (b < kBuckets) s_sums[b] += other;
    }
    __syncthreads();
}

template <class T>
__global__ void __launch_bounds__(kThreads) move(const T* d_from, const Range* d_ranges, const int* d_range_of_tile,
                                                 const T* d_splitters, Buckets buckets, T* d_to, T* d_out) {
    constexpr int kRows = kTile / kThreads;
    __shared__ T s_splitters[kWays], s_keys[kTile];
    __shared__ unsigned char s_bucket[kTile];
    __shared__ int s_counts[kBuckets], s_sums[kBuckets], s_shift[kBuckets];
    static_assert(kBuckets <= 256 && kBuckets <= kThreads);
    Tile<T> tile(d_ranges, d_range_of_tile, d_splitters, s_splitters);
    int b = threadIdx.x;
    if (b < kBuckets) s_counts[b] = 0;
    __syncthreads();
    T key[kRows];
    int bucket[kRows], rank[kRows];
    for (int r = 0; r < kRows; ++r) {
        int k = r * kThreads + threadIdx.x;
        if (k >= tile.count) continue;
        key[r] = d_from[tile.first + k];
        bucket[r] = bucket_of(key[r], s_splitters, tile.range.ways);
        rank[r] = atomicAdd(&s_counts[bucket[r]], 1);
    }
    __syncthreads();
    sum_buckets(s_counts, s_sums);
    if (b < kBuckets && s_counts[b] > 0) {
        int before = atomicAdd(&buckets.d_placed[tile.r * kBuckets + b], s_counts[b]);
        s_shift[b] = buckets.begin(tile.range, tile.r, b) + before - s_sums[b];
    }
    for (int r = 0; r < kRows; ++r) {
        if (r * kThreads + static_cast<int>(threadIdx.x) >= tile.count) continue;
        s_keys[s_sums[bucket[r]] + rank[r]] = key[r];
        s_bucket[s_sums[bucket[r]] + rank[r]] = static_cast<unsigned char>(bucket[r]);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < tile.count; k += kThreads) {
        int of = s_bucket[k];
        T* d_there = of % 2 == 1 ? d_out : d_to;
        d_there[s_shift[of] + k] = s_keys[k];
    }
}

template <class T>
__device__ void sort_small(const T* d_from, T* d_out, int first, int count) {
    __shared__ T s_keys[kSmall];
    for (int k = threadIdx.x; k < count; k += kThreads) s_keys[k] = d_from[first + k];
    sort_shared<kThreads>(s_keys, count);
    for (int k = threadIdx.x; k < count; k += kThreads) d_out[first + k] = s_keys[k];
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    sort_buckets(const T* d_from, T* d_out, const Range* d_ranges, Buckets buckets, Range* d_open, int* d_open_count) {
    int r = blockIdx.y;
    Range range = d_ranges[r];
    if (static_cast<int>(blockIdx.x) >= range.ways) return;
    int first = buckets.begin(range, r, 2 * blockIdx.x);
    int count = buckets.begin(range, r, 2 * blockIdx.x + 1) - first;
    if (count > kSmall) {
        if (threadIdx.x == 0) d_open[atomicAdd(d_open_count, 1)] = {first, count, 0, 0};
    } else if (count > 0) {
        sort_small(d_from, d_out, first, count);
    }
}

template <class T>
__global__ void __launch_bounds__(kThreads) sort_all(const T* d_in, T* d_out, int n) {
    sort_small(d_in, d_out, 0, n);
}

std::vector<int> plan(std::vector<Range>& ranges) {
    std::vector<int> range_of_tile;
    range_of_tile.reserve(256);
    for (std::size_t r = 0; r < ranges.size(); ++r) {
        Range& range = ranges[r];
        range.ways = 2;  // on average half the allowed size, so that few buckets are too large
        while (range.ways < kWays && range.ways * (kSmall / 2) < range.count) range.ways *= 2;
        range.first_tile = static_cast<int>(range_of_tile.size());
        range_of_tile.insert(range_of_tile.end(), ceil_div(range.count, kTile), static_cast<int>(r));
    }
    return range_of_tile;
}

template <class T>
void copy_to_device(const std::vector<T>& from, T* d_to) {
    CUDA_CHECK(cudaMemcpy(d_to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
}

}  // namespace

template <class T>
void sample_partition(const T* d_in, T* d_out, int n, Workspace& work) {
    if (n == 0) return;
    if (n <= kSmall) {
        sort_all<<<1, kThreads>>>(d_in, d_out, n);
        CUDA_CHECK(cudaGetLastError());
        return;
    }
    int most = n / kSmall;  // ranges in a round: each has more than kSmall keys
    Range *d_ranges = work.get<Range>(most), *d_open = work.get<Range>(most);
    int *d_range_of_tile = work.get<int>(n / kTile + most), *d_open_count = work.get<int>(1);
    T *d_splitters = work.get<T>(most * kWays), *d_to = work.get<T>(n), *d_other = nullptr;
    Buckets buckets{work.get<int>(most * kBuckets), work.get<int>(most * kBuckets + 1), work.get<int>(most * kBuckets)};
    const T* d_from = d_in;
    std::vector<Range> ranges = {{0, n, 0, 0}};
    while (!ranges.empty()) {
        std::vector<int> range_of_tile = plan(ranges);
        int count = static_cast<int>(ranges.size()), tiles = static_cast<int>(range_of_tile.size());
        copy_to_device(ranges, d_ranges);
        copy_to_device(range_of_tile, d_range_of_tile);
        CUDA_CHECK(cudaMemsetAsync(buckets.d_counts, 0, count * kBuckets * sizeof(int)));
        CUDA_CHECK(cudaMemsetAsync(buckets.d_placed, 0, count * kBuckets * sizeof(int)));
        CUDA_CHECK(cudaMemsetAsync(d_open_count, 0, sizeof(int)));

        choose_splitters<<<count, kThreads>>>(d_from, d_ranges, d_splitters);
        CUDA_CHECK(cudaGetLastError());
        count_buckets<<<tiles, kThreads>>>(d_from, d_ranges, d_range_of_tile, d_splitters, buckets.d_counts);
        CUDA_CHECK(cudaGetLastError());
        primitives::exclusive_sum(buckets.d_counts, buckets.d_sums, count * kBuckets, work);
        move<<<tiles, kThreads>>>(d_from, d_ranges, d_range_of_tile, d_splitters, buckets, d_to, d_out);
        CUDA_CHECK(cudaGetLastError());
        sort_buckets<<<dim3(kWays, count), kThreads>>>(d_to, d_out, d_ranges, buckets, d_open, d_open_count);
        CUDA_CHECK(cudaGetLastError());

        CUDA_CHECK(cudaMemcpy(&count, d_open_count, sizeof(int), cudaMemcpyDeviceToHost));
        ranges.resize(count);
        if (count == 0) break;
        CUDA_CHECK(cudaMemcpy(ranges.data(), d_open, count * sizeof(Range), cudaMemcpyDeviceToHost));
        d_from = d_to;
        std::swap(d_to, d_other);
        if (d_to == nullptr) d_to = work.get<T>(n);
    }
}

template void sample_partition(const int*, int*, int, Workspace&);
template void sample_partition(const long long*, long long*, int, Workspace&);
template void sample_partition(const Pair*, Pair*, int, Workspace&);
