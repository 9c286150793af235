// Style: dynamic shared memory as bytes, with the length of a row as an argument of the kernel
#include "transpose.h"

extern __shared__ __align__(16) unsigned char s_bytes[];

template <class T>
__global__ void flip(const T* in, T* out, int rows, int columns, int pitch) {
    T* s = reinterpret_cast<T*>(s_bytes);
    const int x0 = blockIdx.x * 32, y0 = blockIdx.y * 32, tx = threadIdx.x, ty = threadIdx.y;
#pragma unroll
    for (int j = 0; j < 32; j += 8)
        if (x0 + tx < columns && y0 + ty + j < rows) s[(ty + j) * pitch + tx] = in[(y0 + ty + j) * columns + x0 + tx];
    __syncthreads();
#pragma unroll
    for (int j = 0; j < 32; j += 8)
        if (y0 + tx < rows && x0 + ty + j < columns) out[(x0 + ty + j) * rows + y0 + tx] = s[tx * pitch + ty + j];
}

template <class T>
__global__ void flip_in_place(T* data, int side, int pitch) {
    if (blockIdx.x < blockIdx.y) return;
    T* a = reinterpret_cast<T*>(s_bytes);
    T* b = a + 32 * pitch;
    const int x0 = blockIdx.x * 32, y0 = blockIdx.y * 32, tx = threadIdx.x;
    for (int y = threadIdx.y; y < 32; y += blockDim.y) {
        if (x0 + tx < side && y0 + y < side) a[y * pitch + tx] = data[(y0 + y) * side + x0 + tx];
        if (y0 + tx < side && x0 + y < side) b[y * pitch + tx] = data[(x0 + y) * side + y0 + tx];
    }
    __syncthreads();
    for (int y = threadIdx.y; y < 32; y += blockDim.y) {
        if (y0 + tx < side && x0 + y < side) data[(x0 + y) * side + y0 + tx] = a[tx * pitch + y];
        if (x0 + tx < side && y0 + y < side) data[(y0 + y) * side + x0 + tx] = b[tx * pitch + y];
    }
}

template <class T>
void rectangular(const T* d_in, T* d_out, int rows, int columns) {
    if (rows == 0 || columns == 0) return;
    const dim3 grid((columns + 31) / 32, (rows + 31) / 32), block(32, 8);
    const std::size_t bytes = 32 * 33 * sizeof(T);
    if (d_in == d_out)
        flip_in_place<<<grid, block, 2 * bytes>>>(d_out, rows, 33);
    else
        flip<<<grid, block, bytes>>>(d_in, d_out, rows, columns, 33);
    CUDA_CHECK(cudaGetLastError());
}

void padded(const float* d_in, float* d_out, int side) {
    if (side == 0) return;
    const dim3 grid((side + 31) / 32, (side + 31) / 32), block(32, 8);
    flip<<<grid, block, 32 * 33 * sizeof(float)>>>(d_in, d_out, side, side, 33);
    CUDA_CHECK(cudaGetLastError());
}

template void rectangular(const unsigned char*, unsigned char*, int, int);
template void rectangular(const float*, float*, int, int);
template void rectangular(const double*, double*, int, int);
template void rectangular(const float4*, float4*, int, int);
