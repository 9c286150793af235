// verdict: RTE task=grid max_n=5000
// because: device_pointer.cu:7
// Reads device memory on the host.
#include "square.h"

void grid(const float* d_in, float* d_out, int n) {
    for (int i = 0; i < n; ++i) d_out[i] = d_in[i] * d_in[i];
}

// ---- Not started ----
void one_block(const float*, float*, int) { todo("1"); }
void grid_stride(const float*, float*, int) { todo("3"); }
void vectorized(const float*, float*, int) { todo("4"); }
