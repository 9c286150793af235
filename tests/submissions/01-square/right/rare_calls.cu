// Style: calls that are rarely seen: registered host memory, three-dimensional copies and memsets, stream callbacks, a
// task of std::async that launches.
#include <cstring>
#include <future>

#include "square.h"

__global__ void square(float* x, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] *= x[i];
}

void CUDART_CB finished(cudaStream_t, cudaError_t status, void* data) { *static_cast<cudaError_t*>(data) = status; }

void one_block(const float* h_in, float* h_out, int n) {
    if (n == 0) return;
    CUDA_CHECK(cudaHostRegister(h_out, n * sizeof(float), cudaHostRegisterDefault));
    cudaStream_t stream;
    CUDA_CHECK(cudaStreamCreate(&stream));
    cudaPitchedPtr box;
    CUDA_CHECK(cudaMalloc3D(&box, make_cudaExtent(n * sizeof(float), 1, 1)));
    CUDA_CHECK(cudaMemset3DAsync(box, 0, make_cudaExtent(n * sizeof(float), 1, 1), stream));
    cudaMemcpy3DParms copy{};
    copy.srcPtr = make_cudaPitchedPtr(const_cast<float*>(h_in), n * sizeof(float), n * sizeof(float), 1);
    copy.dstPtr = box;
    copy.extent = make_cudaExtent(n * sizeof(float), 1, 1);
    copy.kind = cudaMemcpyHostToDevice;
    CUDA_CHECK(cudaMemcpy3DAsync(&copy, stream));
    cudaError_t status = cudaErrorUnknown;
    auto* d_x = static_cast<float*>(box.ptr);
    std::async(std::launch::async, [=] { square<<<1, 256, 0, stream>>>(d_x, n); }).get();
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy2DAsync(h_out, n * sizeof(float), d_x, box.pitch, n * sizeof(float), 1, cudaMemcpyDeviceToHost,
                                 stream));
    CUDA_CHECK(cudaStreamAddCallback(stream, finished, &status, 0));
    CUDA_CHECK(cudaStreamSynchronize(stream));
    CUDA_CHECK(status);
    CUDA_CHECK(cudaStreamDestroy(stream));
    CUDA_CHECK(cudaFree(d_x));
    CUDA_CHECK(cudaHostUnregister(h_out));
}
