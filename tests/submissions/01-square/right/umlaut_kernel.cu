// Style: a kernel and a device function whose own names are not ASCII.
#include "square.h"

__device__ float größe_im_quadrat(float größe) { return größe * größe; }

__global__ void quadriere_größe(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = größe_im_quadrat(in[i]);
}

void grid(const float* d_in, float* d_out, int n) {
    if (n == 0) return;
    quadriere_größe<<<ceil_div(n, 256), 256>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}
