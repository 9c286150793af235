// Style: half precision where it is exact: ranks within a tile of 256 are whole numbers up to 256, in __half2 pairs.
#include <cuda_fp16.h>

#include "compact.h"

constexpr int kItems = 256;

// Each thread has two elements; a pair of their counts is a __half2.
__device__ __half2 scan_pairs(__half2 own) {
    __shared__ __half s_warps[kItems / 64];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    __half both = __hadd(__low2half(own), __high2half(own)), sum = both;
    for (int distance = 1; distance < 32; distance *= 2) {
        __half left = __shfl_up_sync(0xffffffff, sum, distance);
        if (lane >= distance) sum = sum + left;
    }
    if (lane == 31) s_warps[warp] = sum;
    __syncthreads();
    __half before = __float2half(0.0f);
    for (int w = 0; w < warp; ++w) before += s_warps[w];
    __half first = __hsub(__hadd(before, sum), both);
    return __halves2half2(first, first + __low2half(own));
}

template <class T, class Keep>
__global__ void count_tiles(const T* in, int* counts, int n, Keep keep) {
    int i = blockIdx.x * kItems + 2 * threadIdx.x;
    int count = __syncthreads_count(i < n && keep(in[i])) + __syncthreads_count(i + 1 < n && keep(in[i + 1]));
    if (threadIdx.x == 0) counts[blockIdx.x] = count;
}

template <class T, class Keep>
__global__ void scatter_tiles(const T* in, const int* offsets, T* out, int* total, int n, Keep keep) {
    int i = blockIdx.x * kItems + 2 * threadIdx.x;
    bool first = i < n && keep(in[i]), second = i + 1 < n && keep(in[i + 1]);
    __half2 rank = scan_pairs(__floats2half2_rn(first ? 1.0f : 0.0f, second ? 1.0f : 0.0f));
    T* here = out + offsets[blockIdx.x];
    if (first) here[__half2int_rn(__low2half(rank))] = in[i];
    if (second) here[__half2int_rn(__high2half(rank))] = in[i + 1];
    if (i == 0) *total = offsets[gridDim.x];
}

template <class T, class Keep>
void fused(const T* d_in, T* d_out, int* d_count, int n, Keep keep, Workspace& work) {
    CUDA_CHECK(cudaMemsetAsync(d_count, 0, sizeof *d_count));
    if (n == 0) return;
    int tiles = ceil_div(n, kItems);
    int* d_counts = work.get<int>(tiles + 1);
    count_tiles<<<tiles, kItems / 2>>>(d_in, d_counts, n, keep);
    CUDA_CHECK(cudaGetLastError());
    primitives::exclusive_sum(d_counts, d_counts, tiles, work);
    scatter_tiles<<<tiles, kItems / 2>>>(d_in, d_counts, d_out, d_count, n, keep);
    CUDA_CHECK(cudaGetLastError());
}

template void fused(const int*, int*, int*, int, IsPositive, Workspace&);
template void fused(const unsigned char*, unsigned char*, int*, int, IsDiamond, Workspace&);
template void fused(const float*, float*, int*, int, IsAbove, Workspace&);
