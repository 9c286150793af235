// Style: parameters: __grid_constant__, a struct of 3 KiB by value, extern "C" kernels, default
// arguments, three-dimensional grids and blocks, a kernel with no parameters.
#include "square.h"

struct Everything {
    const float* in;
    float* out;
    int n;
    float table[700];
};

extern "C" __global__ void square_all(const __grid_constant__ Everything e) {
    int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    int i = block * (blockDim.x * blockDim.y * blockDim.z) + thread;
    if (i < e.n) e.out[i] = e.in[i] * e.in[i] * e.table[i % 700];
}

__global__ void nothing() {}

void launch(const float* in, float* out, int n, dim3 block = dim3(8, 8, 4)) {
    Everything e{in, out, n, {}};
    for (float& x : e.table) x = 1;
    int blocks = ceil_div(n, static_cast<int>(block.x * block.y * block.z));
    int side = 1;
    while (side * side * side < blocks) ++side;
    nothing<<<1, 1>>>();
    square_all<<<dim3(side, side, ceil_div(blocks, side * side)), block>>>(e);
    CUDA_CHECK(cudaGetLastError());
}

void grid(const float* d_in, float* d_out, int n) {
    if (n > 0) launch(d_in, d_out, n);
}
