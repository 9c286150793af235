// Style: pinned host buffers, two streams in turn, a host function in a stream; copies overlap with the kernel.
#include <cstring>

#include "square.h"

__global__ void square(float* x, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] *= x[i];
}

struct CopyBack {
    float* to;
    const float* from;
    int count;
};

void CUDART_CB copy_back(void* data) {
    auto* job = static_cast<CopyBack*>(data);
    std::memcpy(job->to, job->from, job->count * sizeof(float));
}

void one_block(const float* h_in, float* h_out, int n) {
    constexpr int kPiece = 1 << 18;
    float *h_buffer[2], *d_buffer[2];
    cudaStream_t stream[2];
    CopyBack jobs[2];
    int room = n < kPiece ? n : kPiece;
    for (int k = 0; k < 2; ++k) {
        CUDA_CHECK(cudaMallocHost(&h_buffer[k], (room + 1) * sizeof(float)));
        CUDA_CHECK(cudaMalloc(&d_buffer[k], (room + 1) * sizeof(float)));
        CUDA_CHECK(cudaStreamCreate(&stream[k]));
    }
    for (int first = 0, k = 0; first < n; first += kPiece, k = 1 - k) {
        CUDA_CHECK(cudaStreamSynchronize(stream[k]));  // the buffer is free again
        int count = n - first < kPiece ? n - first : kPiece;
        std::size_t bytes = count * sizeof(float);
        std::memcpy(h_buffer[k], h_in + first, bytes);
        CUDA_CHECK(cudaMemcpyAsync(d_buffer[k], h_buffer[k], bytes, cudaMemcpyHostToDevice, stream[k]));
        square<<<1, 1024, 0, stream[k]>>>(d_buffer[k], count);
        CUDA_CHECK(cudaGetLastError());
        CUDA_CHECK(cudaMemcpyAsync(h_buffer[k], d_buffer[k], bytes, cudaMemcpyDeviceToHost, stream[k]));
        jobs[k] = {h_out + first, h_buffer[k], count};
        CUDA_CHECK(cudaLaunchHostFunc(stream[k], copy_back, &jobs[k]));
    }
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int k = 0; k < 2; ++k) {
        CUDA_CHECK(cudaStreamDestroy(stream[k]));
        CUDA_CHECK(cudaFree(d_buffer[k]));
        CUDA_CHECK(cudaFreeHost(h_buffer[k]));
    }
}
