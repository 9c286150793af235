// verdict: TLE task=grid max_n=100 seconds=2
// because: when the time was up
// Forgets to count what is done.
#include "square.h"

__global__ void grid_kernel(const float* d_in, float* d_out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) d_out[i] = d_in[i] * d_in[i];
}

void grid(const float* d_in, float* d_out, int n) {
    for (int done = 0; done < n;) {
        grid_kernel<<<1, 256>>>(d_in + done, d_out + done, n - done);
        CUDA_CHECK(cudaGetLastError());
    }
}

// ---- Not started ----
void one_block(const float*, float*, int) { todo("1"); }
void grid_stride(const float*, float*, int) { todo("3"); }
void vectorized(const float*, float*, int) { todo("4"); }
