// Lab 12, quicksort: the one file you edit. Handout: README.md. Then: make lab12 && ./grader
// Pointers d_* are device memory; inputs must not change; d_out holds garbage at first.
// Each function is called for every n from 0 up and is timed; its Workspace is not.
#include "quicksort.h"  // the contract; todo(), CUDA_CHECK, ceil_div, Workspace, Pair, primitives::exclusive_sum, ...

constexpr int kBlock = 256;

// For all tasks: one of `count` places from `first` on, the k-th of some that look random. Which keys become pivots is
// then nothing that an input can foresee.
__device__ int some_place(int first, int count, int k) {
    unsigned x = static_cast<unsigned>(first) * 0x9e3779b9u + static_cast<unsigned>(k);
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return first + static_cast<int>(__umulhi(x ^ x >> 16, count));
}

// ---- Task 1, one_thread: a kernel for each call of the textbook's recursion ----
__device__ void sort_here(int* d_keys, int count) {
    // 1.1  Insertion sort will do for 32 keys. At the depth limit there may be a million: which sort needs no
    //      recursion, no further memory, and is not quadratic?
}

// Launch: one thread. levels: so many levels of children there may be below this kernel.
__global__ void sort_range(int* d_keys, int count, int levels) {
    // 1.2  The pivot: what becomes of the first key on sorted input, of the middle one on an organ pipe, 0 1 2 3 2 1 0?
    // 1.3  Two scans go from the ends to the middle. All keys are equal: where do they meet, if they stop at keys that
    //      equal the pivot, and where if they go past them?
    // 1.4  Are both sides smaller than the range, whatever the keys are? What happens if one is not?
    // 1.5  Which sides are worth a child, and where do you tell a launch to go, so that both children run at once?
    //      (sort_range<<<1, 1, 0, stream>>>; the stream is made here, and destroyed here.)
    // 1.6  levels is 0, or the launch failed. How do you find out, and who sorts the side then?
    // 1.7  Which keys may this thread still touch once a child has been launched?
}

