// verdict: WA or CHECK task=blelloch max_n=5000
// because: race in shared memory
// The barriers stand behind the steps, and the one before the first is missing.
#include "scan.h"

__host__ __device__ constexpr int padded(int i) { return i + i / 32; }

__global__ void blelloch_kernel(const int* d_in, int* d_out, int n) {
    __shared__ int s_tile[padded(kTile)];
    int t = threadIdx.x;
    int first = blockIdx.x * kTile;
    for (int k = t; k < kTile; k += kTile / 2) s_tile[padded(k)] = first + k < n ? d_in[first + k] : 0;
    for (int stride = 1; stride < kTile; stride *= 2) {
        if (t < kTile / 2 / stride) {
            int right = (2 * t + 2) * stride - 1;
            s_tile[padded(right)] += s_tile[padded(right - stride)];
        }
        __syncthreads();
    }
    if (t == 0) s_tile[padded(kTile - 1)] = 0;
    for (int stride = kTile / 2; stride > 0; stride /= 2) {
        __syncthreads();
        if (t < kTile / 2 / stride) {
            int right = (2 * t + 2) * stride - 1;
            int left = right - stride;
            int before = s_tile[padded(right)];
            s_tile[padded(right)] = before + s_tile[padded(left)];
            s_tile[padded(left)] = before;
        }
    }
    __syncthreads();
    for (int k = t; k < kTile; k += kTile / 2) {
        if (first + k < n) d_out[first + k] = s_tile[padded(k)];
    }
}

void blelloch(const int* d_in, int* d_out, int n, Workspace&) {
    if (n == 0) return;
    blelloch_kernel<<<ceil_div(n, kTile), kTile / 2>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}
