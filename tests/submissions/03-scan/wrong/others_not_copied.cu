// Two buffers take turns: an element that adds nothing must be copied as well.
#include "scan.h"
__global__ void scan_tile(const int* in, int* out, int n) {
    __shared__ int buf[2 * 1024];
    int t = threadIdx.x, i = blockIdx.x * 1024 + t;
    int pout = 0, pin = 1;
    buf[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int offset = 1; offset < 1024; offset *= 2) {
        pout = 1 - pout;
        pin = 1 - pout;
        if (t >= offset) buf[pout * 1024 + t] = buf[pin * 1024 + t] + buf[pin * 1024 + t - offset];
        __syncthreads();
    }
    if (i < n) out[i] = buf[pout * 1024 + t];
}
void hillis_steele(const int* d_in, int* d_out, int n, Workspace&) {
    if (n == 0) return;
    scan_tile<<<ceil_div(n, 1024), 1024>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}