void one_thread(const int* d_in, int* d_out, int n, int max_depth, Workspace&) {
    todo("1");  // take this line out when you start; until then the verdict is SKIP
    // 1.8  sort_range works in place, and d_in must not change. What is there to do for n = 0?
    CUDA_CHECK(cudaMemcpyAsync(d_out, d_in, n * sizeof(int), cudaMemcpyDeviceToDevice));
    sort_range<<<1, 1>>>(d_out, n, max_depth);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 2, block_partition: a block for each range ----
constexpr int kSmall = 2048;  // what is sorted in shared memory; more or less is yours to try

// Called by all threads of a block.
template <class T>
__device__ void sort_shared(T* s_keys, int count) {
    // 2.1  A network of lab 8 sorts a power of two of keys. Must the places behind count be filled, and with what, or
    //      can a network leave them out?
}

// d_from and d_to are arrays of all n keys; the range is part of both.
struct Range {
    int first, count;
    const int* d_from;
    int* d_to;
};

// Launch: a block of kBlock threads.
__global__ void sort_range_by_block(Range range, int* d_temp, int* d_out, int levels) {
    // 2.2  A warp has 32 neighbouring keys. How does a lane learn how many of the lanes before it have a smaller key
    //      than the pivot (lab 4), and how does the warp reserve places at the front of the range, and at its end?
    // 2.3  Why can a warp not write into the array from which others still read? Which array do the sides lie in now,
    //      and which one do they go to next?
    // 2.4  What lies between the two sides, and who writes it, into which array?
    // 2.5  One thread launches the children. Which barrier makes sure that they see what the others have written?
    // 2.6  A child that is not launched is not lost: the block keeps ranges on a stack in shared memory, and goes on
    //      until it is empty. How many ranges can there be on it, if the smaller side is always taken first?
    // 2.7  A stream for each child is work. What does cudaStreamFireAndForget promise, and what not?
    // 2.8  The first range has one block, whatever the device: how many threads should it have? (Then a constant of its
    //      own instead of kBlock.)
}

void block_partition(const int* d_in, int* d_out, int n, int max_depth, Workspace& work) {
    todo("2");
    int* d_temp = work.get<int>(n);
    sort_range_by_block<<<1, kBlock>>>(Range{0, n, d_in, d_temp}, d_temp, d_out, max_depth);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 3, segmented_scan: all ranges in one round ----
// Launch, all kernels: a thread for each key, blocks of kBlock.
__global__ void choose_pivots(const int* d_keys, const int* d_first, int* d_pivots, int n) {
    // 3.1  d_first[i] is where the segment of key i begins. Which thread knows, by looking at a neighbour only, where
    //      it ends, and so may choose the pivot for all?
}

__global__ void flag(const int* d_keys, const int* d_first, const int* d_pivots, int* d_heads, int* d_less,
                     int* d_equal, int n) {
    // 3.2  Two sums, started afresh at each segment, say where every key goes. Sums of what?
}

__global__ void move(const int* d_from, const int* d_first, const int* d_less, const int* d_equal, int* d_to,
                     int* d_next_first, int n) {
    // 3.3  Where do the keys that equal the pivot begin, and where the greater ones? Which two numbers does every key
    //      of the segment have to know for that, and which key of the segment has them?
    // 3.4  How many greater keys come before key i? It takes no third scan.
}

__global__ void sort_tiles(const int* d_from, int* d_to, int n, int start) {
    // 3.5  All segments are at most half a tile long, and lie anywhere. Tiles from 0 on cut some of them in two. Tiles
    //      from where on have these in one piece? Does it do harm to sort a tile with several segments in it?
}

void segmented_scan(const int* d_in, int* d_out, int n, Workspace& work) {
    todo("3");
    // 3.6  The host launches rounds until ... what? It has to be told: by how many bytes, and by which keys?
    // 3.7  A segment of equal keys never gets shorter. Does the host wait for it?
    int blocks = ceil_div(n, kBlock);
    int *d_first = work.get<int>(n), *d_next_first = work.get<int>(n), *d_pivots = work.get<int>(n);
    int *d_heads = work.get<int>(n), *d_less = work.get<int>(n), *d_equal = work.get<int>(n);
    choose_pivots<<<blocks, kBlock>>>(d_in, d_first, d_pivots, n);
    CUDA_CHECK(cudaGetLastError());
    flag<<<blocks, kBlock>>>(d_in, d_first, d_pivots, d_heads, d_less, d_equal, n);
    CUDA_CHECK(cudaGetLastError());
    primitives::segmented_inclusive_sum(d_less, d_heads, d_less, n, work);
    primitives::segmented_inclusive_sum(d_equal, d_heads, d_equal, n, work);
    move<<<blocks, kBlock>>>(d_in, d_first, d_less, d_equal, d_out, d_next_first, n);
    CUDA_CHECK(cudaGetLastError());
    sort_tiles<<<ceil_div(n, kSmall), kBlock>>>(d_out, d_out, n, 0);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 4, sample_partition: many ways at once ----
constexpr int kWays = 128;  // at most
constexpr int kBuckets = 2 * kWays;

// Part of the array, to be partitioned in this round: into how many ways?
struct Part {
    int first, count, ways;
};

// Launch: a block for each part.
template <class T>
__global__ void choose_splitters(const T* d_from, const Part* d_parts, T* d_splitters) {
    // 4.1  127 keys picked at random make parts of very unequal size. What do 8 times as many, sorted, have to offer?
}

template <class T>
__device__ int bucket_of(T key, const T* s_splitters, int ways) {
    // 4.2  How many comparisons does it take to find the bucket among 128?
    // 4.3  Half of all keys are equal. Which splitters do you get, and which bucket must those keys go to, so that they
    //      are not partitioned again and again? T has no ==.
    return 0;
}

// Launch: a block for each tile of each part.
template <class T>
__global__ void count_buckets(const T* d_from, const Part* d_parts, const T* d_splitters, int* d_counts) {
    // 4.4  Who counts where, so that global memory sees one number for each tile and bucket?
}

template <class T>
__global__ void move_to_buckets(const T* d_from, const Part* d_parts, const T* d_splitters, const int* d_begin,
                                int* d_placed, T* d_to, T* d_out) {
    // 4.5  Nothing has to be stable. How can a tile reserve places in a bucket without knowing of the tiles before it?
    // 4.6  Which keys have their place already, and can go to d_out?
    // 4.7  What does it save to bring the tile into the order of its buckets before it is written (lab 10)?
}

// Launch: a block for each bucket.
template <class T>
__global__ void sort_buckets(const T* d_from, T* d_out, const int* d_begin, Part* d_open, int* d_open_count) {
    // 4.8  Small buckets: task 2's network. What becomes of a bucket that is too large for it?
}

template <class T>
void sample_partition(const T* d_in, T* d_out, int n, Workspace& work) {
    todo("4");
    // 4.9  How many parts can there be in a round, how many tiles, how many counters? Count for n = 2^26.
    // 4.10 d_out already has keys in their places. Which arrays may the next round read and write?
    auto* d_parts = work.get<Part>(1);
    T *d_splitters = work.get<T>(kWays), *d_to = work.get<T>(n);
    int *d_counts = work.get<int>(kBuckets), *d_begin = work.get<int>(kBuckets + 1),
        *d_placed = work.get<int>(kBuckets);
    choose_splitters<<<1, kBlock>>>(d_in, d_parts, d_splitters);
    CUDA_CHECK(cudaGetLastError());
    count_buckets<<<ceil_div(n, kSmall), kBlock>>>(d_in, d_parts, d_splitters, d_counts);
    CUDA_CHECK(cudaGetLastError());
    primitives::exclusive_sum(d_counts, d_begin, kBuckets, work);
    move_to_buckets<<<ceil_div(n, kSmall), kBlock>>>(d_in, d_parts, d_splitters, d_begin, d_placed, d_to, d_out);
    CUDA_CHECK(cudaGetLastError());
    sort_buckets<<<kWays, kBlock>>>(d_to, d_out, d_begin, d_parts, work.get<int>(1));
    CUDA_CHECK(cudaGetLastError());
}

// ---- What is graded; leave these lines as they are ----
template void sample_partition(const int*, int*, int, Workspace&);
template void sample_partition(const long long*, long long*, int, Workspace&);
template void sample_partition(const Pair*, Pair*, int, Workspace&);
