// Style: tiles of 16 x 16 elements, a thread for each; one kernel with the padding as a template argument
#include "transpose.h"

template <int Padding>
__global__ void turn16(const float* in, float* out, int side) {
    __shared__ float s[16][16 + Padding];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int left = 16 * blockIdx.x, top = 16 * blockIdx.y;
    const bool has_source = left + tx < side && top + ty < side;
    const bool has_target = top + tx < side && left + ty < side;
    s[ty][tx] = has_source ? in[(top + ty) * side + left + tx] : 0.0f;
    __syncthreads();
    if (has_target) out[(left + ty) * side + top + tx] = s[tx][ty];
}

template <int Padding>
static void launch16(const float* d_in, float* d_out, int side) {
    if (!side) return;
    int blocks = (side + 15) / 16;
    turn16<Padding><<<{(unsigned)blocks, (unsigned)blocks}, {16, 16}>>>(d_in, d_out, side);
    CUDA_CHECK(cudaGetLastError());
}

void tile(const float* d_in, float* d_out, int side) { launch16<0>(d_in, d_out, side); }
void padded(const float* d_in, float* d_out, int side) { launch16<1>(d_in, d_out, side); }
