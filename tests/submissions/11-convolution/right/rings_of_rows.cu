// Style: each warp works alone: a strip of 32 columns slides down the image over a ring of rows in volatile shared
// memory, with __syncwarp() only; both passes in one kernel; macros for the ring; weights by shuffle from registers.
#include "convolution.h"

#define RING (kMaxSize + 1)
#define WARPS 4
#define ROW(y) (((y) + RING * 8) % RING)

__device__ int where(int i, int length, Border border) {
    if (i >= 0 && i < length) return i;
    switch (border) {
        case Border::clamp:
            return i < 0 ? 0 : length - 1;
        case Border::wrap:
            return ((i % length) + length) % length;
        default:
            return -1;
    }
}

__global__ void __launch_bounds__(32 * WARPS)
    slide(const float* in, float* out, int width, int height, const float* row, const float* column, int radius,
          Border border, int strip) {
    __shared__ float s_wide[WARPS][32 + 2 * kMaxRadius], s_ring[WARPS][RING][32];
    int lane = threadIdx.x, warp = threadIdx.y, left = (blockIdx.x * WARPS + warp) * 32, size = 2 * radius + 1;
    if (left >= width) return;  // the whole warp
    volatile float* wide = s_wide[warp];
    volatile float(*ring)[32] = s_ring[warp];
    float across = lane < size ? row[lane] : 0, down = lane < size ? column[lane] : 0;
    int top = blockIdx.y * strip, bottom = min(top + strip, height);
    for (int y = top - radius; y < bottom + radius; ++y) {
        int from = where(y, height, border);
        for (int k = lane; k < 32 + 2 * radius; k += 32) {
            int x = from < 0 ? -1 : where(left - radius + k, width, border);
            wide[k] = x < 0 ? 0 : in[static_cast<size_t>(from) * width + x];
        }
        __syncwarp();
        float sum = 0;
        for (int i = 0; i < size; ++i) sum += __shfl_sync(~0u, across, i) * wide[lane + 2 * radius - i];
        ring[ROW(y)][lane] = sum;
        __syncwarp();
        if (y < top + radius) continue;
        float result = 0;
        for (int j = 0; j < size; ++j) result += __shfl_sync(~0u, down, j) * ring[ROW(y - j)][lane];
        if (left + lane < width) out[static_cast<size_t>(y - radius) * width + left + lane] = result;
    }
}

void separable(const float* d_in, float* d_out, int width, int height, const float* d_row, const float* d_column,
               int radius, Border border, Workspace&) {
    if (!width || !height) return;
    int strip = max(64, ceil_div(height, 65535));
    slide<<<dim3(ceil_div(width, 32 * WARPS), ceil_div(height, strip)), dim3(32, WARPS)>>>(
        d_in, d_out, width, height, d_row, d_column, radius, border, strip);
    CUDA_CHECK(cudaGetLastError());
}
