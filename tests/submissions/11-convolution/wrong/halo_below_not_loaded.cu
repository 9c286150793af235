// A tile with its halo has more rows than the block has threads.
#include "convolution.h"
__device__ int at(int i, int n, Border border) {
    if (i >= 0 && i < n) return i;
    if (border == Border::clamp) return i < 0 ? 0 : n - 1;
    if (border == Border::wrap) return (i % n + n) % n;
    return -1;
}

__constant__ float weights[kMaxSize * kMaxSize];
constexpr int kT = 16;
__global__ void tiled(const float* in, float* out, int w, int h, int radius, Border border) {
    __shared__ float tile[kT + 2 * kMaxRadius][kT + 2 * kMaxRadius];
    int side = kT + 2 * radius;
    int x0 = blockIdx.x * kT, y0 = blockIdx.y * kT;
    for (int ty = threadIdx.y; ty < kT; ty += kT)
        for (int tx = threadIdx.x; tx < side; tx += kT) {
            int sx = at(x0 + tx - radius, w, border), sy = at(y0 + ty - radius, h, border);
            tile[ty][tx] = sx >= 0 && sy >= 0 ? in[sy * w + sx] : 0.0f;
        }
    __syncthreads();
    int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
    if (x >= w || y >= h) return;
    float acc = 0;
    int size = 2 * radius + 1;
    for (int j = 0; j < size; j++)
        for (int i = 0; i < size; i++)
            acc += weights[j * size + i] * tile[threadIdx.y + 2 * radius - j][threadIdx.x + 2 * radius - i];
    out[y * w + x] = acc;
}
void shared_tile(const float* d_in, float* d_out, int width, int height, const float* d_filter, int radius,
                 Border border, Workspace&) {
    if (width == 0 || height == 0) return;
    int size = 2 * radius + 1;
    CUDA_CHECK(cudaMemcpyToSymbolAsync(weights, d_filter, size * size * sizeof(float), 0, cudaMemcpyDeviceToDevice));
    dim3 block(kT, kT), grid(ceil_div(width, kT), ceil_div(height, kT));
    tiled<<<grid, block>>>(d_in, d_out, width, height, radius, border);
    CUDA_CHECK(cudaGetLastError());
}
