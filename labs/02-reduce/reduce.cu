// Lab 2, reduce: the one file you edit. Handout: README.md. Then: make lab2 && ./grader
// Pointers d_* are device memory; d_in must not change; the result holds garbage at first.
// Each function is called for every n from 0 up and is timed; its Workspace is not.
#include "reduce.h"  // the contract; todo(), CUDA_CHECK, ceil_div, Workspace, Sum, Max, Min

constexpr int kBlock = 256;

// ---- Task 1, global_memory: a tree of sums, one launch a level ----
// Launch: a thread for each pair of neighbours. Every level halves the number of values that are left.
template <class T>  // int for the first level, long long for the others
__global__ void add_pairs(const T* d_from, long long* d_to, int n) {
    // 1.1  Thread i adds one pair: which two elements of d_from, and where does their sum go?
    // 1.2  n is odd: which element has no partner? What becomes of it?
    // 1.3  The grid is rounded up to whole blocks: which threads have nothing to do?
    // 1.4  Two int of 2,000,000,000: in which type must they be added?
}

void global_memory(const int* d_in, long long* d_sum, int n, Workspace& work) {
    todo("1");  // take this line out when you start; until then the verdict is SKIP
    // 1.5  Blocks run in any order. What would go wrong if a level wrote into the array that it reads?
    // 1.6  These are two levels. How many does n need? Which of them has to write to d_sum?
    // 1.7  What is the sum of nothing, and who writes it?
    long long* d_partial = work.get<long long>(ceil_div(n, 2));
    add_pairs<<<1, kBlock>>>(d_in, d_partial, n);
    CUDA_CHECK(cudaGetLastError());
    add_pairs<<<1, kBlock>>>(d_partial, d_sum, ceil_div(n, 2));
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 2, interleaved: the same tree, but a block climbs it in shared memory ----
// Launch: a thread for each element; every block leaves one partial sum. Then the same for the partial sums.
// Shared memory: one long long a thread.
template <class T>
__global__ void interleaved_kernel(const T* d_from, long long* d_to, int n) {
    // 2.1  What does a thread put into shared memory that has no element? May it return instead?
    // 2.2  With neighbours 1, 2, 4, ... apart: which threads add in each step, and what do they add?
    // 2.3  A thread reads what another one wrote in the step before. What must happen between the two?
    // 2.4  Must the threads that do not add wait as well? Where does the barrier stand, then: inside the if or outside?
    // 2.5  Which thread writes the partial sum of the block, and to which place?
}

void interleaved(const int* d_in, long long* d_sum, int n, Workspace& work) {
    todo("2");
    // 2.6  How many blocks does n need, so that the last, partly filled one is not forgotten? And if n is 0?
    // 2.7  A block turns 256 values into one. How often must it run for n = 65,536, and how often for 65,537?
    long long* d_partial = work.get<long long>(1);
    interleaved_kernel<<<1, kBlock>>>(d_in, d_partial, n);
    CUDA_CHECK(cudaGetLastError());
    interleaved_kernel<<<1, kBlock>>>(d_partial, d_sum, 1);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 3, sequential: the same work for fewer warps ----
// Launch and shared memory: as task 2.
template <class T>
__global__ void sequential_kernel(const T* d_from, long long* d_to, int n) {
    // 3.1  A warp takes as long as its busiest lane. In the first step of task 2, how many of the 8 warps have a lane
    //      that adds? If threads 0 to 127 did the adding, how many would have?
    // 3.2  Then thread t adds s[t] and which other element, so that neighbouring threads read neighbouring words?
    // 3.3  Does that add up the same pairs as the tree of task 2? Does it have to?
}

void sequential(const int* d_in, long long* d_sum, int n, Workspace& work) {
    todo("3");
    long long* d_partial = work.get<long long>(1);
    sequential_kernel<<<1, kBlock>>>(d_in, d_partial, n);
    CUDA_CHECK(cudaGetLastError());
    sequential_kernel<<<1, kBlock>>>(d_partial, d_sum, 1);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 4, grid_stride: add many elements in a register before the tree begins; any operator ----
// Launch: at most kGrid blocks, however large n is; then one block for the values that they leave.
// Shared memory: one Op::type a thread.
constexpr int kGrid = 1024;

template <class Op, class T>
__global__ void grid_stride_kernel(const T* d_from, typename Op::type* d_to, int n) {
    // 4.1  Which elements are thread t's of block b, so that all are read once, and neighbours by neighbours?
    // 4.2  A sum starts with 0. With what does a maximum start, and what does Op have for that?
    // 4.3  How many elements does a thread add at n = 2^22, and how many steps of the tree are left to it?
    // 4.4  Float addition rounds, so that order matters. Is yours the same in every run?
}

template <class Op, class T>
void grid_stride(const T* d_in, typename Op::type* d_result, int n, Workspace& work) {
    todo("4");
    // 4.5  How many blocks for n = 0, 1, 1000, 2^26?
    auto* d_partial = work.get<typename Op::type>(kGrid);
    grid_stride_kernel<Op><<<1, kBlock>>>(d_in, d_partial, n);
    CUDA_CHECK(cudaGetLastError());
    grid_stride_kernel<Op><<<1, kBlock>>>(d_partial, d_result, 1);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 5, warp_shuffle: the lanes of a warp read each other's registers ----
// Launch: as task 4. Shared memory: one Op::type a warp.
template <class Op, class T>
__global__ void warp_shuffle_kernel(const T* d_from, typename Op::type* d_to, int n) {
    // 5.1  __shfl_down_sync(mask, value, d) gives lane i the value of lane i + d. Which d, in which order, and how many
    //      shuffles until lane 0 has the sum of its warp?
    // 5.2  What do the lanes beyond the last one give, and does it matter?
    // 5.3  The mask names the lanes that take part. Which ones must reach the shuffle, and are they all there?
    // 5.4  Eight warps have eight sums. How do they meet? How many barriers are left of task 4's?
}

template <class Op, class T>
void warp_shuffle(const T* d_in, typename Op::type* d_result, int n, Workspace& work) {
    todo("5");
    auto* d_partial = work.get<typename Op::type>(kGrid);
    warp_shuffle_kernel<Op><<<1, kBlock>>>(d_in, d_partial, n);
    CUDA_CHECK(cudaGetLastError());
    warp_shuffle_kernel<Op><<<1, kBlock>>>(d_partial, d_result, 1);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 6, vectorized: keep the memory busy ----
// Launch: as many blocks as the GPU holds at once; then one block. d_in may start at any element.
template <class Op, class T>
__global__ void vectorized_kernel(const T* d_from, typename Op::type* d_to, int n) {
    // 6.1  One instruction can load 16 bytes: four elements of 4 bytes. What must be true of the address?
    // 6.2  d_from is aligned to one element only. Who adds the elements before the first boundary of 16 bytes, who
    //      those after the last? How many are there at most, and what if n is less than that?
    // 6.3  A load takes some 500 cycles. How does a thread have four of them under way at once: in which order do its
    //      loads and its additions stand?
    // 6.4  d_from holds values of 8 bytes when a long long sum is reduced again. How many fit into 16 bytes?
}

template <class Op, class T>
void vectorized(const T* d_in, typename Op::type* d_result, int n, Workspace& work) {
    todo("6");
    // 6.5  More blocks than fit wait in line; fewer leave room. How many fit? See
    //      cudaOccupancyMaxActiveBlocksPerMultiprocessor, cudaDeviceGetAttribute, cudaDevAttrMultiProcessorCount.
    auto* d_partial = work.get<typename Op::type>(1);
    vectorized_kernel<Op><<<1, kBlock>>>(d_in, d_partial, n);
    CUDA_CHECK(cudaGetLastError());
    vectorized_kernel<Op><<<1, kBlock>>>(d_partial, d_result, 1);
    CUDA_CHECK(cudaGetLastError());
}

// ---- What is graded; leave these lines as they are ----
template void grid_stride<Sum<long long>>(const int*, long long*, int, Workspace&);
template void grid_stride<Max<int>>(const int*, int*, int, Workspace&);
template void grid_stride<Min<int>>(const int*, int*, int, Workspace&);
template void grid_stride<Sum<float>>(const float*, float*, int, Workspace&);
template void grid_stride<Max<float>>(const float*, float*, int, Workspace&);
template void grid_stride<Min<float>>(const float*, float*, int, Workspace&);
template void warp_shuffle<Sum<long long>>(const int*, long long*, int, Workspace&);
template void warp_shuffle<Max<int>>(const int*, int*, int, Workspace&);
template void warp_shuffle<Min<int>>(const int*, int*, int, Workspace&);
template void warp_shuffle<Sum<float>>(const float*, float*, int, Workspace&);
template void warp_shuffle<Max<float>>(const float*, float*, int, Workspace&);
template void warp_shuffle<Min<float>>(const float*, float*, int, Workspace&);
template void vectorized<Sum<long long>>(const int*, long long*, int, Workspace&);
template void vectorized<Max<int>>(const int*, int*, int, Workspace&);
template void vectorized<Min<int>>(const int*, int*, int, Workspace&);
template void vectorized<Sum<float>>(const float*, float*, int, Workspace&);
template void vectorized<Max<float>>(const float*, float*, int, Workspace&);
template void vectorized<Min<float>>(const float*, float*, int, Workspace&);
