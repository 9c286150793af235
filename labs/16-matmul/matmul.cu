// Lab 16, matmul: the one file you edit. Handout: README.md. Then: make lab16 && ./grader
#include "matmul.h"  // the contract; todo(), CUDA_CHECK, ceil_div

constexpr int kBlock = 256;  // threads in a block

// ---- Task 1, naive: FILL IN: what it computes, and how ----
__global__ void naive_kernel(const int* d_in, int* d_out, int n) {
    // 1.1  Which element is this thread's, if any?
}

void naive(const int* d_in, int* d_out, int n) {
    todo("1");
    naive_kernel<<<1, kBlock>>>(d_in, d_out, n);  // not right yet: how many blocks?
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 2, tile: FILL IN: what it computes, and how ----
__global__ void tile_kernel(const int* d_in, int* d_out, int n) {
    // 2.1  Which element is this thread's, if any?
}

void tile(const int* d_in, int* d_out, int n) {
    todo("2");
    tile_kernel<<<1, kBlock>>>(d_in, d_out, n);  // not right yet: how many blocks?
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 3, register_tile: FILL IN: what it computes, and how ----
__global__ void register_tile_kernel(const int* d_in, int* d_out, int n) {
    // 3.1  Which element is this thread's, if any?
}

void register_tile(const int* d_in, int* d_out, int n) {
    todo("3");
    register_tile_kernel<<<1, kBlock>>>(d_in, d_out, n);  // not right yet: how many blocks?
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 4, vectorized: FILL IN: what it computes, and how ----
__global__ void vectorized_kernel(const int* d_in, int* d_out, int n) {
    // 4.1  Which element is this thread's, if any?
}

void vectorized(const int* d_in, int* d_out, int n) {
    todo("4");
    vectorized_kernel<<<1, kBlock>>>(d_in, d_out, n);  // not right yet: how many blocks?
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 5, occupancy: FILL IN: what it computes, and how ----
__global__ void occupancy_kernel(const int* d_in, int* d_out, int n) {
    // 5.1  Which element is this thread's, if any?
}

void occupancy(const int* d_in, int* d_out, int n) {
    todo("5");
    occupancy_kernel<<<1, kBlock>>>(d_in, d_out, n);  // not right yet: how many blocks?
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 6, mixed: FILL IN: what it computes, and how ----
__global__ void mixed_kernel(const int* d_in, int* d_out, int n) {
    // 6.1  Which element is this thread's, if any?
}

void mixed(const int* d_in, int* d_out, int n) {
    todo("6");
    mixed_kernel<<<1, kBlock>>>(d_in, d_out, n);  // not right yet: how many blocks?
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 7, tensor_cores: FILL IN: what it computes, and how ----
__global__ void tensor_cores_kernel(const int* d_in, int* d_out, int n) {
    // 7.1  Which element is this thread's, if any?
}

void tensor_cores(const int* d_in, int* d_out, int n) {
    todo("7");
    tensor_cores_kernel<<<1, kBlock>>>(d_in, d_out, n);  // not right yet: how many blocks?
    CUDA_CHECK(cudaGetLastError());
}
