// Style: calls of people who tune: streams with priorities, cache configurations and carve-outs, attributes of the
// kernel, block sizes from the occupancy API with a function for shared memory, cudaLaunchKernelExC, timing by events.
#include <cstdio>

#include "square.h"

__global__ void tuned(const float* __restrict__ in, float* __restrict__ out, int n) {
    extern __shared__ float s[];
    int t = threadIdx.x;
    for (int base = blockIdx.x * blockDim.x; base < n; base += gridDim.x * blockDim.x) {
        if (base + t < n) {
            s[t] = in[base + t];
            out[base + t] = s[t] * s[t];
        }
    }
}

void grid(const float* d_in, float* d_out, int n) {
    if (n == 0) return;
    int least, threads;
    auto bytes_of = [](int size) { return size * sizeof(float); };
    CUDA_CHECK(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&least, &threads, tuned, bytes_of, 512));
    cudaFuncAttributes attributes;
    CUDA_CHECK(cudaFuncGetAttributes(&attributes, tuned));
    if (threads > attributes.maxThreadsPerBlock) threads = attributes.maxThreadsPerBlock;
    CUDA_CHECK(cudaFuncSetCacheConfig(tuned, cudaFuncCachePreferL1));
    CUDA_CHECK(cudaFuncSetAttribute(tuned, cudaFuncAttributePreferredSharedMemoryCarveout, 25));

    int lowest, highest;
    CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&lowest, &highest));
    cudaStream_t stream;
    CUDA_CHECK(cudaStreamCreateWithPriority(&stream, cudaStreamDefault, highest));
    void* arguments[] = {&d_in, &d_out, &n};
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(ceil_div(n, threads));
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = bytes_of(threads);
    config.stream = stream;
    CUDA_CHECK(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(tuned), arguments));
    CUDA_CHECK(cudaStreamSynchronize(stream));
    CUDA_CHECK(cudaStreamDestroy(stream));
}

void grid_stride(const float* d_in, float* d_out, int n) {
    if (n == 0) return;
    cudaEvent_t begin, end;
    CUDA_CHECK(cudaEventCreate(&begin));
    CUDA_CHECK(cudaEventCreateWithFlags(&end, cudaEventBlockingSync));
    CUDA_CHECK(cudaEventRecord(begin));
    tuned<<<min(ceil_div(n, 256), 1024), 256, 256 * sizeof(float)>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaEventRecord(end));
    CUDA_CHECK(cudaEventSynchronize(end));
    float milliseconds;
    CUDA_CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    if (milliseconds < 0) std::fprintf(stderr, "time runs backwards\n");
    CUDA_CHECK(cudaEventDestroy(begin));
    CUDA_CHECK(cudaEventDestroy(end));
}
