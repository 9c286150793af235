// Rung 4, sample_partition: as 3, but a round has up to 512 ways instead of two: two rounds instead of fifteen. The
// splitters are every eighth key of a sorted sample of the range. Keys that equal a splitter have a bucket of their own
// and are done. Small buckets are sorted by a block, by merging. Keys are compared by < only.
// A scan says where buckets begin. Counters give the places within them, because keys need not keep their order.
// The host looks for buckets that are still too large while the device moves and sorts the others.
// What limits it: at n = 2^28, reading and writing all bytes would take 2.5 ms, and it takes 10 ms (H200). Sorting the
// buckets takes most of that, then moving and counting the keys (docs/performance/12-quicksort.md).
// (Nikolaj Leischner, Vitaly Osipov, Peter Sanders, "GPU sample sort", IPDPS 2010.)
#include <algorithm>
#include <utility>
#include <vector>

#include "block_sort.cuh"
#include "early_look.cuh"
#include "pivots.cuh"
#include "sum_counts.cuh"

namespace {

constexpr int kThreads = 512;
constexpr int kWays = 512;  // at most; a power of two
constexpr int kOversampling = 8;
constexpr int kSortThreads = 256;

template <class T>
struct Shape {
    static constexpr int kRows = 32 / sizeof(T);             // a thread's keys in a tile
    static constexpr int kTile = kThreads * kRows;           // keys that a block counts and moves
    static constexpr int kItems = sizeof(T) == 4 ? 33 : 23;  // a thread's keys in a bucket, at most
    static constexpr int kSmall = kSortThreads * kItems;     // keys that a block sorts
};

// Bucket 2 j holds the keys between splitters j - 1 and j, bucket 2 j + 1 those that equal splitter j. There is one
// splitter less than ways, so the last bucket of a range is empty: it begins where the one before it ends.
constexpr int kBuckets = 2 * kWays;
static_assert(kBuckets <= kMostCounts);
using Bucket = unsigned short;

// Part of the array, to be partitioned in this round.
struct Range {
    int first, count, ways, first_tile;  // plan_round copies them in this order
};

// Launch: a block of kThreads for each range. Shared memory: the sample. Splitters: kWays for each range, as a tree in
// level order: 1 is the root, and the children of node v are 2 v and 2 v + 1. Threads that look at different nodes of
// one of the first levels use different banks. Also empties the counters that the next kernels need.
template <class T>
__global__ void __launch_bounds__(kThreads)
    choose_splitters(const T* d_from, const Range* d_ranges, T* d_splitters, int* d_counts, int* d_open_count) {
    __shared__ T s_sample[kWays * kOversampling];
    Range range = d_ranges[blockIdx.x];
    for (int b = threadIdx.x; b < kBuckets; b += kThreads) d_counts[blockIdx.x * kBuckets + b] = 0;
    if (blockIdx.x == 0 && threadIdx.x == 0) *d_open_count = 0;
    int size = range.ways * kOversampling;
    for (int k = threadIdx.x; k < size; k += kThreads)
        s_sample[k] = d_from[range.first + some_place(range.first, range.count, k)];
    sort_block<kThreads, (kWays * kOversampling / kThreads) | 1>(s_sample, size);
    for (int node = 1 + threadIdx.x; node < range.ways; node += kThreads) {
        int level = 31 - __clz(node), quantile = 2 * (node - (1 << level)) + 1;  // of 2^(level + 1)
        d_splitters[blockIdx.x * kWays + node] = s_sample[quantile * (size >> (level + 1)) - 1];
    }
}

// The work of a block in count_buckets and in move: a tile of a range. Each thread has kRows of its keys.
template <class T>
struct Tile {
    static constexpr int kRows = Shape<T>::kRows;
    int r, first, count, buckets;
    Range range;

