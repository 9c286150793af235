// Task 3, blelloch: as 2, but the additions form a tree: about two an element, whatever the size of the tile.
// (Guy Blelloch, "Prefix sums and their applications", 1990.)
#include "padding.cuh"
#include "scan.h"

constexpr int kPairs = kTile / 2;
constexpr int kWarpStride = kPairs / 32;  // from this stride on, one warp has all the pairs

// The right end of pair t gets the sum of both halves.
__device__ void up(int* s_tile, int t, int stride) {
    int right = (2 * t + 2) * stride - 1;
    s_tile[padded(right)] += s_tile[padded(right - stride)];
}

// A node passes the sum of all before it to its left half; its right half gets that plus the left half's sum.
__device__ void down(int* s_tile, int t, int stride) {
    int right = (2 * t + 2) * stride - 1;
    int left = right - stride;
    int before = s_tile[padded(right)];
    s_tile[padded(right)] = before + s_tile[padded(left)];
    s_tile[padded(left)] = before;
}

// Launch: a block of kPairs threads for each tile. Shared memory: one tile, padded.
__global__ void blelloch_kernel(const int* d_in, int* d_out, int n) {
    __shared__ int s_tile[padded(kTile)];
    int t = threadIdx.x;
    int first = blockIdx.x * kTile;
    for (int k = t; k < kTile; k += kPairs) s_tile[padded(k)] = first + k < n ? d_in[first + k] : 0;

    // Up-sweep, until one warp has all the pairs.
    for (int stride = 1; stride < kWarpStride; stride *= 2) {
        __syncthreads();
        if (t < kPairs / stride) up(s_tile, t, stride);
    }
    __syncthreads();

    // The first warp goes up to the root and down again: its lanes wait for each other only.
    if (t < 32) {
        for (int stride = kWarpStride; stride < kTile; stride *= 2) {
            if (t < kPairs / stride) up(s_tile, t, stride);
            __syncwarp();
        }
        if (t == 0) s_tile[padded(kTile - 1)] = 0;
        for (int stride = kPairs; stride >= kWarpStride; stride /= 2) {
            __syncwarp();
            if (t < kPairs / stride) down(s_tile, t, stride);
        }
    }

    for (int stride = kWarpStride / 2; stride > 0; stride /= 2) {
        __syncthreads();
        if (t < kPairs / stride) down(s_tile, t, stride);
    }
    __syncthreads();
    for (int k = t; k < kTile; k += kPairs) {
        if (first + k < n) d_out[first + k] = s_tile[padded(k)];
    }
}

void blelloch(const int* d_in, int* d_out, int n, Workspace&) {
    if (n == 0) return;
    blelloch_kernel<<<ceil_div(n, kTile), kPairs>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}
