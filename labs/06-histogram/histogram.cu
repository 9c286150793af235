// Lab 6, histogram: the one file you edit. Handout: README.md. Then: make lab6 && ./grader
// Pointers d_* are device memory; d_in must not change; d_counts holds garbage at first.
// Calls start at n = 0 and are timed; allocating the Workspace is not.
#include "histogram.h"  // the contract; find_bin, for_each_value, multiprocessors; todo(), CUDA_CHECK, ceil_div

constexpr int kBlock = 256;

// ---- Task 1, global_atomics: a thread for each value ----
// Launch: a thread for each value, blocks of kBlock.
template <class T, class Bins>
__global__ void global_atomics_kernel(const T* d_in, int n, Bins bins, unsigned* d_counts) {
    // 1.1  Two threads find 7 in the same counter, and each writes 8. What do you need instead of ++?
    // 1.2  The grid is rounded up to whole blocks: which threads have nothing to do?
}

template <class T, class Bins>
void global_atomics(const T* d_in, int n, Bins bins, unsigned* d_counts, Workspace&) {
    todo("1");  // take this line out when you start; until then the verdict is SKIP
    // 1.3  What must the counters hold before the first value is counted? How many are there? (cudaMemsetAsync)
    // 1.4  And if n is 0?
    global_atomics_kernel<<<ceil_div(n, kBlock), kBlock>>>(d_in, n, bins, d_counts);
    CUDA_CHECK(cudaGetLastError());
}

template <class T>
__device__ int find_bin(const T* d_edges, int count, T value) {
    // 1.5  Which two of the ascending edges enclose value? log2(count) comparisons find them.
    // 1.6  What is the result for a value equal to an edge, to the last edge, or for NaN, which is neither < nor >=?
    return value < d_edges[0] ? count : 0;  // not right yet
}

// ---- Task 2, thread_local_atomics: each thread has bins of its own ----
// Launch: few threads with many values each. Local memory: the bins of the thread.
template <class T, class Bins>
__global__ void thread_local_atomics_kernel(const T* d_in, int n, Bins bins, unsigned* d_counts) {
    // 2.1  for_each_value(d_in, n, [&](auto value) { ... }); gives this thread its share. Where does it count, and does
    //      that take an atomic?
    // 2.2  Which of the thread's bins need an atomic at the end?
}

template <class T, class Bins>
void thread_local_atomics(const T* d_in, int n, Bins bins, unsigned* d_counts, Workspace&) {
    todo("2");
    // 2.3  How many values must a thread have, so that clearing and adding up its bins pays? So how many blocks do n
    //      values need at most?
    // 2.4  How many blocks are enough for all multiprocessors()?
    thread_local_atomics_kernel<<<1, 128>>>(d_in, n, bins, d_counts);  // not right yet: one block
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 3, thread_local_reduce: the threads of a warp add up their bins first ----
// Launch: as task 2.
template <class T, class Bins>
__global__ void thread_local_reduce_kernel(const T* d_in, int n, Bins bins, unsigned* d_counts) {
    // 3.1  All 32 lanes have a count for bin b. How do they add them up without an atomic (lab 2)?
    // 3.2  Which lanes take part in a shuffle? May one of them have left, or skipped it because its count is 0?
    // 3.3  Could each lane hold the sum of another bin at the end? What does that do to the atomics?
    // 3.4  In a butterfly, lanes 16 apart exchange first: each gives 16 of its 32 counts and keeps 16. How many
    //      shuffles do 32 bins need then? (Worth a tenth.)
}

template <class T, class Bins>
void thread_local_reduce(const T* d_in, int n, Bins bins, unsigned* d_counts, Workspace&) {
    todo("3");
    thread_local_reduce_kernel<<<1, 128>>>(d_in, n, bins, d_counts);  // not right yet: one block
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 4, shared_atomics: one histogram for all threads of a block ----
// Launch: as many blocks as the GPU holds at once. Shared memory: bins.count + 1 counters, known only at launch.
template <class T, class Bins>
__global__ void shared_atomics_kernel(const T* d_in, int n, Bins bins, unsigned* d_counts) {
    extern __shared__ unsigned s_counts[];
    // 4.1  What do the counters hold when the block starts? Who clears them, if there are more of them than threads?
    // 4.2  Between which steps does the block need a barrier, and what happens without each of them?
    // 4.3  How do the counts of all blocks come together in d_counts?
}

template <class T, class Bins>
void shared_atomics(const T* d_in, int n, Bins bins, unsigned* d_counts, Workspace&) {
    todo("4");
    // 4.4  How many bytes of shared memory does a block need?
    // 4.5  Each block clears and adds up all counters. How many blocks are enough to keep the GPU busy?
    //      (cudaOccupancyMaxActiveBlocksPerMultiprocessor)
    std::size_t bytes = sizeof(unsigned);                                  // not right yet: one counter
    shared_atomics_kernel<<<1, kBlock, bytes>>>(d_in, n, bins, d_counts);  // not right yet: one block
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 5, replicated: several copies of the histogram in each block ----
// Launch: as task 4. Shared memory: the copies.
template <class T, class Bins>
__global__ void replicated_kernel(const T* d_in, int n, Bins bins, unsigned* d_counts, int copies) {
    extern __shared__ unsigned s_counts[];
    // 5.1  32 lanes find the same value. With how many copies does none of them wait for another?
    // 5.2  At which word does copy c of bin b lie, so that with 32 copies each lane has a bank of its own?
    // 5.3  At the end a thread adds up the copies of a bin. With which copy does each lane begin, so that no two lanes
    //      meet in a bank?
}

template <class T, class Bins>
void replicated(const T* d_in, int n, Bins bins, unsigned* d_counts, Workspace&) {
    todo("5");
    // 5.4  How many copies of 257 counters fit into shared memory, how many of 8193? (48 KiB a block, at most.)
    int copies = 1;                                                            // not right yet
    std::size_t bytes = sizeof(unsigned);                                      // not right yet
    replicated_kernel<<<1, kBlock, bytes>>>(d_in, n, bins, d_counts, copies);  // not right yet: one block
    CUDA_CHECK(cudaGetLastError());
}

#include "grading/instantiations.h"  // what is graded; leave this line at the end