    __device__ Tile(const Range* d_ranges, const int* d_range_of_tile) {
        r = d_range_of_tile[blockIdx.x];
        range = d_ranges[r];
        buckets = 2 * range.ways;
        int before = (blockIdx.x - range.first_tile) * Shape<T>::kTile;
        first = range.first + before;
        count = min(Shape<T>::kTile, range.count - before);
    }
    __device__ int index(int row) const { return row * kThreads + threadIdx.x; }
    __device__ bool has(int row) const { return index(row) < count; }

    // A thread without a key in its last rows gets the tile's last one there, so that no search needs a condition.
    template <class Value>
    __device__ void load(Value (&value)[kRows], const Value* d_from) const {
#pragma unroll
        for (int row = 0; row < kRows; ++row) value[row] = d_from[first + min(index(row), count - 1)];
    }
};

// Launch: a block of kThreads for each tile. Writes the bucket of each key, too, so that only one kernel searches.
template <class T>
__global__ void __launch_bounds__(kThreads, 2)
    count_buckets(const T* d_from, const Range* d_ranges, const int* d_range_of_tile, const T* d_splitters,
                  int* d_counts, Bucket* d_bucket) {
    __shared__ T s_splitters[kWays];
    __shared__ int s_counts[kBuckets];
    Tile<T> tile(d_ranges, d_range_of_tile);
    T key[tile.kRows];
    tile.load(key, d_from);
    for (int v = 1 + threadIdx.x; v < tile.range.ways; v += kThreads) s_splitters[v] = d_splitters[tile.r * kWays + v];
    for (int b = threadIdx.x; b < tile.buckets; b += kThreads) s_counts[b] = 0;
    __syncthreads();
    int node[tile.kRows];  // all keys of a thread go down the tree at the same time
#pragma unroll
    for (int row = 0; row < tile.kRows; ++row) node[row] = 1;
    for (int level = tile.range.ways; level > 1; level /= 2) {
#pragma unroll
        for (int row = 0; row < tile.kRows; ++row)
            node[row] = 2 * node[row] + (s_splitters[node[row]] < key[row] ? 1 : 0);
    }
#pragma unroll
    for (int row = 0; row < tile.kRows; ++row) {
        if (!tile.has(row)) continue;
        int splitter = node[row] >> __ffs(~node[row]);  // where the key last went left: not less than the key
        bool equal = splitter > 0 && !(key[row] < s_splitters[splitter]);
        int bucket = 2 * (node[row] - tile.range.ways) + (equal ? 1 : 0);
        atomicAdd(&s_counts[bucket], 1);
        d_bucket[tile.first + tile.index(row)] = static_cast<Bucket>(bucket);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < tile.buckets; b += kThreads) {
        if (s_counts[b] > 0) atomicAdd(&d_counts[tile.r * kBuckets + b], s_counts[b]);
    }
}

// Launch: a block of kThreads for each range. Replaces the numbers of keys by the places where the buckets begin.
// Buckets that are too large for a block, between two splitters, are ranges of the next round: d_open gets them, in any
// order.
template <class T>
__global__ void __launch_bounds__(kThreads)
    place_buckets(const Range* d_ranges, int* d_counts, Range* d_open, int* d_open_count) {
    __shared__ int s_counts[kBuckets], s_sums[kBuckets];
    Range range = d_ranges[blockIdx.x];
    int* d_own = d_counts + blockIdx.x * kBuckets;
    for (int b = threadIdx.x; b < 2 * range.ways; b += kThreads) s_counts[b] = d_own[b];
    __syncthreads();
    sum_counts<kThreads>(s_counts, s_sums, 2 * range.ways);
    for (int b = threadIdx.x; b < 2 * range.ways; b += kThreads) {
        d_own[b] = range.first + s_sums[b];
        if (b % 2 == 0 && s_counts[b] > Shape<T>::kSmall)
            d_open[atomicAdd(d_open_count, 1)] = {range.first + s_sums[b], s_counts[b], 0, 0};
    }
}

// Launch: a block of kThreads for each tile. Sorts the tile by bucket in shared memory, so that neighbouring threads
// write neighbouring places. A tile reserves its places in a bucket by an atomic. Keys that equal a splitter go to
// d_out: done.
template <class T>
__global__ void __launch_bounds__(kThreads, 2) move(const T* d_from, const Range* d_ranges, const int* d_range_of_tile,
                                                    const Bucket* d_bucket, int* d_places, T* d_to, T* d_out) {
    __shared__ T s_keys[Shape<T>::kTile];
    __shared__ Bucket s_bucket[Shape<T>::kTile];
    __shared__ int s_counts[kBuckets], s_sums[kBuckets];
    Tile<T> tile(d_ranges, d_range_of_tile);
    T key[tile.kRows];
    Bucket bucket[tile.kRows];
    int rank[tile.kRows];
    tile.load(key, d_from);
    tile.load(bucket, d_bucket);
    for (int b = threadIdx.x; b < tile.buckets; b += kThreads) s_counts[b] = 0;
    __syncthreads();
#pragma unroll
    for (int row = 0; row < tile.kRows; ++row) {
        if (tile.has(row)) rank[row] = atomicAdd(&s_counts[bucket[row]], 1);
    }
    __syncthreads();
    sum_counts<kThreads>(s_counts, s_sums, tile.buckets);
#pragma unroll
    for (int row = 0; row < tile.kRows; ++row) {
        if (!tile.has(row)) continue;
        int place = s_sums[bucket[row]] + rank[row];
        s_keys[place] = key[row];
        s_bucket[place] = bucket[row];
    }
    for (int b = threadIdx.x; b < tile.buckets; b += kThreads) {
        int count = s_counts[b];  // s_counts[b] then holds how far to shift
        if (count > 0) s_counts[b] = atomicAdd(&d_places[tile.r * kBuckets + b], count) - s_sums[b];
    }
    __syncthreads();
#pragma unroll
    for (int row = 0; row < tile.kRows; ++row) {
        if (!tile.has(row)) continue;
        int k = tile.index(row), of = s_bucket[k];
        T* d_there = of % 2 == 1 ? d_out : d_to;
        d_there[s_counts[of] + k] = s_keys[k];
    }
}

template <class T>
__device__ void sort_small(const T* d_from, T* d_out, int first, int count) {
    __shared__ T s_keys[Shape<T>::kSmall];
    for (int k = threadIdx.x; k < count; k += kSortThreads) s_keys[k] = d_from[first + k];
    sort_block<kSortThreads, Shape<T>::kItems>(s_keys, count);
    for (int k = threadIdx.x; k < count; k += kSortThreads) d_out[first + k] = s_keys[k];
}

// Launch: for each range, a block of kSortThreads for each of its ways. Each block sorts a bucket between two
// splitters, if it is not too large.
template <class T>
__global__ void __launch_bounds__(kSortThreads, 4)
    sort_buckets(const T* d_from, T* d_out, const Range* d_ranges, const int* d_places) {
    Range range = d_ranges[blockIdx.y];
    if (static_cast<int>(blockIdx.x) >= range.ways) return;
    const int* d_ends = d_places + blockIdx.y * kBuckets;  // move has advanced each beginning to the end
    int first = blockIdx.x > 0 ? d_ends[2 * blockIdx.x - 1] : range.first;
    int count = d_ends[2 * blockIdx.x] - first;
    if (count <= Shape<T>::kSmall) sort_small(d_from, d_out, first, count);
}

// Launch: one block.
template <class T>
__global__ void __launch_bounds__(kSortThreads) sort_all(const T* d_in, T* d_out, int n) {
    sort_small(d_in, d_out, 0, n);
}

// Sets the ways and the first tile of each range. Returns the ranges, and behind them the range of each tile, so that
// one copy takes both to the device.
template <class T>
std::vector<int> plan_round(std::vector<Range>& ranges) {
    std::vector<int> plan, range_of_tile;
    for (std::size_t r = 0; r < ranges.size(); ++r) {
        Range& range = ranges[r];
        // Buckets of at most 2/5 of the allowed size on average, so that hardly any is too large. If that takes two
        // rounds, both have about the same number of ways.
        long long buckets = range.count * 5LL / 2 / Shape<T>::kSmall + 1;
        range.ways = 2;
        while (range.ways < kWays && range.ways < buckets && (buckets <= kWays || range.ways * range.ways < buckets))
            range.ways *= 2;
        range.first_tile = static_cast<int>(range_of_tile.size());
        plan.insert(plan.end(), {range.first, range.count, range.ways, range.first_tile});
        range_of_tile.insert(range_of_tile.end(), ceil_div(range.count, Shape<T>::kTile), static_cast<int>(r));
    }
    plan.insert(plan.end(), range_of_tile.begin(), range_of_tile.end());
    return plan;
}

}  // namespace

