// Lab 1, square: the ladder. Each rung's comment says only what changed from the one before.
// Speeds: bytes that must move a second, on an NVIDIA H200 at n = 2^24 (docs/times-h200.md).
//
// rung               H200  idea
// one_block      3.6 GB/s  one block for all: allocate, copy, launch, copy back
// grid         1,760 GB/s  a thread for each element
// grid_stride  2,129 GB/s  as many threads as run at once, each with many elements
// vectorized   2,277 GB/s  four elements in one load and one store
#include "square.h"

#include <algorithm>
#include <cstdint>

namespace {

constexpr int kBlock = 256;      // threads in a block
constexpr int kBlocksPerSm = 8;  // 2048 threads: what an SM of a large GPU holds

// ---- one_block ----
// Launch: 1 block of kBlock threads.
__global__ void one_block_kernel(const float* d_in, float* d_out, int n) {
    // Neighbouring threads take neighbouring elements, so that a warp reads 128 bytes in one piece.
    for (int i = threadIdx.x; i < n; i += blockDim.x) d_out[i] = d_in[i] * d_in[i];
}

// ---- grid: no loop; the blocks share the elements ----
// Launch: ceil(n / kBlock) blocks of kBlock threads.
__global__ void grid_kernel(const float* d_in, float* d_out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) d_out[i] = d_in[i] * d_in[i];  // the last block may be larger than what is left
}

// ---- grid_stride: the loop again, over the whole grid; blocks start once instead of n / kBlock times ----
// Launch: kBlocksPerSm blocks for each SM, no more than n needs, of kBlock threads.
// __restrict__ promises that the arrays do not overlap: the loads of the next passes need not wait for this one's
// store.
__global__ void grid_stride_kernel(const float* __restrict__ d_in, float* __restrict__ d_out, int n) {
    const int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) d_out[i] = d_in[i] * d_in[i];
}

// ---- vectorized: as grid_stride, but over float4; the few floats before and behind them one by one ----
// Launch: as grid_stride, for n / 4 elements.
__global__ void vectorized_kernel(const float* __restrict__ d_in, float* __restrict__ d_out, int n, int head) {
    const int body = (n - head) / 4;       // float4s
    const int tail = n - head - 4 * body;  // floats behind them, 0 to 3
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    const int stride = gridDim.x * blockDim.x;

    const auto* in4 = reinterpret_cast<const float4*>(d_in + head);
    auto* out4 = reinterpret_cast<float4*>(d_out + head);
    for (int i = thread; i < body; i += stride) {
        const float4 x = in4[i];
        out4[i] = make_float4(x.x * x.x, x.y * x.y, x.z * x.z, x.w * x.w);
    }
    // At most three on either side: the first threads take one of each.
    if (thread < head) d_out[thread] = d_in[thread] * d_in[thread];
    if (thread < tail) d_out[n - 1 - thread] = d_in[n - 1 - thread] * d_in[n - 1 - thread];
}

// Blocks that keep the device busy with `count` loop passes of one thread each, and no more than have one.
int blocks_for(int count) {
    int sms = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    return std::min(std::max(ceil_div(count, kBlock), 1), sms * kBlocksPerSm);
}

}  // namespace

void one_block(const float* h_in, float* h_out, int n) {
    const std::size_t bytes = n * sizeof(float);
    float *d_in = nullptr, *d_out = nullptr;
    CUDA_CHECK(cudaMalloc(&d_in, bytes));
    CUDA_CHECK(cudaMalloc(&d_out, bytes));
    CUDA_CHECK(cudaMemcpy(d_in, h_in, bytes, cudaMemcpyHostToDevice));
    one_block_kernel<<<1, kBlock>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
    // The copy waits for the kernel: both are on the default stream.
    CUDA_CHECK(cudaMemcpy(h_out, d_out, bytes, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(d_in));
    CUDA_CHECK(cudaFree(d_out));
}

void grid(const float* d_in, float* d_out, int n) {
    if (n == 0) return;  // a launch of 0 blocks is an error
    grid_kernel<<<ceil_div(n, kBlock), kBlock>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}

void grid_stride(const float* d_in, float* d_out, int n) {
    grid_stride_kernel<<<blocks_for(n), kBlock>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}

void vectorized(const float* d_in, float* d_out, int n) {
    // Floats before the first 16-byte boundary: 0 to 3, and never more than there are.
    const auto past = static_cast<int>(reinterpret_cast<std::uintptr_t>(d_in) / sizeof(float) % 4);
    const int head = std::min((4 - past) % 4, n);
    vectorized_kernel<<<blocks_for(n / 4), kBlock>>>(d_in, d_out, n, head);
    CUDA_CHECK(cudaGetLastError());
}
