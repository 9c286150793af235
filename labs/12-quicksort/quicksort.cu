// Lab 12, quicksort: the one file you edit. Handout: README.md, contract: quicksort.h. Then: make lab12 && ./grader
#include "quicksort.h"  // the contract; todo(), CUDA_CHECK, ceil_div, Workspace, Pair, primitives::exclusive_sum, ...

constexpr int kBlock = 256;

// For all tasks: one of `count` places from `first` on, number k of a pseudo-random sequence.
__device__ int some_place(int first, int count, int k) {
    unsigned x = static_cast<unsigned>(first) * 0x9e3779b9u + static_cast<unsigned>(k);
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return first + static_cast<int>(__umulhi(x ^ x >> 16, count));
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

struct Range {
    int first, count;
    const int* d_from;  // an array of all n keys, like d_to
    int* d_to;
};

// Launch: one block; try more than kBlock threads.
__global__ void sort_range_by_block(Range range, int* d_temp, int* d_out, int levels) {
    // 2.2  Which places lie between the two sides? What goes there, and into which array?
    // 2.3  One thread launches the children. Which barrier lets them see what the other threads have written?
    // 2.4  A range without a child goes onto a stack in shared memory. How many ranges can there be on it?
}

void block_partition(const int* d_in, int* d_out, int n, int max_depth, Workspace& work) {
    todo("2");
    int* d_temp = work.get<int>(n);
    sort_range_by_block<<<1, kBlock>>>(Range{0, n, d_in, d_temp}, d_temp, d_out, max_depth);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 3, segmented_scan: all ranges in one round; a thread for each key ----
__global__ void choose_pivots(const int* d_keys, const int* d_first, int* d_pivots, int n) {}

__global__ void flag(const int* d_keys, const int* d_first, const int* d_pivots, int* d_heads, int* d_less,
                     int* d_equal, int n) {}

__global__ void move(const int* d_from, const int* d_first, const int* d_less, const int* d_equal, int* d_to,
                     int* d_next_first, int n) {
    // 3.1  Which key has its segment's two totals? Which further kernel and arrays give them to the other keys?
    // 3.2  How many greater keys come before key i? (You need no third sum.)
}

// Launch: a block for each tile of kSmall keys. The first tile begins at `start`.
__global__ void sort_tiles(const int* d_from, int* d_to, int n, int start) {
    // 3.3  Tiles from 0 on cut some segments in two. Where must other tiles start to hold each of these in one piece?
}

void segmented_scan(const int* d_in, int* d_out, int n, Workspace& work) {
    todo("3");
    // 3.4  How does the host learn that it has launched enough rounds? What about segments of equal keys?
    int blocks = ceil_div(n, kBlock);
    int *d_first = work.get<int>(n), *d_next_first = work.get<int>(n), *d_pivots = work.get<int>(n);
    int *d_heads = work.get<int>(n), *d_less = work.get<int>(n), *d_equal = work.get<int>(n);
    choose_pivots<<<blocks, kBlock>>>(d_in, d_first, d_pivots, n);  // not right yet: one round of many
    CUDA_CHECK(cudaGetLastError());
    flag<<<blocks, kBlock>>>(d_in, d_first, d_pivots, d_heads, d_less, d_equal, n);
    CUDA_CHECK(cudaGetLastError());
    primitives::segmented_inclusive_sum(d_less, d_heads, d_less, n, work);
    primitives::segmented_inclusive_sum(d_equal, d_heads, d_equal, n, work);
    move<<<blocks, kBlock>>>(d_in, d_first, d_less, d_equal, d_out, d_next_first, n);
    CUDA_CHECK(cudaGetLastError());
    sort_tiles<<<ceil_div(n, kSmall), kBlock>>>(d_out, d_out, n, 0);  // not right yet: one launch of two
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 4, sample_partition: many ways at once ----
constexpr int kWays = 128;  // at most
constexpr int kBuckets = 2 * kWays;

struct Part {  // a range that this round partitions into `ways` buckets
    int first, count, ways;
};

// Launch: a block for each part.
template <class T>
__global__ void choose_splitters(const T* d_from, const Part* d_parts, T* d_splitters) {}

template <class T>
__device__ int bucket_of(T key, const T* s_splitters, int ways) {
    // 4.1  If half of all keys are equal, which bucket takes these? They are in order already. (T has no ==.)
    return 0;  // not right yet
}

// Launch, also of move_to_buckets: a block for each tile of each part. It must find out which is its own.
template <class T>
__global__ void count_buckets(const T* d_from, const Part* d_parts, const T* d_splitters, int* d_counts) {}

template <class T>
__global__ void move_to_buckets(const T* d_from, const Part* d_parts, const T* d_splitters, const int* d_begin,
                                int* d_placed, T* d_to, T* d_out) {
    // 4.2  The sort need not be stable. How can a tile reserve places in a bucket without looking at earlier tiles?
}

// Launch: a block for each bucket between two splitters. (Buckets of equal keys are done.)
template <class T>
__global__ void sort_buckets(const T* d_from, T* d_out, const int* d_begin, Part* d_open, int* d_open_count) {
    // 4.3  What happens to a bucket that is too large for task 2's network?
}

template <class T>
void sample_partition(const T* d_in, T* d_out, int n, Workspace& work) {
    todo("4");
    // 4.4  How many parts, tiles and counters can a round have? Count for n = 2^26.
    // 4.5  After the first round d_out has keys in their final places. Which arrays may the next round read and write?
    auto* d_parts = work.get<Part>(1);  // not right yet: garbage, and room for one part
    T *d_splitters = work.get<T>(kWays), *d_to = work.get<T>(n);
    int *d_counts = work.get<int>(kBuckets), *d_begin = work.get<int>(kBuckets + 1);
    int *d_placed = work.get<int>(kBuckets), *d_open_count = work.get<int>(1);
    choose_splitters<<<1, kBlock>>>(d_in, d_parts, d_splitters);  // not right yet: one round, one part
    CUDA_CHECK(cudaGetLastError());
    count_buckets<<<ceil_div(n, kSmall), kBlock>>>(d_in, d_parts, d_splitters, d_counts);
    CUDA_CHECK(cudaGetLastError());
    primitives::exclusive_sum(d_counts, d_begin, kBuckets, work);
    move_to_buckets<<<ceil_div(n, kSmall), kBlock>>>(d_in, d_parts, d_splitters, d_begin, d_placed, d_to, d_out);
    CUDA_CHECK(cudaGetLastError());
    sort_buckets<<<kWays, kBlock>>>(d_to, d_out, d_begin, d_parts, d_open_count);
    CUDA_CHECK(cudaGetLastError());
}

#include "grading/instantiations.h"  // what is graded; leave this line at the end
