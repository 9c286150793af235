// Style: warp primitives of every kind: __shfl_up_sync and __activemask; inline PTX with a
// predicate from shfl.
#include "scan.h"

// shfl.up gives a predicate: whether there was a lane to read from.
__device__ __forceinline__ int add_if_there(int x, int distance) {
    int result;
    asm volatile(
        "{\n\t"
        ".reg .pred p;\n\t"
        ".reg .s32 other;\n\t"
        "shfl.sync.up.b32 other|p, %1, %2, 0x0, 0xffffffff;\n\t"
        "mov.s32 %0, %1;\n\t"
        "@p add.s32 %0, other, %0;\n\t"
        "}"
        : "=&r"(result)
        : "r"(x), "r"(distance));
    return result;
}

__device__ int scan_warp(int x) {
#pragma unroll
    for (int distance = 1; distance <= 16; distance <<= 1) x = add_if_there(x, distance);
    return x;
}

template <bool inclusive>
__global__ void __launch_bounds__(kTile) scan_tiles(const int* in, int* out, int n) {
    __shared__ int s_sums[kTile / 32];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, i = blockIdx.x * kTile + threadIdx.x;
    int x = i < n ? in[i] : 0, sum = scan_warp(x);
    if (lane == 31) s_sums[warp] = sum;
    __syncthreads();
    int before = s_sums[lane];
    before = scan_warp(before) - before;
    before = __shfl_sync(__activemask(), before, warp);
    if (i < n) out[i] = before + sum - (inclusive ? 0 : x);
}

void hillis_steele(const int* d_in, int* d_out, int n, Workspace&) {
    if (n == 0) return;
    scan_tiles<true><<<ceil_div(n, kTile), kTile>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}

void blelloch(const int* d_in, int* d_out, int n, Workspace&) {
    if (n == 0) return;
    scan_tiles<false><<<ceil_div(n, kTile), kTile>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}
