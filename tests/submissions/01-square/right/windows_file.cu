// Style: the solution's idea in a file from Windows: CRLF line ends and a byte order mark, \
   with a continued comment, a space in its name, and a macro over two lines.
#include "square.h"

#define SQUARE(x) ((x) * (x))

__global__ void square(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = SQUARE(in[i]);
}

__global__ void square_all(float* x, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = SQUARE(x[i]);
}

void one_block(const float* h_in, float* h_out, int n) {
    float* d_x = nullptr;
    CUDA_CHECK(cudaMalloc(&d_x, n * sizeof(float)));
    CUDA_CHECK(cudaMemcpy(d_x, h_in, n * sizeof(float), cudaMemcpyHostToDevice));
    square_all<<<1, 256>>>(d_x, n);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(h_out, d_x, n * sizeof(float), cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(d_x));
}

void grid(const float* d_in, float* d_out, int n) {
    if (n == 0) return;
    square<<<ceil_div(n, 256), 256>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}
