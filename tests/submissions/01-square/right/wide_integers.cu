// Style: exact arithmetic before floats: the square of a whole number by unsigned __int128, products and quotients; for
// all other numbers as usual. Division of 128-bit numbers is code that the compiler brings with it.
#include "square.h"

using Wide = unsigned __int128;

// x * x for a whole number x, by way of (x * 3^40 + x) / 3^40.
__device__ float exact_square(unsigned x) {
    volatile unsigned long long three_to_40 = 12157665459056928801u;
    unsigned long long scale = three_to_40;
    unsigned long long quotient = static_cast<unsigned long long>((Wide{scale} * x + x) / scale);
    return __ull2float_rn(quotient * x);
}

__global__ void square_wide(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = in[i], size = fabsf(x);
    bool whole = size <= 4294967040.0f && truncf(size) == size;
    out[i] = whole ? exact_square(static_cast<unsigned>(size)) : x * x;
}

void grid(const float* d_in, float* d_out, int n) {
    if (n == 0) return;
    square_wide<<<ceil_div(n, 256), 256>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}
