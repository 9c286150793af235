// Lab 1, square: the one file you edit. Handout: README.md. Then: make lab1 && ./grader
// Pointers h_* are host memory, d_* are device memory; inputs must not change; outputs hold garbage at first.
// Each function is called for many n from 0 up, and is timed from its first line to the end of all its work.
#include "square.h"  // the contract; todo(), CUDA_CHECK, ceil_div

constexpr int kBlock = 256;  // threads in a block

// ---- Task 1, one_block: from host memory to host memory, with a single block ----
// Launch: 1 block of kBlock threads.
__global__ void one_block_kernel(const float* d_in, float* d_out, int n) {
    // 1.1  Thread 0 squares element 0. Which thread squares element 256, if there are 256 threads and no more?
    // 1.2  Write the loop: where does thread threadIdx.x begin, how far does it step, and when does it stop?
}

void one_block(const float* h_in, float* h_out, int n) {
    todo("1");  // take this line out when you start; until then the verdict is SKIP
    // 1.3  The kernel cannot read h_in: it needs arrays in device memory, and these two point nowhere yet. How many
    //      bytes is each? CUDA_CHECK(cudaMalloc(&d_in, bytes)) gets them.
    const std::size_t bytes = 0;
    float* d_in = nullptr;
    float* d_out = nullptr;
    CUDA_CHECK(cudaMemcpy(d_in, h_in, bytes, cudaMemcpyHostToDevice));  // to, from, bytes, direction
    one_block_kernel<<<1, kBlock>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());  // a launch gives no result: this asks whether it was accepted
    // 1.4  The launch returns at once, before the kernel is done. Why may the next line copy all the same?
    CUDA_CHECK(cudaMemcpy(h_out, d_out, bytes, cudaMemcpyDeviceToHost));
    // 1.5  What was allocated has to be freed with cudaFree. What happens in a program that calls this 10,000 times?
}

// ---- Task 2, grid: one thread for each element ----
// Launch: blocks of kBlock threads, enough of them for n elements.
__global__ void grid_kernel(const float* d_in, float* d_out, int n) {
    // 2.1  blockIdx.x blocks of blockDim.x threads come before this one. Which element is this thread's?
    // 2.2  The last block may have more threads than there are elements left. What do those do?
}

void grid(const float* d_in, float* d_out, int n) {
    todo("2");
    // 2.3  How many blocks do 256 elements need? And 257? (ceil_div)
    // 2.4  And 0? A launch of 0 blocks is an error.
    grid_kernel<<<1, kBlock>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 3, grid_stride: as many threads as the device runs at once, many elements for each ----
// Launch: a few blocks of kBlock threads for each multiprocessor (SM), no more than n needs.
__global__ void grid_stride_kernel(const float* d_in, float* d_out, int n) {
    // 3.1  This is the loop of task 1, for all threads of the grid. How many are there: how far does each step?
    // 3.2  Why does a thread not take 32 elements that lie side by side? Think of what a warp reads at once.
}

void grid_stride(const float* d_in, float* d_out, int n) {
    todo("3");
    // 3.3  cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0) counts the SMs of device 0.
    //      An SM holds 1024 threads or more: how many blocks of kBlock keep it busy?
    grid_stride_kernel<<<1, kBlock>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 4, vectorized: four elements with one load and one store ----
// Launch: as task 3, for a quarter of the elements.
__global__ void vectorized_kernel(const float* d_in, float* d_out, int n) {
    // 4.1  A float4 must lie on a 16-byte boundary. How many floats come before the first boundary, given d_in?
    //      (reinterpret_cast<std::uintptr_t>(d_in) is its address.) What if n is less than that?
    // 4.2  How many whole float4 follow, and how many floats are left over behind them?
    // 4.3  The float4 are the body: a grid-stride loop. Who squares the few floats before and behind it?
}

void vectorized(const float* d_in, float* d_out, int n) {
    todo("4");
    // 4.4  How many threads have something to do when n is 1? And when it is 0?
    vectorized_kernel<<<1, kBlock>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}
