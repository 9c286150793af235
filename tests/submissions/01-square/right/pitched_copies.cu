// Style: a pitched array, cudaMemcpy2D both ways, a block of two dimensions.
#include <algorithm>
#include <numeric>
#include <vector>

#include "square.h"
__global__ void k(float* a, size_t pitch, int w, int h) {
    for (int y = threadIdx.y; y < h; y += blockDim.y) {
        float* row = (float*)((char*)a + y * pitch);
        for (int x = threadIdx.x; x < w; x += blockDim.x) row[x] *= row[x];
    }
}
void one_block(const float* h_in, float* h_out, int n) {
    if (n == 0) return;
    const int w = 64, h = ceil_div(n, w);
    std::vector<float> padded(size_t(w) * h, 0.f);
    std::copy(h_in, h_in + n, padded.begin());
    float* a;
    size_t pitch;
    CUDA_CHECK(cudaMallocPitch((void**)&a, &pitch, w * sizeof(float), h));
    CUDA_CHECK(cudaMemcpy2D(a, pitch, padded.data(), w * 4, w * 4, h, cudaMemcpyHostToDevice));
    k<<<1, dim3(32, 8)>>>(a, pitch, w, h);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy2D(padded.data(), w * 4, a, pitch, w * 4, h, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(a));
    std::copy_n(padded.begin(), n, h_out);
}
