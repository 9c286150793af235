// Style: asks the device everything before it works: pools, limits, versions, attributes, streams, pointers, memory.
#include <cuda_profiler_api.h>

#include "square.h"

__global__ void square(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * in[i];
}

void grid(const float* d_in, float* d_out, int n) {
    if (n == 0) return;
    int count = 0, device = -1, runtime = 0, driver = 0, major = 0, can = 0, threads = 0, blocks = 0;
    CUDA_CHECK(cudaGetDeviceCount(&count));
    CUDA_CHECK(cudaGetDevice(&device));
    if (device < 0 || device >= count) throw CudaError(cudaErrorInvalidDevice, "cudaGetDevice", __FILE__, __LINE__);
    CUDA_CHECK(cudaSetDevice(device));
    CUDA_CHECK(cudaRuntimeGetVersion(&runtime));
    CUDA_CHECK(cudaDriverGetVersion(&driver));
    CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    CUDA_CHECK(cudaDeviceGetAttribute(&can, cudaDevAttrMemoryPoolsSupported, device));
    std::size_t free_bytes = 0, all_bytes = 0, stack = 0, heap = 0;
    CUDA_CHECK(cudaMemGetInfo(&free_bytes, &all_bytes));
    CUDA_CHECK(cudaDeviceGetLimit(&stack, cudaLimitStackSize));
    CUDA_CHECK(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
    cudaPointerAttributes attributes;
    CUDA_CHECK(cudaPointerGetAttributes(&attributes, d_in));
    if (attributes.type != cudaMemoryTypeDevice) throw CudaError(cudaErrorInvalidValue, "d_in", __FILE__, __LINE__);
    CUDA_CHECK(cudaFuncSetCacheConfig(square, cudaFuncCachePreferL1));
    CUDA_CHECK(cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, square));
    unsigned flags = 1;
    CUDA_CHECK(cudaStreamGetFlags(nullptr, &flags));
    CUDA_CHECK(cudaProfilerStart());
    square<<<ceil_div(n, 256), 256>>>(d_in, d_out, n);
    CUDA_CHECK(cudaPeekAtLastError());
    CUDA_CHECK(cudaProfilerStop());
    CUDA_CHECK(cudaStreamSynchronize(nullptr));
}

// A pool that keeps what was freed, as stream-ordered allocation is usually set up.
void grid_stride(const float* d_in, float* d_out, int n) {
    if (n == 0) return;
    cudaMemPool_t pool;
    CUDA_CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
    unsigned long long threshold = ~0ull;
    CUDA_CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    float* d_temp;
    CUDA_CHECK(cudaMallocFromPoolAsync(&d_temp, n * sizeof(float), pool, nullptr));
    square<<<ceil_div(n, 256), 256>>>(d_in, d_temp, n);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpyAsync(d_out, d_temp, n * sizeof(float), cudaMemcpyDeviceToDevice, nullptr));
    CUDA_CHECK(cudaFreeAsync(d_temp, nullptr));
}
