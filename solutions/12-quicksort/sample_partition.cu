// Task 4, sample_partition: as 3, but a round has up to 256 ways instead of two: two rounds instead of fifteen. The
// splitters are every eighth key of a sorted sample of the range. Keys that equal a splitter have a bucket of their own
// and are done. A scan says where buckets begin. Counters give the places within them, because keys need not keep their
// order. (Nikolaj Leischner, Vitaly Osipov, Peter Sanders, "GPU sample sort", IPDPS 2010.)
#include <utility>
#include <vector>

#include "pivots.cuh"

constexpr int kThreads = 512, kRows = 8, kTile = kThreads * kRows;  // keys that a block moves
constexpr int kSmall = 4096;                                        // keys that a block sorts
constexpr int kWays = 256, kOversampling = 8;                       // ways: at most, a power of two
constexpr int kBuckets = 2 * kWays;  // 2 j: between splitters j - 1 and j; 2 j + 1: equal to splitter j

// A range of the keys that is partitioned in this round. before: how many keys the round's earlier jobs have.
struct Job {
    int first, count, before;
};

// Launch: a block of kThreads for each job. Shared memory: the sample. d_splitters: kWays for each job.
template <class T>
__global__ void choose_splitters(const T* d_from, const Job* d_jobs, int ways, T* d_splitters) {
    __shared__ T s_sample[kWays * kOversampling];
    Job job = d_jobs[blockIdx.x];
    int size = ways * kOversampling;
    for (int k = threadIdx.x; k < size; k += kThreads)
        s_sample[k] = d_from[job.first + random_offset(job.first, job.count, k)];
    sort_shared<kThreads>(s_sample, size);
    for (int j = threadIdx.x; j + 1 < ways; j += kThreads)
        d_splitters[blockIdx.x * kWays + j] = s_sample[(j + 1) * kOversampling - 1];
}

// Launch: a row of blocks for each job, a block of kThreads for each tile of the longest one. Counts the keys of each
// bucket, or moves them: then d_counters[bucket] is its next free place, which a tile advances to reserve its own.
template <bool kMoves, class T>
__global__ void __launch_bounds__(kThreads)
    distribute(const T* d_from, const Job* d_jobs, int ways, const T* d_splitters, int* d_counters, T* d_to, T* d_out) {
    __shared__ T s_splitters[kWays];
    __shared__ int s_counts[kBuckets];  // then: where the tile's first key of each bucket goes
    Job job = d_jobs[blockIdx.y];
    int begin = blockIdx.x * kTile + threadIdx.x, *d_own = d_counters + blockIdx.y * kBuckets;
    for (int j = threadIdx.x; j + 1 < ways; j += kThreads) s_splitters[j] = d_splitters[blockIdx.y * kWays + j];
    for (int b = threadIdx.x; b < kBuckets; b += kThreads) s_counts[b] = 0;
    __syncthreads();
    T key[kRows];
    int bucket[kRows], rank[kRows];
    for (int row = 0; row < kRows && begin + row * kThreads < job.count; ++row) {
        key[row] = d_from[job.first + begin + row * kThreads];
        int less = 0;  // how many splitters are less than the key: binary search
        for (int step = ways / 2; step > 0; step /= 2)
            if (s_splitters[less + step - 1] < key[row]) less += step;
        bucket[row] = 2 * less + (less + 1 < ways && !(key[row] < s_splitters[less]) ? 1 : 0);
        rank[row] = atomicAdd(&s_counts[bucket[row]], 1);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < kBuckets; b += kThreads)
        if (s_counts[b] > 0) s_counts[b] = atomicAdd(&d_own[b], s_counts[b]);
    if (!kMoves) return;
    __syncthreads();
    for (int row = 0; row < kRows && begin + row * kThreads < job.count; ++row) {
        T* d_there = bucket[row] % 2 == 1 ? d_out : d_to;  // keys that equal a splitter are done
        d_there[job.first - job.before + s_counts[bucket[row]] + rank[row]] = key[row];
    }
}

