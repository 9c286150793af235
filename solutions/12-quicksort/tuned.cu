// The record of task 4, sample_partition. As its lesson, sample_partition.cu, but it has up to 512 ways, a tile is
// sorted by bucket before it is written, each key's bucket is found only once, and small buckets are sorted by merging.
// The host looks for buckets that are still too large while the device moves and sorts the others.
// Sorting the buckets takes most of the time, then moving and counting the keys (docs/performance/12-quicksort.md).
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
// splitter less than ways, so the last bucket of a job is empty: it begins where the one before it ends.
constexpr int kBuckets = 2 * kWays;
static_assert(kBuckets <= kMostCounts);
using Bucket = unsigned short;

// A range of the keys that is partitioned in one round. plan_round sets `ways` and `first_tile`.
struct Job {
    int first, count, ways, first_tile;  // first_tile: how many tiles the jobs before it have
};

// Launch: a block of kThreads for each job. Shared memory: the sample. Splitters: kWays for each job, as a tree in
// level order: 1 is the root, and the children of node v are 2 v and 2 v + 1. Threads that look at different nodes of
// one of the first levels use different banks. Also empties the counters that the next kernels need.
template <class T>
__global__ void __launch_bounds__(kThreads)
    choose_splitters(const T* d_from, const Job* d_jobs, T* d_splitters, int* d_counts, int* d_next_count) {
    __shared__ T s_sample[kWays * kOversampling];
    Job job = d_jobs[blockIdx.x];
    for (int b = threadIdx.x; b < kBuckets; b += kThreads) d_counts[blockIdx.x * kBuckets + b] = 0;
    if (blockIdx.x == 0 && threadIdx.x == 0) *d_next_count = 0;
    int size = job.ways * kOversampling;
    for (int k = threadIdx.x; k < size; k += kThreads)
        s_sample[k] = d_from[job.first + random_offset(job.first, job.count, k)];
    sort_block<kThreads, (kWays * kOversampling / kThreads) | 1>(s_sample, size);
    for (int node = 1 + threadIdx.x; node < job.ways; node += kThreads) {
        int level = 31 - __clz(node), quantile = 2 * (node - (1 << level)) + 1;  // of 2^(level + 1)
        d_splitters[blockIdx.x * kWays + node] = s_sample[quantile * (size >> (level + 1)) - 1];
    }
}

// The work of a block in count_buckets and in move_to_buckets: a tile of a job. Each thread has kRows of its keys.
template <class T>
struct Tile {
    static constexpr int kRows = Shape<T>::kRows;
    int job_index, first, count, buckets;
    Job job;

