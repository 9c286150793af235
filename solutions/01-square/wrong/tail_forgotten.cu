// verdict: WA task=vectorized max_n=5000
// because: never written, the first at index 30
// Whole float4 only: the last one to three elements are left out.
#include <algorithm>
#include <cstdint>

#include "square.h"

__global__ void vectorized_kernel(const float* d_in, float* d_out, int n, int head) {
    int body = (n - head) / 4;
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    auto* in4 = reinterpret_cast<const float4*>(d_in + head);
    auto* out4 = reinterpret_cast<float4*>(d_out + head);
    for (int i = thread; i < body; i += gridDim.x * blockDim.x) {
        float4 x = in4[i];
        out4[i] = make_float4(x.x * x.x, x.y * x.y, x.z * x.z, x.w * x.w);
    }
    if (thread < head) d_out[thread] = d_in[thread] * d_in[thread];
}

void vectorized(const float* d_in, float* d_out, int n) {
    auto past = static_cast<int>(reinterpret_cast<std::uintptr_t>(d_in) / sizeof(float) % 4);
    int head = std::min((4 - past) % 4, n);
    vectorized_kernel<<<64, 256>>>(d_in, d_out, n, head);
    CUDA_CHECK(cudaGetLastError());
}
