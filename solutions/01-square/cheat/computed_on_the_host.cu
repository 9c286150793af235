// verdict: CHECK task=grid max_n=5000
// because: computed on the host
// Fetches the input, squares it on the CPU, and brings it back.
#include <vector>

#include "square.h"

void grid(const float* d_in, float* d_out, int n) {
    std::vector<float> values(n);
    CUDA_CHECK(cudaMemcpy(values.data(), d_in, n * sizeof(float), cudaMemcpyDeviceToHost));
    for (float& x : values) x *= x;
    CUDA_CHECK(cudaMemcpy(d_out, values.data(), n * sizeof(float), cudaMemcpyHostToDevice));
}

// ---- Not started ----
void one_block(const float*, float*, int) { todo("1"); }
void grid_stride(const float*, float*, int) { todo("3"); }
void vectorized(const float*, float*, int) { todo("4"); }
