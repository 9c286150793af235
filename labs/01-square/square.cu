// Lab 1, square: the one file you edit. Handout: README.md. Then: make lab1 && ./grader
// Pointers h_* are host memory, d_* device memory. Inputs must not change; outputs hold garbage at first.
// Calls start at n = 0, and all that they do is timed.
#include "square.h"  // the contract; todo(), CUDA_CHECK, ceil_div

constexpr int kBlock = 256;  // threads in a block

// ---- Task 1, one_block: from host memory to host memory, with a single block ----
// Launch: 1 block of kBlock threads.
__global__ void one_block_kernel(const float* d_in, float* d_out, int n) {
    // 1.1  There are 256 threads, and thread 0 squares element 0. Which thread squares element 256?
    // 1.2  So each thread needs a loop: where does it begin, how far is a step, and when does it stop?
}

void one_block(const float* h_in, float* h_out, int n) {
    todo("1");                    // take this line out when you start; until then the verdict is SKIP
    const std::size_t bytes = 0;  // not right yet: how many bytes do n floats take?
    float* d_in = nullptr;        // not right yet: CUDA_CHECK(cudaMalloc(&d_in, bytes)) allocates device memory
    float* d_out = nullptr;       // not right yet
    CUDA_CHECK(cudaMemcpy(d_in, h_in, bytes, cudaMemcpyHostToDevice));  // to, from, bytes, direction
    one_block_kernel<<<1, kBlock>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());  // a launch returns nothing: this asks whether it was accepted
    // 1.3  The launch returns before the kernel is done. Why may the next line copy the result all the same?
    CUDA_CHECK(cudaMemcpy(h_out, d_out, bytes, cudaMemcpyDeviceToHost));
    // 1.4  cudaFree frees what cudaMalloc allocated. What happens without it, when this is called 10,000 times?
}

// ---- Task 2, grid: one thread for each element ----
// Launch: as many blocks of kBlock threads as n elements need.
__global__ void grid_kernel(const float* d_in, float* d_out, int n) {
    // 2.1  blockIdx.x blocks of blockDim.x threads come before this block. Which element is this thread's?
    // 2.2  The last block may have more threads than there are elements left. What do those threads do?
}

void grid(const float* d_in, float* d_out, int n) {
    todo("2");
    // 2.3  How many blocks do 256 elements need? And 257, and 0? (ceil_div; a launch of 0 blocks is an error)
    grid_kernel<<<1, kBlock>>>(d_in, d_out, n);  // not right yet: 1 block
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 3, grid_stride: as many threads as the device runs at once, many elements for each ----
// Launch: a few blocks of kBlock threads for each multiprocessor (SM), no more than n needs.
__global__ void grid_stride_kernel(const float* d_in, float* d_out, int n) {
    // 3.1  This is the loop of task 1, for all threads of the grid. How many threads are there, so how far is a step?
    // 3.2  Why does a thread not take 32 elements that lie side by side? Think of what a warp reads at once.
}

void grid_stride(const float* d_in, float* d_out, int n) {
    todo("3");
    // 3.3  cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0) counts the SMs of device 0.
    //      An SM runs 1024 threads or more at once: how many blocks of kBlock threads keep all SMs busy?
    grid_stride_kernel<<<1, kBlock>>>(d_in, d_out, n);  // not right yet: 1 block
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 4, vectorized: four elements with one load and one store ----
// Launch: as task 3, for a quarter of the elements.
__global__ void vectorized_kernel(const float* d_in, float* d_out, int n) {
    // 4.1  A float4 must lie at a multiple of 16 bytes; reinterpret_cast<std::uintptr_t>(d_in) is the address of d_in.
    //      How many floats come before the first such place? And if n is smaller than that?
    // 4.2  How many whole float4 follow, and how many floats are left after them?
    // 4.3  A grid-stride loop takes the float4. Which threads square the few floats before and after them?
}

void vectorized(const float* d_in, float* d_out, int n) {
    todo("4");
    // 4.4  How many blocks does n = 1 need, which has no whole float4? And n = 0?
    vectorized_kernel<<<1, kBlock>>>(d_in, d_out, n);  // not right yet: 1 block
    CUDA_CHECK(cudaGetLastError());
}