template <class T>
void sample_partition(const T* d_in, T* d_out, int n, Workspace& work) {
    if (n == 0) return;
    if (n <= Shape<T>::kSmall) {
        sort_all<<<1, kSortThreads>>>(d_in, d_out, n);
        CUDA_CHECK(cudaGetLastError());
        return;
    }
    int most = n / Shape<T>::kSmall;  // ranges in a round: each has more than kSmall keys
    int *d_plan = work.get<int>(n / Shape<T>::kTile + 5 * most), *d_counts = work.get<int>(most * kBuckets + 1);
    Range *d_ranges = reinterpret_cast<Range*>(d_plan), *d_open = work.get<Range>(most);
    T *d_splitters = work.get<T>(most * kWays), *d_to = work.get<T>(n), *d_other = nullptr;
    Bucket* d_bucket = work.get<Bucket>(n);
    const T* d_from = d_in;
    static const EarlyLook look;
    std::vector<Range> ranges = {{0, n, 0, 0}};
    while (true) {
        std::vector<int> plan = plan_round<T>(ranges);
        int count = static_cast<int>(ranges.size()), tiles = static_cast<int>(plan.size()) - 4 * count, most_ways = 0;
        int *d_range_of_tile = d_plan + 4 * count, *d_open_count = d_counts + count * kBuckets;
        for (const Range& range : ranges) most_ways = std::max(most_ways, range.ways);
        CUDA_CHECK(cudaMemcpy(d_plan, plan.data(), plan.size() * sizeof(int), cudaMemcpyHostToDevice));

        choose_splitters<<<count, kThreads>>>(d_from, d_ranges, d_splitters, d_counts, d_open_count);
        CUDA_CHECK(cudaGetLastError());
        count_buckets<<<tiles, kThreads>>>(d_from, d_ranges, d_range_of_tile, d_splitters, d_counts, d_bucket);
        CUDA_CHECK(cudaGetLastError());
        place_buckets<T><<<count, kThreads>>>(d_ranges, d_counts, d_open, d_open_count);
        CUDA_CHECK(cudaGetLastError());
        look.after_this();
        move<<<tiles, kThreads>>>(d_from, d_ranges, d_range_of_tile, d_bucket, d_counts, d_to, d_out);
        CUDA_CHECK(cudaGetLastError());
        sort_buckets<<<dim3(most_ways, count), kSortThreads>>>(d_to, d_out, d_ranges, d_counts);
        CUDA_CHECK(cudaGetLastError());

        count = look.at(d_open_count);
        if (count == 0) break;
        ranges.resize(count);
        CUDA_CHECK(cudaMemcpy(ranges.data(), d_open, count * sizeof(Range), cudaMemcpyDeviceToHost));
        d_from = d_to;
        std::swap(d_to, d_other);
        if (d_to == nullptr) d_to = work.get<T>(n);
    }
}

template void sample_partition(const int*, int*, int, Workspace&);
template void sample_partition(const long long*, long long*, int, Workspace&);
template void sample_partition(const Pair*, Pair*, int, Workspace&);