    __device__ Tile(const Job* d_jobs, const int* d_job_of_tile) {
        job_index = d_job_of_tile[blockIdx.x];
        job = d_jobs[job_index];
        buckets = 2 * job.ways;
        int before = (blockIdx.x - job.first_tile) * Shape<T>::kTile;
        first = job.first + before;
        count = min(Shape<T>::kTile, job.count - before);
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
    count_buckets(const T* d_from, const Job* d_jobs, const int* d_job_of_tile, const T* d_splitters, int* d_counts,
                  Bucket* d_bucket) {
    __shared__ T s_splitters[kWays];
    __shared__ int s_counts[kBuckets];
    Tile<T> tile(d_jobs, d_job_of_tile);
    T key[tile.kRows];
    tile.load(key, d_from);
    for (int v = 1 + threadIdx.x; v < tile.job.ways; v += kThreads)
        s_splitters[v] = d_splitters[tile.job_index * kWays + v];
    for (int b = threadIdx.x; b < tile.buckets; b += kThreads) s_counts[b] = 0;
    __syncthreads();
    int node[tile.kRows];  // all keys of a thread go down the tree at the same time
#pragma unroll
    for (int row = 0; row < tile.kRows; ++row) node[row] = 1;
    for (int level = tile.job.ways; level > 1; level /= 2) {
#pragma unroll
        for (int row = 0; row < tile.kRows; ++row)
            node[row] = 2 * node[row] + (s_splitters[node[row]] < key[row] ? 1 : 0);
    }
#pragma unroll
    for (int row = 0; row < tile.kRows; ++row) {
        if (!tile.has(row)) continue;
        int splitter = node[row] >> __ffs(~node[row]);  // where the key last went left: not less than the key
        bool equal = splitter > 0 && !(key[row] < s_splitters[splitter]);
        int bucket = 2 * (node[row] - tile.job.ways) + (equal ? 1 : 0);
        atomicAdd(&s_counts[bucket], 1);
        d_bucket[tile.first + tile.index(row)] = static_cast<Bucket>(bucket);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < tile.buckets; b += kThreads) {
        if (s_counts[b] > 0) atomicAdd(&d_counts[tile.job_index * kBuckets + b], s_counts[b]);
    }
}

// Launch: a block of kThreads for each job. Replaces the number of keys of each bucket by the place where it begins.
// Buckets between two splitters that are too large for a block are jobs of the next round: d_next_jobs gets them, in
// any order.
template <class T>
__global__ void __launch_bounds__(kThreads)
    place_buckets(const Job* d_jobs, int* d_counters, Job* d_next_jobs, int* d_next_count) {
    __shared__ int s_counts[kBuckets], s_sums[kBuckets];
    Job job = d_jobs[blockIdx.x];
    int* d_own = d_counters + blockIdx.x * kBuckets;
    for (int b = threadIdx.x; b < 2 * job.ways; b += kThreads) s_counts[b] = d_own[b];
    __syncthreads();
    sum_counts<kThreads>(s_counts, s_sums, 2 * job.ways);
    for (int b = threadIdx.x; b < 2 * job.ways; b += kThreads) {
        d_own[b] = job.first + s_sums[b];
        if (b % 2 == 0 && s_counts[b] > Shape<T>::kSmall)
            d_next_jobs[atomicAdd(d_next_count, 1)] = {job.first + s_sums[b], s_counts[b], 0, 0};
    }
}

// Launch: a block of kThreads for each tile. Sorts the tile by bucket in shared memory, so that neighbouring threads
// write neighbouring places. A tile reserves its places in a bucket by an atomic, which advances the bucket's next
// place and, in the end, leaves there where the bucket ends. Keys that equal a splitter go to d_out: done.
template <class T>
__global__ void __launch_bounds__(kThreads, 2)
    move_to_buckets(const T* d_from, const Job* d_jobs, const int* d_job_of_tile, const Bucket* d_bucket,
                    int* d_next_place, T* d_to, T* d_out) {
    __shared__ T s_keys[Shape<T>::kTile];
    __shared__ Bucket s_bucket[Shape<T>::kTile];
    __shared__ int s_counts[kBuckets], s_sums[kBuckets];
    int(&s_shift)[kBuckets] = s_counts;  // of a bucket: from a place in the tile to its place in the array
    Tile<T> tile(d_jobs, d_job_of_tile);
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
        int count = s_counts[b];
        if (count > 0) s_shift[b] = atomicAdd(&d_next_place[tile.job_index * kBuckets + b], count) - s_sums[b];
    }
    __syncthreads();
#pragma unroll
    for (int row = 0; row < tile.kRows; ++row) {
        if (!tile.has(row)) continue;
        int k = tile.index(row), of = s_bucket[k];
        T* d_there = of % 2 == 1 ? d_out : d_to;
        d_there[s_shift[of] + k] = s_keys[k];
    }
}

template <class T>
__device__ void sort_small(const T* d_from, T* d_out, int first, int count) {
    __shared__ T s_keys[Shape<T>::kSmall];
    for (int k = threadIdx.x; k < count; k += kSortThreads) s_keys[k] = d_from[first + k];
    sort_block<kSortThreads, Shape<T>::kItems>(s_keys, count);
    for (int k = threadIdx.x; k < count; k += kSortThreads) d_out[first + k] = s_keys[k];
}

// Launch: for each job, a block of kSortThreads for each way of the job that has most. Each block sorts a bucket
// between two splitters, if it is not too large. d_end: where each bucket ends.
template <class T>
__global__ void __launch_bounds__(kSortThreads, 4)
    sort_buckets(const T* d_from, T* d_out, const Job* d_jobs, const int* d_end) {
    Job job = d_jobs[blockIdx.y];
    if (static_cast<int>(blockIdx.x) >= job.ways) return;
    const int* d_own = d_end + blockIdx.y * kBuckets;
    int first = blockIdx.x > 0 ? d_own[2 * blockIdx.x - 1] : job.first;
    int count = d_own[2 * blockIdx.x] - first;
    if (count <= Shape<T>::kSmall) sort_small(d_from, d_out, first, count);
}

// Launch: one block.
template <class T>
__global__ void __launch_bounds__(kSortThreads) sort_all(const T* d_in, T* d_out, int n) {
    sort_small(d_in, d_out, 0, n);
}

// What a round's kernels read: the jobs, and behind them the job of each tile. One copy takes both to the device.
struct Plan {
    std::vector<int> words;
    int jobs = 0, tiles = 0, most_ways = 0;

