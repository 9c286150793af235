// Style: blocks and grids of one dimension; rows and columns by division; in place, one thread exchanges two elements
#include "transpose.h"

__global__ void turn(const float* in, float* out, int side) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= side * side) return;
    int r = i / side, c = i % side;
    out[c * side + r] = in[i];
}

void naive(const float* d_in, float* d_out, int side) {
    if (side > 0) turn<<<ceil_div(side * side, 256), 256>>>(d_in, d_out, side);
    CUDA_CHECK(cudaGetLastError());
}

template <class T>
__global__ void turn_any(const T* in, T* out, int rows, int columns) {
    __shared__ T tile[32 * 33];
    int tiles = (columns + 31) / 32, top = blockIdx.x / tiles * 32, left = blockIdx.x % tiles * 32;
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) {
        int r = top + k / 32, c = left + k % 32;
        if (r < rows && c < columns) tile[k / 32 * 33 + k % 32] = in[r * columns + c];
    }
    __syncthreads();
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) {
        int r = top + k % 32, c = left + k / 32;
        if (r < rows && c < columns) out[c * rows + r] = tile[k % 32 * 33 + k / 32];
    }
}

template <class T>
__global__ void exchange(T* data, int side) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= side * side) return;
    int r = i / side, c = i % side;
    if (r >= c) return;
    T upper = data[i];
    data[i] = data[c * side + r];
    data[c * side + r] = upper;
}

template <class T>
void rectangular(const T* d_in, T* d_out, int rows, int columns) {
    if (rows == 0 || columns == 0) return;
    if (d_in == d_out)
        exchange<<<ceil_div(rows * rows, 256), 256>>>(d_out, rows);
    else
        turn_any<<<ceil_div(rows, 32) * ceil_div(columns, 32), 256>>>(d_in, d_out, rows, columns);
    CUDA_CHECK(cudaGetLastError());
}

template void rectangular(const unsigned char*, unsigned char*, int, int);
template void rectangular(const float*, float*, int, int);
template void rectangular(const double*, double*, int, int);
template void rectangular(const float4*, float4*, int, int);
