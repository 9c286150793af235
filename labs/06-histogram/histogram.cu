// Lab 6, histogram: the one file you edit. Handout: README.md, contract: histogram.h. Then: make lab6 && ./grader
#include "histogram.h"  // the contract; find_bin, for_each_value, multiprocessors; todo(), CUDA_CHECK, ceil_div

constexpr int kBlock = 256;

// ---- Task 1, global_atomics: a thread for each value ----
template <class T, class Bins>
__global__ void global_atomics_kernel(const T* d_in, int n, Bins bins, unsigned* d_counts) {}

template <class T, class Bins>
void global_atomics(const T* d_in, int n, Bins bins, unsigned* d_counts, Workspace&) {
    todo("1");  // take this line out when you start; until then the verdict is SKIP
    // 1.1  What must the counters hold before the first value is counted? And if n is 0? (cudaMemsetAsync)
    global_atomics_kernel<<<ceil_div(n, kBlock), kBlock>>>(d_in, n, bins, d_counts);
    CUDA_CHECK(cudaGetLastError());
}

template <class T>
__device__ int find_bin(const T* d_edges, int count, T value) {
    // 1.2  What is the result for a value equal to an edge, or to the last edge? And for NaN?
    return value < d_edges[0] ? count : 0;  // not right yet
}

// ---- Task 2, thread_local_atomics: few threads, each with many values and with bins of its own in local memory ----
template <class T, class Bins>
__global__ void thread_local_atomics_kernel(const T* d_in, int n, Bins bins, unsigned* d_counts) {
    // 2.1  for_each_value(d_in, n, [&](auto value) { ... }); visits this thread's share. Does counting take an atomic?
}

template <class T, class Bins>
void thread_local_atomics(const T* d_in, int n, Bins bins, unsigned* d_counts, Workspace&) {
    todo("2");
    thread_local_atomics_kernel<<<1, 128>>>(d_in, n, bins, d_counts);  // not right yet: one block
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 3, thread_local_reduce: the threads of a warp add up their bins first; otherwise as task 2 ----
template <class T, class Bins>
__global__ void thread_local_reduce_kernel(const T* d_in, int n, Bins bins, unsigned* d_counts) {
    // 3.1  Which lanes take part in a shuffle? May one of them have left, or skipped it because its count is 0?
    // 3.2  How many shuffles do 32 bins need with one sum for each bin, and how many in a butterfly?
}

template <class T, class Bins>
void thread_local_reduce(const T* d_in, int n, Bins bins, unsigned* d_counts, Workspace&) {
    todo("3");
    thread_local_reduce_kernel<<<1, 128>>>(d_in, n, bins, d_counts);  // not right yet: one block
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 4, shared_atomics: one histogram for all threads of a block ----
// Launch: as many blocks as the GPU holds at once. Shared memory: bins.count + 1 counters.
template <class T, class Bins>
__global__ void shared_atomics_kernel(const T* d_in, int n, Bins bins, unsigned* d_counts) {
    extern __shared__ unsigned s_counts[];
    // 4.1  Which threads clear which counters, if there are more counters than threads?
    // 4.2  Between which steps does the block need a barrier, and what happens without each of them?
}

template <class T, class Bins>
void shared_atomics(const T* d_in, int n, Bins bins, unsigned* d_counts, Workspace&) {
    todo("4");
    // 4.3  How many blocks are enough to keep the GPU busy? (cudaOccupancyMaxActiveBlocksPerMultiprocessor)
    std::size_t bytes = sizeof(unsigned);                                  // not right yet: one counter
    shared_atomics_kernel<<<1, kBlock, bytes>>>(d_in, n, bins, d_counts);  // not right yet: one block
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 5, replicated: several copies of the histogram in each block; otherwise as task 4 ----
template <class T, class Bins>
__global__ void replicated_kernel(const T* d_in, int n, Bins bins, unsigned* d_counts, int copies) {
    extern __shared__ unsigned s_counts[];
    // 5.1  At which word does copy c of bin b lie, so that with 32 copies each lane has a bank of its own?
    // 5.2  With which copy does each lane begin to add up, so that no two lanes meet in a bank?
}

template <class T, class Bins>
void replicated(const T* d_in, int n, Bins bins, unsigned* d_counts, Workspace&) {
    todo("5");
    int copies = 1;                        // not right yet: how many copies of 257 counters fit into 48 KiB? Of 8193?
    std::size_t bytes = sizeof(unsigned);  // not right yet: one counter
    replicated_kernel<<<1, kBlock, bytes>>>(d_in, n, bins, d_counts, copies);  // not right yet: one block
    CUDA_CHECK(cudaGetLastError());
}

#include "grading/instantiations.h"  // what is graded; leave this line at the end