    static Job* jobs_in(int* d_words) { return reinterpret_cast<Job*>(d_words); }
    int* job_of_tile_in(int* d_words) const { return reinterpret_cast<int*>(jobs_in(d_words) + jobs); }
    void copy_to(int* d_words) const {
        CUDA_CHECK(cudaMemcpy(d_words, words.data(), words.size() * sizeof(int), cudaMemcpyHostToDevice));
    }
};

// Sets the ways and the first tile of each job.
template <class T>
Plan plan_round(std::vector<Job>& jobs) {
    Plan plan;
    std::vector<int> job_of_tile;
    for (std::size_t j = 0; j < jobs.size(); ++j) {
        Job& job = jobs[j];
        // In the last round, buckets of at most 2/5 of the allowed size on average, so that hardly any is too large. If
        // that takes two rounds, both have about the same number of ways.
        long long wanted = job.count * 5LL / 2 / Shape<T>::kSmall + 1;
        job.ways = 2;
        while (job.ways < kWays && job.ways < wanted && (wanted <= kWays || job.ways * job.ways < wanted))
            job.ways *= 2;
        job.first_tile = static_cast<int>(job_of_tile.size());
        plan.most_ways = std::max(plan.most_ways, job.ways);
        plan.words.insert(plan.words.end(), {job.first, job.count, job.ways, job.first_tile});
        job_of_tile.insert(job_of_tile.end(), ceil_div(job.count, Shape<T>::kTile), static_cast<int>(j));
    }
    plan.words.insert(plan.words.end(), job_of_tile.begin(), job_of_tile.end());
    plan.jobs = static_cast<int>(jobs.size());
    plan.tiles = static_cast<int>(job_of_tile.size());
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
    int most = n / Shape<T>::kSmall;  // jobs in a round: each has more than kSmall keys
    // d_plan: four words for each job, and one for each tile. The last tile of each job need not be full.
    // d_counters, for each bucket: its number of keys, then where its next key goes, then where it ends.
    int *d_plan = work.get<int>(n / Shape<T>::kTile + 5 * most), *d_counters = work.get<int>(most * kBuckets + 1);
    Job *d_jobs = Plan::jobs_in(d_plan), *d_next_jobs = work.get<Job>(most);
    T *d_splitters = work.get<T>(most * kWays), *d_to = work.get<T>(n), *d_other = nullptr;
    Bucket* d_bucket = work.get<Bucket>(n);
    const T* d_from = d_in;
    static const EarlyLook look;
    std::vector<Job> jobs = {{0, n, 0, 0}};
    while (true) {
        Plan plan = plan_round<T>(jobs);
        int *d_job_of_tile = plan.job_of_tile_in(d_plan), *d_next_count = d_counters + plan.jobs * kBuckets;
        plan.copy_to(d_plan);

        choose_splitters<<<plan.jobs, kThreads>>>(d_from, d_jobs, d_splitters, d_counters, d_next_count);
        CUDA_CHECK(cudaGetLastError());
        count_buckets<<<plan.tiles, kThreads>>>(d_from, d_jobs, d_job_of_tile, d_splitters, d_counters, d_bucket);
        CUDA_CHECK(cudaGetLastError());
        place_buckets<T><<<plan.jobs, kThreads>>>(d_jobs, d_counters, d_next_jobs, d_next_count);
        CUDA_CHECK(cudaGetLastError());
        look.record();
        move_to_buckets<<<plan.tiles, kThreads>>>(d_from, d_jobs, d_job_of_tile, d_bucket, d_counters, d_to, d_out);
        CUDA_CHECK(cudaGetLastError());
        sort_buckets<<<dim3(plan.most_ways, plan.jobs), kSortThreads>>>(d_to, d_out, d_jobs, d_counters);
        CUDA_CHECK(cudaGetLastError());

        int next_count = look.read(d_next_count);
        if (next_count == 0) break;
        jobs.resize(next_count);
        CUDA_CHECK(cudaMemcpy(jobs.data(), d_next_jobs, next_count * sizeof(Job), cudaMemcpyDeviceToHost));
        d_from = d_to;
        std::swap(d_to, d_other);
        if (d_to == nullptr) d_to = work.get<T>(n);
    }
}

template void sample_partition(const int*, int*, int, Workspace&);
template void sample_partition(const long long*, long long*, int, Workspace&);
template void sample_partition(const Pair*, Pair*, int, Workspace&);
