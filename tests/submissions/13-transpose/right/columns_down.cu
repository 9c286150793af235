// Style: no transpose: a block scans each row with a thread for each of 256 elements, then a thread goes down each column
#include "transpose.h"

__global__ void rows_by_blocks(const unsigned char* in, unsigned* out, int columns) {
    __shared__ unsigned s[2][256];
    const unsigned char* from = in + static_cast<std::size_t>(blockIdx.x) * columns;
    unsigned* to = out + static_cast<std::size_t>(blockIdx.x) * columns;
    const int t = threadIdx.x;
    unsigned carry = 0;
    for (int base = 0; base < columns; base += 256) {
        int at = 0;
        s[0][t] = base + t < columns ? from[base + t] : 0;
        __syncthreads();
        for (int d = 1; d < 256; d *= 2) {
            s[1 - at][t] = s[at][t] + (t >= d ? s[at][t - d] : 0);
            at = 1 - at;
            __syncthreads();
        }
        if (base + t < columns) to[base + t] = carry + s[at][t];
        carry += s[at][255];
        __syncthreads();
    }
}

__global__ void columns_by_threads(unsigned* data, int rows, int columns) {
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= columns) return;
    unsigned sum = 0;
    for (int r = 0; r < rows; ++r) data[r * columns + c] = sum += data[r * columns + c];
}

void summed_area(const unsigned char* d_in, unsigned* d_out, int rows, int columns, Workspace&) {
    if (rows == 0 || columns == 0) return;
    rows_by_blocks<<<rows, 256>>>(d_in, d_out, columns);
    CUDA_CHECK(cudaGetLastError());
    columns_by_threads<<<ceil_div(columns, 64), 64>>>(d_out, rows, columns);
    CUDA_CHECK(cudaGetLastError());
}
