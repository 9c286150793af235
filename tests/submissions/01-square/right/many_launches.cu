// Style: many small kernels in a row; kernels made by a macro; cudaLaunchKernel with an array of arguments.
#include "square.h"

#define SQUARE_KERNEL(ITEMS)                                             \
    __global__ void square_##ITEMS(const float* in, float* out, int n) { \
        int first = (blockIdx.x * blockDim.x + threadIdx.x);             \
        for (int k = 0; k < ITEMS; ++k) {                                \
            int i = first + k * gridDim.x * blockDim.x;                  \
            if (i < n) out[i] = in[i] * in[i];                           \
        }                                                                \
    }
SQUARE_KERNEL(1)
SQUARE_KERNEL(2)
SQUARE_KERNEL(4)

void grid(const float* d_in, float* d_out, int n) {
    constexpr int kPiece = 1 << 17;
    for (int first = 0; first < n; first += kPiece) {
        int count = n - first < kPiece ? n - first : kPiece;
        square_1<<<ceil_div(count, 256), 256>>>(d_in + first, d_out + first, count);
        CUDA_CHECK(cudaGetLastError());
    }
}

void grid_stride(const float* d_in, float* d_out, int n) {
    if (n == 0) return;
    void* arguments[] = {&d_in, &d_out, &n};
    auto* kernel = n % 2 == 0 ? square_2 : square_4;
    int items = n % 2 == 0 ? 2 : 4;
    CUDA_CHECK(cudaLaunchKernel(kernel, dim3(ceil_div(n, items * 256)), dim3(256), arguments, 0, nullptr));
}
