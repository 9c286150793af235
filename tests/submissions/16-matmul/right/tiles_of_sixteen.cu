// Style: tiles of 16 x 16 in dynamic shared memory, indices of the thread from one number, products by fmaf
#include "matmul.h"

__global__ void tiles_of_sixteen(const float* a, const float* b, float* c, int rows, int columns, int inner) {
    extern __shared__ float s_memory[];
    float *s_a = s_memory, *s_b = s_memory + 256;
    const int y = threadIdx.x / 16, x = threadIdx.x % 16;
    const int row = blockIdx.x / ((columns + 15) / 16) * 16 + y, column = blockIdx.x % ((columns + 15) / 16) * 16 + x;
    float sum = 0;
    for (int tile = 0; tile * 16 < inner; ++tile) {
        const int k_a = tile * 16 + x, k_b = tile * 16 + y;
        s_a[threadIdx.x] = 0;
        s_b[threadIdx.x] = 0;
        if (row < rows && k_a < inner) s_a[threadIdx.x] = a[row * inner + k_a];
        if (k_b < inner && column < columns) s_b[threadIdx.x] = b[k_b * columns + column];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; ++k) sum = fmaf(s_a[y * 16 + k], s_b[k * 16 + x], sum);
        __syncthreads();
    }
    if (row < rows && column < columns) c[row * columns + column] = sum;
}

void tile(const float* d_a, const float* d_b, float* d_c, int rows, int columns, int inner) {
    const int blocks = (rows + 15) / 16 * ((columns + 15) / 16);
    if (blocks > 0) tiles_of_sixteen<<<blocks, 256, 512 * sizeof(float)>>>(d_a, d_b, d_c, rows, columns, inner);
    CUDA_CHECK(cudaGetLastError());
}