// Launch: for each job, a block of kThreads for each way. Sorts a bucket between two splitters. If it is too large, it
// becomes a job of the next round. d_ends: where each bucket ends.
template <class T>
__global__ void __launch_bounds__(kThreads)
    sort_buckets(const T* d_from, T* d_out, const Job* d_jobs, const int* d_ends, Job* d_next, int* d_next_count) {
    __shared__ T s_keys[kSmall];
    Job job = d_jobs[blockIdx.y];
    const int* d_end = d_ends + blockIdx.y * kBuckets + 2 * blockIdx.x;
    int begin = blockIdx.x > 0 ? d_end[-1] : job.before, count = *d_end - begin, first = job.first - job.before + begin;
    if (count > kSmall && threadIdx.x == 0) d_next[atomicAdd(d_next_count, 1)] = {first, count, 0};
    if (count > kSmall) return;
    for (int k = threadIdx.x; k < count; k += kThreads) s_keys[k] = d_from[first + k];
    sort_shared<kThreads>(s_keys, count);
    for (int k = threadIdx.x; k < count; k += kThreads) d_out[first + k] = s_keys[k];
}

template <class T>
void sample_partition(const T* d_in, T* d_out, int n, Workspace& work) {
    int most = n / kSmall + 1;  // jobs in a round: after the first one, each has more than kSmall keys
    Job *d_jobs = work.get<Job>(most), *d_next = work.get<Job>(most);
    int *d_counters = work.get<int>(most * kBuckets + 1), *d_next_count = work.get<int>(1);
    T *d_splitters = work.get<T>(most * kWays), *d_to = work.get<T>(n), *d_other = work.get<T>(n);
    const T* d_from = d_in;
    std::vector<Job> jobs(n > 0 ? 1 : 0, Job{0, n, 0});
    while (!jobs.empty()) {
        int count = static_cast<int>(jobs.size()), longest = 0, before = 0, ways = 2;
        for (Job& job : jobs) {
            job.before = std::exchange(before, before + job.count);
            longest = max(longest, job.count);
        }
        while (ways < kWays && ways * (kSmall / 2) < longest) ways *= 2;  // then few buckets are too large
        CUDA_CHECK(cudaMemcpy(d_jobs, jobs.data(), count * sizeof(Job), cudaMemcpyHostToDevice));
        CUDA_CHECK(cudaMemsetAsync(d_counters, 0, count * kBuckets * sizeof(int)));
        CUDA_CHECK(cudaMemsetAsync(d_next_count, 0, sizeof(int)));
        choose_splitters<<<count, kThreads>>>(d_from, d_jobs, ways, d_splitters);
        CUDA_CHECK(cudaGetLastError());
        dim3 tiles(ceil_div(longest, kTile), count);
        distribute<false><<<tiles, kThreads>>>(d_from, d_jobs, ways, d_splitters, d_counters, d_to, d_out);
        CUDA_CHECK(cudaGetLastError());
        primitives::exclusive_sum(d_counters, d_counters, count * kBuckets, work);
        distribute<true><<<tiles, kThreads>>>(d_from, d_jobs, ways, d_splitters, d_counters, d_to, d_out);
        CUDA_CHECK(cudaGetLastError());
        sort_buckets<<<dim3(ways, count), kThreads>>>(d_to, d_out, d_jobs, d_counters, d_next, d_next_count);
        CUDA_CHECK(cudaGetLastError());
        CUDA_CHECK(cudaMemcpy(&count, d_next_count, sizeof(int), cudaMemcpyDeviceToHost));
        jobs.resize(count);
        CUDA_CHECK(cudaMemcpy(jobs.data(), d_next, count * sizeof(Job), cudaMemcpyDeviceToHost));
        d_from = d_to;
        std::swap(d_to, d_other);
    }
}

template void sample_partition(const int*, int*, int, Workspace&);
template void sample_partition(const long long*, long long*, int, Workspace&);
template void sample_partition(const Pair*, Pair*, int, Workspace&);
