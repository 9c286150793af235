// Style: blocks of one dimension, a grid-stride loop, element numbers in size_t, the rows of B by pointers
#include "matmul.h"

__global__ void elements(const float* d_a, const float* d_b, float* d_c, size_t count, size_t columns, size_t inner) {
    for (size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; i < count; i += size_t{gridDim.x} * blockDim.x) {
        const float *a = d_a + i / columns * inner, *b = d_b + i % columns;
        float sum = 0.0f;
        for (const float* end = a + inner; a != end; ++a, b += columns) sum = fmaf(*a, *b, sum);
        d_c[i] = sum;
    }
}

void naive(const float* d_a, const float* d_b, float* d_c, int rows, int columns, int inner) {
    const size_t count = size_t(rows) * columns;
    if (count == 0) return;
    const unsigned blocks = count < 65536 ? (count + 255) / 256 : 256;
    elements<<<blocks, 256>>>(d_a, d_b, d_c, count, columns, inner);
    CUDA_CHECK(cudaGetLastError());
}
