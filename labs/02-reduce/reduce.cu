// Lab 2, reduce: the one file you edit. Handout: README.md, contract: reduce.h. Then: make lab2 && ./grader
#include "reduce.h"  // the contract; todo(), CUDA_CHECK, ceil_div, Workspace, Sum, Max, Min

constexpr int kBlock = 256;

// ---- Task 1, global_memory: a tree of sums, one launch for each level, a thread for each pair ----
template <class T>  // int in the first level, long long in the others
__global__ void add_pairs(const T* d_from, long long* d_to, int n) {
    // 1.1  If n is odd, one element has no partner. Which one, and what becomes of it?
}

void global_memory(const int* d_in, long long* d_sum, int n, Workspace& work) {
    todo("1");  // take this line out when you start; until then the verdict is SKIP
    // 1.2  What would go wrong if a level wrote into the array that it reads?
    // 1.3  How many levels does n need, and which of them writes d_sum? What if n is 0?
    long long* d_partial = work.get<long long>(ceil_div(n, 2));
    add_pairs<<<1, kBlock>>>(d_in, d_partial, n);  // not right yet: 1 block, and two levels only
    CUDA_CHECK(cudaGetLastError());
    add_pairs<<<1, kBlock>>>(d_partial, d_sum, ceil_div(n, 2));
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 2, interleaved: the same tree, but a block climbs it in shared memory, one long long a thread ----
template <class T>
__global__ void interleaved_kernel(const T* d_from, long long* d_to, int n) {
    // 2.1  What does a thread without an element put into shared memory?
    // 2.2  Threads that do not add must wait as well: does the barrier go inside the if, or outside?
}

void interleaved(const int* d_in, long long* d_sum, int n, Workspace& work) {
    todo("2");
    // 2.3  A block turns 256 values into one. How many rounds of that do 65,536 values need? And 65,537?
    long long* d_partial = work.get<long long>(1);
    interleaved_kernel<<<1, kBlock>>>(d_in, d_partial, n);  // not right yet: 1 block
    CUDA_CHECK(cudaGetLastError());
    interleaved_kernel<<<1, kBlock>>>(d_partial, d_sum, 1);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 3, sequential: the same work for fewer warps; launch and shared memory as task 2 ----
template <class T>
__global__ void sequential_kernel(const T* d_from, long long* d_to, int n) {
    // 3.1  In the first step of task 2, how many of the 8 warps add? And if threads 0 to 127 did it?
}

void sequential(const int* d_in, long long* d_sum, int n, Workspace& work) {
    todo("3");
    long long* d_partial = work.get<long long>(1);
    sequential_kernel<<<1, kBlock>>>(d_in, d_partial, n);  // not right yet: 1 block
    CUDA_CHECK(cudaGetLastError());
    sequential_kernel<<<1, kBlock>>>(d_partial, d_sum, 1);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 4, grid_stride: add many elements in a register before the tree begins; any operator ----
// Launch: at most kGrid blocks, then one block for their results. Shared memory: one Result a thread.
constexpr int kGrid = 1024;

template <class Op, class T, class Result>
__global__ void grid_stride_kernel(const T* d_from, Result* d_to, int n) {
    // 4.1  Float addition rounds, so the order matters. Is yours the same in every run?
}

template <class Op, class T, class Result>
void grid_stride(const T* d_in, Result* d_result, int n, Workspace& work) {
    todo("4");
    Result* d_partial = work.get<Result>(kGrid);
    grid_stride_kernel<Op><<<1, kBlock>>>(d_in, d_partial, n);  // not right yet: 1 block
    CUDA_CHECK(cudaGetLastError());
    grid_stride_kernel<Op><<<1, kBlock>>>(d_partial, d_result, 1);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 5, warp_shuffle: lanes read each other's registers; as task 4, with one shared Result a warp ----
template <class Op, class T, class Result>
__global__ void warp_shuffle_kernel(const T* d_from, Result* d_to, int n) {
    // 5.1  __shfl_down_sync(mask, value, d) gives lane i the value of lane i + d. Which d, in which order?
    // 5.2  The mask names the lanes that take part. Which lanes must reach the shuffle, and do all of them?
    // 5.3  Eight warps leave eight sums. How do they meet, and how many of task 4's barriers are left?
}

template <class Op, class T, class Result>
void warp_shuffle(const T* d_in, Result* d_result, int n, Workspace& work) {
    todo("5");
    Result* d_partial = work.get<Result>(kGrid);
    warp_shuffle_kernel<Op><<<1, kBlock>>>(d_in, d_partial, n);  // not right yet: 1 block
    CUDA_CHECK(cudaGetLastError());
    warp_shuffle_kernel<Op><<<1, kBlock>>>(d_partial, d_result, 1);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 6, vectorized: as many blocks as the GPU holds at once, then one; d_in may start at any element ----
template <class Op, class T, class Result>
__global__ void vectorized_kernel(const T* d_from, Result* d_to, int n) {
    // 6.1  Which threads add the elements before the first 16-byte boundary, and after the last? What if n is smaller?
    // 6.2  How do you order four loads and their additions, so that all four loads are in flight at once?
}

template <class Op, class T, class Result>
void vectorized(const T* d_in, Result* d_result, int n, Workspace& work) {
    todo("6");
    // 6.3  How many blocks does the GPU hold at once? (cudaOccupancyMaxActiveBlocksPerMultiprocessor)
    Result* d_partial = work.get<Result>(1);
    vectorized_kernel<Op><<<1, kBlock>>>(d_in, d_partial, n);  // not right yet: 1 block
    CUDA_CHECK(cudaGetLastError());
    vectorized_kernel<Op><<<1, kBlock>>>(d_partial, d_result, 1);
    CUDA_CHECK(cudaGetLastError());
}

#include "grading/instantiations.h"  // what is graded; leave this line at the end
