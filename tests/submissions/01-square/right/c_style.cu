/* Style: C. Macros, declarations first, goto for errors, 2D blocks in a 2D grid, 1024 and 96 threads. */
#include <stdio.h>
#include <stdlib.h>

#include "square.h"

#define THREADS_X 32
#define THREADS_Y 32
#define ELEMS 96

__global__ void square2d(const float* in, float* out, int n) {
    int block, thread, i;
    block = blockIdx.y * gridDim.x + blockIdx.x;
    thread = threadIdx.y * blockDim.x + threadIdx.x;
    i = block * (blockDim.x * blockDim.y) + thread;
    if (i < n) out[i] = in[i] * in[i];
}

static __global__ void square1d(float* x, int n) {
    int i;
    for (i = threadIdx.x; i < n; i += ELEMS) x[i] = x[i] * x[i];
}

void one_block(const float* h_in, float* h_out, int n) {
    float* dev = NULL;
    cudaError_t err;
    size_t size = (size_t)n * sizeof(float);

    err = cudaMalloc((void**)&dev, size);
    if (err != cudaSuccess) goto fail;
    err = cudaMemcpy(dev, h_in, size, cudaMemcpyHostToDevice);
    if (err != cudaSuccess) goto fail;
    square1d<<<1, ELEMS>>>(dev, n);
    err = cudaGetLastError();
    if (err != cudaSuccess) goto fail;
    err = cudaDeviceSynchronize();
    if (err != cudaSuccess) goto fail;
    err = cudaMemcpy(h_out, dev, size, cudaMemcpyDeviceToHost);
    if (err != cudaSuccess) goto fail;
    cudaFree(dev);
    return;

fail:
    fprintf(stderr, "CUDA error: %s\n", cudaGetErrorString(err));
    exit(EXIT_FAILURE);
}

void grid(const float* d_in, float* d_out, int n) {
    dim3 block(THREADS_X, THREADS_Y, 1), grid;
    int blocks = (n + THREADS_X * THREADS_Y - 1) / (THREADS_X * THREADS_Y);
    if (n <= 0) return;
    grid.x = blocks < 64 ? blocks : 64;
    grid.y = (blocks + grid.x - 1) / grid.x;
    grid.z = 1;
    square2d<<<grid, block>>>(d_in, d_out, n);
    CUDA_CHECK(cudaPeekAtLastError());
}
