// A thread takes a float4, and the first threads take what is left at the end.
#include <cstdint>

#include "square.h"
__global__ void scalar(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * in[i];
}
__global__ void by_four(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int quads = n / 4;
    if (i < quads) {
        float4 v = reinterpret_cast<const float4*>(in)[i];
        v.x *= v.x;
        v.y *= v.y;
        v.z *= v.z;
        v.w *= v.w;
        reinterpret_cast<float4*>(out)[i] = v;
    }
    if (i < n % 4) {
        int j = quads + i;
        out[j] = in[j] * in[j];
    }
}
void vectorized(const float* d_in, float* d_out, int n) {
    if (n == 0) return;
    bool aligned =
        reinterpret_cast<std::uintptr_t>(d_in) % 16 == 0 && reinterpret_cast<std::uintptr_t>(d_out) % 16 == 0;
    if (aligned)
        by_four<<<ceil_div(ceil_div(n, 4), 256), 256>>>(d_in, d_out, n);
    else
        scalar<<<ceil_div(n, 256), 256>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}
