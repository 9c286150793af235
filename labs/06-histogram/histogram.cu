// Lab 6, histogram: the one file you edit. Handout: README.md. Then: make lab6 && ./grader
// Pointers d_* are device memory; d_in must not change; d_counts holds garbage at first.
// Each function is called for every n from 0 up and is timed; its Workspace is not.
#include "histogram.h"  // the contract; Levels, Uniform..., Edges, for_each_value, multiprocessors; todo(), CUDA_CHECK, ceil_div

constexpr int kBlock = 256;

// ---- Task 1, global_atomics: a thread for each value ----
// Launch: a thread for each value, blocks of kBlock.
template <class Bins>
__global__ void global_atomics_kernel(const typename Bins::type* d_in, int n, Bins bins, unsigned* d_counts) {
    // 1.1  Two threads find 7 in the same counter, and each writes 8. What do you need instead of ++?
    // 1.2  bins(value) tells the bin, also for a value that is in none. Is there a counter for it?
    // 1.3  The grid is rounded up to whole blocks: which threads have nothing to do?
}

template <class Bins>
void global_atomics(const typename Bins::type* d_in, int n, Bins bins, unsigned* d_counts, Workspace&) {
    todo("1");  // take this line out when you start; until then the verdict is SKIP
    // 1.4  What must the counters hold before the first value is counted? (cudaMemsetAsync; how many are there?)
    // 1.5  And if n is 0?
    global_atomics_kernel<<<ceil_div(n, kBlock), kBlock>>>(d_in, n, bins, d_counts);
    CUDA_CHECK(cudaGetLastError());
}

__device__ int Edges::operator()(float value) const {
    // 1.6  Between which two of the ascending edges does value lie? log2(count) comparisons tell.
    // 1.7  What comes out for a value equal to an edge, to the last edge, and for a NaN, for which < and >= are false?
    return value < d_edges[0] ? count : 0;
}

// ---- Task 2, thread_local_atomics: each thread has bins of its own ----
// Launch: few threads with many values each. Local memory: the bins of the thread.
template <class Bins>
__global__ void thread_local_atomics_kernel(const typename Bins::type* d_in, int n, Bins bins, unsigned* d_counts) {
    // 2.1  for_each_value(d_in, n, [&](auto value) { ... }); gives this thread its share. Where does it count, and does
    //      that take an atomic?
    // 2.2  An array whose index is known only at run time cannot lie in registers. Where does it lie?
    // 2.3  Which of the thread's bins need an atomic at the end? How many are there at most?
}

