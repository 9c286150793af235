// Rung 3, blelloch: as 2, but the additions form a tree: about two an element, whatever the size of the tile.
// (Guy Blelloch, "Prefix sums and their applications", 1990.)
#include "padding.cuh"
#include "scan.h"

constexpr int kPairs = kTile / 2;

// Launch: a block of kPairs threads for each tile. Shared memory: one tile, padded.
__global__ void blelloch_kernel(const int* d_in, int* d_out, int n) {
    __shared__ int s_tile[padded(kTile)];
    int t = threadIdx.x;
    int first = blockIdx.x * kTile;
    for (int k = t; k < kTile; k += kPairs) s_tile[padded(k)] = first + k < n ? d_in[first + k] : 0;

    // Up-sweep: the right end of each pair of ranges gets the sum of both.
    for (int stride = 1; stride < kTile; stride *= 2) {
        __syncthreads();
        if (t < kPairs / stride) {
            int right = (2 * t + 2) * stride - 1;
            s_tile[padded(right)] += s_tile[padded(right - stride)];
        }
    }

    // Down-sweep: a range that knows what came before it tells its left half; the right half has the left one more.
    if (t == 0) s_tile[padded(kTile - 1)] = 0;
    for (int stride = kPairs; stride > 0; stride /= 2) {
        __syncthreads();
        if (t < kPairs / stride) {
            int right = (2 * t + 2) * stride - 1;
            int left = right - stride;
            int before = s_tile[padded(right)];
            s_tile[padded(right)] = before + s_tile[padded(left)];
            s_tile[padded(left)] = before;
        }
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
