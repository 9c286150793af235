// Lab 1, square: the one file you edit. Handout: README.md, contract: square.h. Then: make lab1 && ./grader
#include "square.h"  // the contract; todo(), CUDA_CHECK, ceil_div

constexpr int kBlock = 256;  // threads in a block

// ---- Task 1, one_block: from host memory to host memory, with a single block of kBlock threads ----
__global__ void one_block_kernel(const float* d_in, float* d_out, int n) {
    // 1.1  Thread 0 squares element 0. Which thread squares element 256? So how large is the step of a thread's loop?
}

void one_block(const float* h_in, float* h_out, int n) {
    todo("1");                    // take this line out when you start; until then the verdict is SKIP
    const std::size_t bytes = 0;  // not right yet: how many bytes do n floats take?
    float* d_in = nullptr;        // not right yet: CUDA_CHECK(cudaMalloc(&d_in, bytes)) allocates device memory
    float* d_out = nullptr;       // not right yet; and without cudaFree at the end, both stay allocated
    CUDA_CHECK(cudaMemcpy(d_in, h_in, bytes, cudaMemcpyHostToDevice));  // to, from, bytes, direction
    one_block_kernel<<<1, kBlock>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());  // a launch returns nothing: this asks whether it was accepted
    // 1.2  The launch returns before the kernel is done. Why may the next line copy the result nevertheless?
    CUDA_CHECK(cudaMemcpy(h_out, d_out, bytes, cudaMemcpyDeviceToHost));
}

// ---- Task 2, grid: one thread for each element, in as many blocks of kBlock threads as that takes ----
__global__ void grid_kernel(const float* d_in, float* d_out, int n) {
    // 2.1  blockIdx.x blocks of blockDim.x threads come before this one. Which element is this thread's, if any?
}

void grid(const float* d_in, float* d_out, int n) {
    todo("2");
    grid_kernel<<<1, kBlock>>>(d_in, d_out, n);  // not right yet: how many blocks for n = 256, 257, 0? (ceil_div)
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 3, grid_stride: as many threads as the device runs at once, but no more than n needs ----
__global__ void grid_stride_kernel(const float* d_in, float* d_out, int n) {
    // 3.1  This is the loop of task 1, shared by all threads of the grid: how large is its step?
}

void grid_stride(const float* d_in, float* d_out, int n) {
    todo("3");
    // 3.2  cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0) counts SMs. How many blocks fill them?
    grid_stride_kernel<<<1, kBlock>>>(d_in, d_out, n);  // not right yet: 1 block
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 4, vectorized: four elements with one load and one store; otherwise as task 2 ----
__global__ void vectorized_kernel(const float* d_in, float* d_out, int n) {
    // 4.1  reinterpret_cast<std::uintptr_t>(d_in) is d_in's address. How many floats come before a multiple of 16?
    // 4.2  Which threads square the few floats before and after the whole float4? And if n is smaller than that?
}

void vectorized(const float* d_in, float* d_out, int n) {
    todo("4");
    vectorized_kernel<<<1, kBlock>>>(d_in, d_out, n);  // not right yet: 1 block; how many for n = 1, n = 0?
    CUDA_CHECK(cudaGetLastError());
}