template <class Bins>
void thread_local_atomics(const typename Bins::type* d_in, int n, Bins bins, unsigned* d_counts, Workspace&) {
    todo("2");
    // 2.4  With one value a thread this is slower than task 1: why? How many values a bin must a thread have, and
    //      so how many blocks do n values need? Too few leave multiprocessors idle: multiprocessors() tells how
    //      many there are.
    thread_local_atomics_kernel<<<1, 128>>>(d_in, n, bins, d_counts);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 3, thread_local_reduce: the threads of a warp add up their bins first ----
// Launch: as task 2.
template <class Bins>
__global__ void thread_local_reduce_kernel(const typename Bins::type* d_in, int n, Bins bins, unsigned* d_counts) {
    // 3.1  All 32 lanes have a count for bin b. How do they add them up without an atomic (lab 2)? How many shuffles is
    //      that for all bins?
    // 3.2  At the end, could each lane hold the sum of another bin? What does that do to the atomics?
    // 3.3  In a butterfly, lanes 16 apart exchange first: each gives 16 of its 32 counts and keeps 16. How many
    //      shuffles do 32 bins need then? (Worth a tenth.)
    // 3.4  Which lanes take part in a shuffle? May one of them have left, or skipped it, because its count is 0?
}

template <class Bins>
void thread_local_reduce(const typename Bins::type* d_in, int n, Bins bins, unsigned* d_counts, Workspace&) {
    todo("3");
    thread_local_reduce_kernel<<<1, 128>>>(d_in, n, bins, d_counts);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 4, shared_atomics: one histogram for all threads of a block ----
// Launch: as many blocks as the GPU holds at once. Shared memory: bins.count + 1 counters, known only at launch.
template <class Bins>
__global__ void shared_atomics_kernel(const typename Bins::type* d_in, int n, Bins bins, unsigned* d_counts) {
    extern __shared__ unsigned s_counts[];
    // 4.1  What do the counters hold when the block starts? Who clears them, if there are more of them than threads?
    // 4.2  Between which steps does the block need a barrier, and what happens without each of them?
    // 4.3  How do the counts of all blocks come together in d_counts?
}

template <class Bins>
void shared_atomics(const typename Bins::type* d_in, int n, Bins bins, unsigned* d_counts, Workspace&) {
    todo("4");
    // 4.4  Each block clears and adds up all counters. How many blocks are enough to keep the GPU busy?
    //      (cudaOccupancyMaxActiveBlocksPerMultiprocessor)
    shared_atomics_kernel<<<1, kBlock, sizeof(unsigned)>>>(d_in, n, bins, d_counts);  // 4.5  how many bytes?
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 5, replicated: several copies of the histogram in each block ----
// Launch: as task 4. Shared memory: the copies.
template <class Bins>
__global__ void replicated_kernel(const typename Bins::type* d_in, int n, Bins bins, unsigned* d_counts, int copies) {
    extern __shared__ unsigned s_counts[];
    // 5.1  32 lanes find the same value. With how many copies does none of them wait for another?
    // 5.2  Copy c of bin b: at which word does it lie, so that with 32 copies each lane has a bank of its own, whatever
    //      the values are?
    // 5.3  At the end a thread adds up the copies of a bin. In which bank do the lanes of a warp begin?
}

template <class Bins>
void replicated(const typename Bins::type* d_in, int n, Bins bins, unsigned* d_counts, Workspace&) {
    todo("5");
    // 5.4  How many copies of 257 counters fit, how many of 8193? (A kernel gets 48 KiB without asking for more. With
    // how
    //      much shared memory a block does a multiprocessor still hold 1024 threads or more?)
    replicated_kernel<<<1, kBlock, sizeof(unsigned)>>>(d_in, n, bins, d_counts, 1);
    CUDA_CHECK(cudaGetLastError());
}

// ---- What is graded; leave these lines as they are ----
template void global_atomics(const unsigned char*, int, Levels, unsigned*, Workspace&);
template void global_atomics(const int*, int, UniformInt, unsigned*, Workspace&);
template void global_atomics(const float*, int, UniformFloat, unsigned*, Workspace&);
template void global_atomics(const float*, int, Edges, unsigned*, Workspace&);
template void thread_local_atomics(const unsigned char*, int, Levels, unsigned*, Workspace&);
template void thread_local_atomics(const float*, int, UniformFloat, unsigned*, Workspace&);
template void thread_local_reduce(const unsigned char*, int, Levels, unsigned*, Workspace&);
template void thread_local_reduce(const float*, int, UniformFloat, unsigned*, Workspace&);
template void shared_atomics(const unsigned char*, int, Levels, unsigned*, Workspace&);
template void shared_atomics(const int*, int, UniformInt, unsigned*, Workspace&);
template void shared_atomics(const float*, int, UniformFloat, unsigned*, Workspace&);
template void shared_atomics(const float*, int, Edges, unsigned*, Workspace&);
template void replicated(const unsigned char*, int, Levels, unsigned*, Workspace&);
template void replicated(const int*, int, UniformInt, unsigned*, Workspace&);
template void replicated(const float*, int, UniformFloat, unsigned*, Workspace&);
template void replicated(const float*, int, Edges, unsigned*, Workspace&);
