// Style: no shared memory: a warp holds a tile in registers and turns it round with shuffles, a bit of the index at a time
#include "transpose.h"

// Element r of lane c becomes element c of lane r. In step `bit`, the halves of the tile that differ in this bit of row
// and lane change places.
__device__ void turn_registers(float (&row)[32]) {
    const int lane = threadIdx.x;
#pragma unroll
    for (int bit = 16; bit > 0; bit /= 2) {
        const bool upper = (lane & bit) != 0;
#pragma unroll
        for (int r = 0; r < 32; ++r) {
            if ((r & bit) != 0) continue;
            const float sent = upper ? row[r] : row[r + bit];
            const float got = __shfl_xor_sync(0xffffffff, sent, bit);
            if (upper)
                row[r] = got;
            else
                row[r + bit] = got;
        }
    }
}

__global__ void turn_by_warps(const float* in, float* out, int side) {
    const int left = blockIdx.x * 32, top = (blockIdx.y * blockDim.y + threadIdx.y) * 32, lane = threadIdx.x;
    float row[32];
#pragma unroll
    for (int r = 0; r < 32; ++r) row[r] = top + r < side && left + lane < side ? in[(top + r) * side + left + lane] : 0;
    turn_registers(row);
#pragma unroll
    for (int r = 0; r < 32; ++r)
        if (left + r < side && top + lane < side) out[(left + r) * side + top + lane] = row[r];
}

static void by_warps(const float* d_in, float* d_out, int side) {
    if (side == 0) return;
    turn_by_warps<<<dim3(ceil_div(side, 32), ceil_div(side, 128)), dim3(32, 4)>>>(d_in, d_out, side);
    CUDA_CHECK(cudaGetLastError());
}

void padded(const float* d_in, float* d_out, int side) { by_warps(d_in, d_out, side); }
void swizzled(const float* d_in, float* d_out, int side) { by_warps(d_in, d_out, side); }
