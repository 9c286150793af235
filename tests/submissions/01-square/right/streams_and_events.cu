// Style: streams of its own, ordered by events; everything asynchronous, joined before the call returns.
#include "square.h"

__global__ void square_part(const float* in, float* out, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = in[i] * in[i];
}

__global__ void square_all(const float* in, float* out, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = in[i] * in[i];
}

void one_block(const float* h_in, float* h_out, int n) {
    cudaStream_t stream;
    cudaEvent_t copied, squared;
    CUDA_CHECK(cudaStreamCreate(&stream));
    CUDA_CHECK(cudaEventCreate(&copied));
    CUDA_CHECK(cudaEventCreateWithFlags(&squared, cudaEventBlockingSync));
    float* d_both;
    CUDA_CHECK(cudaMalloc(&d_both, 2 * (n + 1) * sizeof(float)));
    CUDA_CHECK(cudaMemcpyAsync(d_both, h_in, n * sizeof(float), cudaMemcpyHostToDevice, stream));
    CUDA_CHECK(cudaEventRecord(copied, stream));
    square_all<<<1, 512, 0, stream>>>(d_both, d_both + n, n);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaEventRecord(squared, stream));
    CUDA_CHECK(cudaEventSynchronize(squared));
    float milliseconds = 0;
    CUDA_CHECK(cudaEventElapsedTime(&milliseconds, copied, squared));
    if (milliseconds < 0) std::fprintf(stderr, "the clock runs backwards\n");
    CUDA_CHECK(cudaMemcpyAsync(h_out, d_both + n, n * sizeof(float), cudaMemcpyDeviceToHost, stream));
    CUDA_CHECK(cudaStreamSynchronize(stream));
    CUDA_CHECK(cudaFree(d_both));
    CUDA_CHECK(cudaEventDestroy(copied));
    CUDA_CHECK(cudaEventDestroy(squared));
    CUDA_CHECK(cudaStreamDestroy(stream));
}

// Two halves in two streams. They begin after what the default stream has done, and it waits for both.
void grid(const float* d_in, float* d_out, int n) {
    if (n == 0) return;
    cudaStream_t streams[2];
    cudaEvent_t begun, done[2];
    CUDA_CHECK(cudaEventCreateWithFlags(&begun, cudaEventDisableTiming));
    CUDA_CHECK(cudaEventRecord(begun, 0));
    int half = n / 2;
    for (int k = 0; k < 2; ++k) {
        int first = k == 0 ? 0 : half, count = k == 0 ? half : n - half;
        CUDA_CHECK(cudaStreamCreateWithFlags(&streams[k], cudaStreamNonBlocking));
        CUDA_CHECK(cudaEventCreateWithFlags(&done[k], cudaEventDisableTiming));
        CUDA_CHECK(cudaStreamWaitEvent(streams[k], begun, 0));
        if (count > 0) square_part<<<(count + 127) / 128, 128, 0, streams[k]>>>(d_in + first, d_out + first, count);
        CUDA_CHECK(cudaGetLastError());
        CUDA_CHECK(cudaEventRecord(done[k], streams[k]));
        CUDA_CHECK(cudaStreamWaitEvent(0, done[k], 0));
    }
    for (int k = 0; k < 2; ++k) {
        CUDA_CHECK(cudaEventDestroy(done[k]));
        CUDA_CHECK(cudaStreamDestroy(streams[k]));
    }
    CUDA_CHECK(cudaEventDestroy(begun));
}

// One blocking stream, which the default stream orders by itself, synchronised before the return all the same.
void grid_stride(const float* d_in, float* d_out, int n) {
    if (n == 0) return;
    cudaStream_t stream;
    int least, greatest;
    CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CUDA_CHECK(cudaStreamCreateWithPriority(&stream, cudaStreamDefault, greatest));
    square_part<<<ceil_div(n, 1024), 1024, 0, stream>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
    while (cudaStreamQuery(stream) == cudaErrorNotReady) {
    }
    CUDA_CHECK(cudaStreamSynchronize(stream));
    CUDA_CHECK(cudaStreamDestroy(stream));
}
