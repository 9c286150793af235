// verdict: RTE or CHECK task=vectorized max_n=5000
// because: which is not a multiple of 16
// Takes the first element for the first float4, wherever it lies.
#include "square.h"

__global__ void vectorized_kernel(const float* d_in, float* d_out, int n, int head) {
    int body = (n - head) / 4;
    int tail = n - head - 4 * body;
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    auto* in4 = reinterpret_cast<const float4*>(d_in + head);
    auto* out4 = reinterpret_cast<float4*>(d_out + head);
    for (int i = thread; i < body; i += gridDim.x * blockDim.x) {
        float4 x = in4[i];
        out4[i] = make_float4(x.x * x.x, x.y * x.y, x.z * x.z, x.w * x.w);
    }
    if (thread < head) d_out[thread] = d_in[thread] * d_in[thread];
    if (thread < tail) d_out[n - 1 - thread] = d_in[n - 1 - thread] * d_in[n - 1 - thread];
}

void vectorized(const float* d_in, float* d_out, int n) {
    vectorized_kernel<<<64, 256>>>(d_in, d_out, n, 0);
    CUDA_CHECK(cudaGetLastError());
}
