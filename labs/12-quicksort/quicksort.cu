// Lab 12, quicksort: the one file you edit. Handout: README.md, contract: quicksort.h. Then: make lab12 && ./grader
#include "quicksort.h"  // the contract; todo(), CUDA_CHECK, ceil_div, Workspace, Pair, primitives::exclusive_sum, ...

constexpr int kBlock = 256;

__device__ unsigned scramble(unsigned x) {  // mixes the bits of a number
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

// For all tasks: number k of a pseudo-random sequence of a range: an offset into it, 0 to count - 1. Where you do not
// know the range's first place, give 0.
__device__ int random_offset(int first, int count, int k) {
    unsigned of_range = scramble(scramble(first) + count);
    return static_cast<int>(__umulhi(scramble(of_range + 0x9e3779b9u * k), count));
}

// ---- Task 1, one_thread: a kernel for each call of the textbook's recursion ----
__device__ void sort_here(int* d_keys, int count) {
    // 1.1  Insertion sort is good enough for 32 keys. Which sort handles a million without recursion or extra memory?
}

// levels: how many levels of children are allowed below this kernel.
__global__ void sort_range(int* d_keys, int count, int levels) {
    // 1.2  All keys are equal: where do the two scans meet if they stop at keys equal to the pivot? Where if not?
    // 1.3  Are both sides smaller than the range, whatever the keys are? What happens if one is not?
    // 1.4  If levels is 0, or a launch fails, who sorts the side? How does the kernel know that a launch has failed?
    // 1.5  Which keys may this thread still access after it has launched a child?
}

void one_thread(const int* d_in, int* d_out, int n, int max_depth, Workspace&) {
    todo("1");  // take this line out when you start; until then the verdict is SKIP
    CUDA_CHECK(cudaMemcpyAsync(d_out, d_in, n * sizeof(int), cudaMemcpyDeviceToDevice));
    sort_range<<<1, 1>>>(d_out, n, max_depth);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 2, block_partition: a block for each range ----
constexpr int kSmall = 2048;  // keys that are sorted in shared memory; try other numbers

template <class T>
__device__ void sort_shared(T* s_keys, int count) {  // called by all threads of a block
    // 2.1  Lab 8's network has 2^k places. Do you pad the places from count on, or leave out comparators?
}

struct Range {  // level: how often its keys have been partitioned, which tells the array that they are in
    int first, count, level;
};

// Launch: one block; try more than kBlock threads.
__global__ void sort_range_by_block(Range range, const int* d_in, int* d_temp, int* d_out, int levels) {
    // 2.2  Which places lie between the two sides? What goes there, and into which array?
    // 2.3  One thread launches the children. Which barrier lets them see what the other threads have written?
    // 2.4  A range without a child goes onto a stack in shared memory. How many ranges can there be on it?
}

void block_partition(const int* d_in, int* d_out, int n, int max_depth, Workspace& work) {
    todo("2");
    int* d_temp = work.get<int>(n);
    sort_range_by_block<<<1, kBlock>>>(Range{0, n, 0}, d_in, d_temp, d_out, max_depth);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 3, segmented_scan: all ranges in one round, side by side as segments; a thread for each key ----
constexpr int kTile = 2048;  // keys that a block sorts in shared memory

// d_first[i]: the first place of key i's segment. There is also the place for what belongs to a segment, its pivot and
// its totals, so that all its keys find them.
__global__ void choose_pivots(const int* d_from, const int* d_first, int* d_pivots, int n) {
    // 3.1  Which thread of a segment knows both of its ends?
}

// d_heads, d_less and d_equal: 1 where a key begins its segment, is less than the pivot, equals it; 0 elsewhere.
__global__ void flag(const int* d_from, const int* d_first, const int* d_pivots, int* d_heads, int* d_less,
                     int* d_equal, int n) {}

__global__ void share_totals(const int* d_first, const int* d_less, const int* d_equal, int* d_less_total,
                             int* d_equal_total, int* d_more, int n) {
    // 3.2  d_less and d_equal are sums now. Which key's sums are its segment's totals? When must another round follow?
}

__global__ void move(const int* d_from, const int* d_first, const int* d_pivots, const int* d_less, const int* d_equal,
                     const int* d_less_total, const int* d_equal_total, int* d_to, int* d_next_first, int n) {
    // 3.3  How many greater keys come before key i in its segment? (You need no third sum.)
}

// Launch: a block for each tile of kTile keys. The first tile begins at `start`.
__global__ void sort_tiles(const int* d_from, int* d_to, int n, int start) {
    // 3.4  Tiles from 0 on cut some segments in two. Where must other tiles start to hold each of these in one piece?
}

void segmented_scan(const int* d_in, int* d_out, int n, Workspace& work) {
    todo("3");
    // 3.5  How does the host learn that it has launched enough rounds? What about segments of equal keys?
    int blocks = ceil_div(n, kBlock);
    int *d_first = work.get<int>(n), *d_next_first = work.get<int>(n);  // not right yet: garbage, as is d_more
    int *d_pivots = work.get<int>(n), *d_heads = work.get<int>(n), *d_more = work.get<int>(1);
    int *d_less = work.get<int>(n), *d_less_total = work.get<int>(n);
    int *d_equal = work.get<int>(n), *d_equal_total = work.get<int>(n);
    choose_pivots<<<blocks, kBlock>>>(d_in, d_first, d_pivots, n);  // not right yet: one round of many, into d_out
    CUDA_CHECK(cudaGetLastError());
    flag<<<blocks, kBlock>>>(d_in, d_first, d_pivots, d_heads, d_less, d_equal, n);
    CUDA_CHECK(cudaGetLastError());
    primitives::segmented_inclusive_sum(d_less, d_heads, d_less, n, work);
    primitives::segmented_inclusive_sum(d_equal, d_heads, d_equal, n, work);
    share_totals<<<blocks, kBlock>>>(d_first, d_less, d_equal, d_less_total, d_equal_total, d_more, n);
    CUDA_CHECK(cudaGetLastError());
    move<<<blocks, kBlock>>>(d_in, d_first, d_pivots, d_less, d_equal, d_less_total, d_equal_total, d_out, d_next_first,
                             n);
    CUDA_CHECK(cudaGetLastError());
    sort_tiles<<<ceil_div(n, kTile), kBlock>>>(d_out, d_out, n, 0);  // not right yet: one launch of two
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 4, sample_partition: many ways at once ----
constexpr int kWays = 256;  // at most
// Bucket 2 w holds the keys between splitters w - 1 and w, bucket 2 w + 1 those that equal splitter w.
constexpr int kBuckets = 2 * kWays;

struct Job {  // a range that ways - 1 splitters divide; the host sets ways and first_tile (the tiles of earlier jobs)
    int first, count, ways, first_tile;
};

// Launch: a block for each job j. Its splitters begin at d_splitters[j * kWays], its counts at d_counts[j * kBuckets].
template <class T>
__global__ void choose_splitters(const T* d_from, const Job* d_jobs, T* d_splitters) {}

template <class T>
__device__ int bucket_of(T key, const T* s_splitters, int ways) {
    // 4.1  If half of all keys are equal, which bucket takes these? They are in order already. (T has no ==.)
    return 0;  // not right yet
}

// Launch, also of move_to_buckets: a block for each tile of kSmall keys of each job. d_job_of_tile: from the host.
template <class T>
__global__ void count_buckets(const T* d_from, const Job* d_jobs, const int* d_job_of_tile, const T* d_splitters,
                              int* d_counts) {}

// Launch: a block for each job. d_sums[b]: the sum of all counts before b, those of earlier jobs included.
// d_next_place: where the next key of each bucket goes.
__global__ void place_buckets(const Job* d_jobs, const int* d_counts, const int* d_sums, int* d_next_place,
                              Job* d_next_jobs, int* d_next_count) {
    // 4.2  Between two jobs lie keys that are done. At which place does bucket b of job j begin?
    // 4.3  What happens to a bucket that is too large for task 2's network?
}

template <class T>
__global__ void move_to_buckets(const T* d_from, const Job* d_jobs, const int* d_job_of_tile, const T* d_splitters,
                                int* d_next_place, T* d_to, T* d_out) {
    // 4.4  The sort need not be stable. How can a tile reserve places in a bucket without looking at earlier tiles?
}

// Launch: dim3(kWays, jobs), a block for each bucket between two splitters. d_end: what d_next_place has become.
template <class T>
__global__ void sort_buckets(const T* d_from, T* d_out, const Job* d_jobs, const int* d_end) {}

template <class T>
void sample_partition(const T* d_in, T* d_out, int n, Workspace& work) {
    todo("4");
    // 4.5  How many jobs, tiles and counters can a round have? Count for n = 2^26.
    // 4.6  After the first round d_out has keys in their final places. Which arrays may the next round read and write?
    int jobs = 1, tiles = ceil_div(n, kSmall);  // not right yet: one round, one job; all arrays hold garbage
    auto *d_jobs = work.get<Job>(jobs), *d_next_jobs = work.get<Job>(jobs);
    T *d_splitters = work.get<T>(jobs * kWays), *d_to = work.get<T>(n);
    int *d_job_of_tile = work.get<int>(tiles), *d_next_count = work.get<int>(1);
    int *d_counts = work.get<int>(jobs * kBuckets), *d_sums = work.get<int>(jobs * kBuckets + 1);
    int* d_next_place = work.get<int>(jobs * kBuckets);
    choose_splitters<<<jobs, kBlock>>>(d_in, d_jobs, d_splitters);
    CUDA_CHECK(cudaGetLastError());
    count_buckets<<<tiles, kBlock>>>(d_in, d_jobs, d_job_of_tile, d_splitters, d_counts);
    CUDA_CHECK(cudaGetLastError());
    primitives::exclusive_sum(d_counts, d_sums, jobs * kBuckets, work);
    place_buckets<<<jobs, kBlock>>>(d_jobs, d_counts, d_sums, d_next_place, d_next_jobs, d_next_count);
    CUDA_CHECK(cudaGetLastError());
    move_to_buckets<<<tiles, kBlock>>>(d_in, d_jobs, d_job_of_tile, d_splitters, d_next_place, d_to, d_out);
    CUDA_CHECK(cudaGetLastError());
    sort_buckets<<<dim3(kWays, jobs), kBlock>>>(d_to, d_out, d_jobs, d_next_place);
    CUDA_CHECK(cudaGetLastError());
}

#include "grading/instantiations.h"  // what is graded; leave this line at the end
