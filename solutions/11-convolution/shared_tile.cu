// Task 3, shared_tile: as 2, but a block loads a tile of the image and the halo around it into shared memory, once.
// Each thread has four pixels of the tile, so that it reads a weight once for all four.
#include "border.cuh"
#include "constant_filter.cuh"
#include "convolution.h"

constexpr int kBlockX = 32, kBlockY = 8;
constexpr int kTile = 32;
constexpr int kPerThread = kTile / kBlockY;  // pixels of a thread, kBlockY rows apart

// Launch: a block of kBlockX x kBlockY threads for each kTile x kTile pixels. Shared memory: the tile and its halo.
__global__ void shared_tile_kernel(const float* d_in, float* d_out, int width, int height, int radius, Border border) {
    __shared__ float s_tile[kTile + 2 * kMaxRadius][kTile + 2 * kMaxRadius];
    int left = blockIdx.x * kTile, top = blockIdx.y * kTile, side = kTile + 2 * radius;
    // Load. Only this phase has to know the border.
    for (int ty = threadIdx.y; ty < side; ty += kBlockY) {
        for (int tx = threadIdx.x; tx < side; tx += kBlockX)
            s_tile[ty][tx] = pixel(d_in, left + tx - radius, top + ty - radius, width, height, border);
    }
    __syncthreads();

    // Multiply. The first weight, i = j = -radius, meets in(x - i, y - j), the pixel at the lower right.
    float sum[kPerThread] = {};
    int next = 0;
    for (int j = 2 * radius; j >= 0; --j) {
        for (int i = 2 * radius; i >= 0; --i) {
            float weight = c_filter[next++];
            for (int k = 0; k < kPerThread; ++k)
                sum[k] += weight * s_tile[threadIdx.y + k * kBlockY + j][threadIdx.x + i];
        }
    }

    int x = left + threadIdx.x;
    for (int k = 0; k < kPerThread; ++k) {
        int y = top + threadIdx.y + k * kBlockY;
        if (x < width && y < height) d_out[y * width + x] = sum[k];
    }
}

void shared_tile(const float* d_in, float* d_out, int width, int height, const float* d_filter, int radius,
                 Border border, Workspace&) {
    if (width == 0 || height == 0) return;
    set_filter(d_filter, radius);
    dim3 grid(ceil_div(width, kTile), ceil_div(height, kTile));
    shared_tile_kernel<<<grid, dim3(kBlockX, kBlockY)>>>(d_in, d_out, width, height, radius, border);
    CUDA_CHECK(cudaGetLastError());
}
