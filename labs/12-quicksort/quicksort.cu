// Lab 12, quicksort: the one file you edit. Handout: README.md, contract: quicksort.h. Then: make lab12 && ./grader
// "Kernel NAME" says what a kernel must do. You write it and launch it; which parameters it takes is up to you.
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
    if (range.count <= kSmall) return;  // not right yet: sort_shared
}

void block_partition(const int* d_in, int* d_out, int n, int max_depth, Workspace& work) {
    todo("2");
    int* d_temp = work.get<int>(n);
    sort_range_by_block<<<1, kBlock>>>(Range{0, n, 0}, d_in, d_temp, d_out, max_depth);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 3, segmented_scan: all ranges in one round, side by side as segments; a thread for each key ----
constexpr int kTile = 2048;  // keys that a block sorts in shared memory

// d_first[i] is the first place of key i's segment. A segment's pivot and totals are stored there, so that all its keys
// find them. All kernels but the last have a thread for each key.
// Kernel choose_pivots: chooses a pivot for each segment.
// 3.1  Which thread of a segment knows both of its ends?

// Kernel flag: writes three flags, 1 or 0: the key begins its segment, is less than the pivot, equals the pivot.
// Kernel share_totals, when d_less and d_equal are sums: stores the totals of each segment.
// 3.2  Which key's sums are its segment's totals? When must another round follow?

// Kernel move: writes each key to its place in the next array, and into d_next_first where its new segment begins.
// 3.3  How many greater keys come before key i in its segment? (You need no third sum.)

// Launch: a block for each tile of kTile keys. The first tile begins at `start`.
__global__ void sort_tiles(const int* d_from, int* d_to, int n, int start) {
    // 3.4  Tiles from 0 on cut some segments in two. Where must other tiles start to hold each of these in one piece?
}

void segmented_scan(const int* d_in, int* d_out, int n, Workspace& work) {
    todo("3");
    // 3.5  How does the host learn that it has launched enough rounds? What about segments of equal keys?
    auto *d_heads = work.get<int>(n), *d_less = work.get<int>(n), *d_equal = work.get<int>(n);
    // not right yet: before the sums, the flags; after them, the totals and the moves; and all that in every round
    primitives::segmented_inclusive_sum(d_less, d_heads, d_less, n, work);
    primitives::segmented_inclusive_sum(d_equal, d_heads, d_equal, n, work);
    sort_tiles<<<ceil_div(n, kTile), kBlock>>>(d_in, d_out, n, 0);  // not right yet: one launch of two
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 4, sample_partition: many ways at once ----
constexpr int kWays = 256;  // at most
// Bucket 2 w holds the keys between splitters w - 1 and w, bucket 2 w + 1 those that equal splitter w.
constexpr int kBuckets = 2 * kWays;

struct Job {                   // a range that this round partitions
    int first, count, before;  // before: how many keys the round's earlier jobs have
};

template <class T>
__device__ int bucket_of(T key, const T* s_splitters, int ways) {
    // 4.1  If half of all keys are equal, which bucket takes these? They are in order already. (T has no ==.)
    return 0;  // not right yet
}

// Kernel choose_splitters, a block for each job: sorts a sample of the job's keys and takes every eighth as a splitter.

// Kernel distribute, a block for each tile of each job: counts the keys of each bucket. Launched again after a scan of
// the counts, it moves the keys to their buckets, or into d_out if they equal a splitter.
// 4.2  Between two jobs lie keys that are done. At which place does bucket b of job j begin?
// 4.3  The sort need not be stable. How can a tile reserve places in a bucket without looking at earlier tiles?

// Kernel sort_buckets, a block for each bucket between two splitters: sorts it in shared memory, into d_out.
// 4.4  What happens to a bucket that is too large for that?

template <class T>
void sample_partition(const T* d_in, T* d_out, int n, Workspace& work) {
    todo("4");
    // 4.5  How many jobs, tiles and counters can a round have? Count for n = 2^26.
    // 4.6  After the first round d_out has keys in their final places. Which arrays may the next round read and write?
    int* d_counts = work.get<int>(kBuckets + 1);  // not right yet: garbage, and for one job only
    primitives::exclusive_sum(d_counts, d_counts, kBuckets, work);
}

#include "grading/instantiations.h"  // what is graded; leave this line at the end
