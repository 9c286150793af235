// verdict: RTE task=grid max_n=5000
// because: device memory cannot be reached from the host
// Reads device memory on the host.
#include "square.h"

void grid(const float* d_in, float* d_out, int n) {
    for (int i = 0; i < n; ++i) d_out[i] = d_in[i] * d_in[i];
}
