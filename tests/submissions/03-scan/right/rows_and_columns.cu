// Style: two-dimensional blocks and grids for one-dimensional data, and a launch by hand, cudaLaunchKernel; the scan
// goes along the rows of a shared matrix, then down its last column; 64-bit indices throughout.
#include "scan.h"

namespace matrix {

constexpr long long kColumns = 32, kRows = kTile / kColumns;

__device__ long long my_block() { return blockIdx.y * static_cast<long long>(gridDim.x) + blockIdx.x; }

__global__ void __launch_bounds__(kTile) scan_tile(const int* __restrict__ in, int* __restrict__ out, long long n) {
    __shared__ int cell[kRows][kColumns + 1];
    long long x = threadIdx.x, y = threadIdx.y, i = my_block() * kTile + y * kColumns + x;
    if (my_block() * kTile >= n) return;  // a block of the last row that the grid does not need
    cell[y][x] = i < n ? __ldg(in + i) : 0;
    for (int step = 1; step < kColumns; step <<= 1) {
        __syncthreads();
        int left = x >= step ? cell[y][x - step] : 0;
        __syncthreads();
        cell[y][x] += left;
    }
    for (int step = 1; step < kRows; step <<= 1) {
        __syncthreads();
        int above = x == kColumns - 1 && y >= step ? cell[y - step][x] : 0;
        __syncthreads();
        if (x == kColumns - 1) cell[y][x] += above;
    }
    __syncthreads();
    if (i >= n) return;
    bool corner = x == kColumns - 1;
    out[i] = cell[y][x] + (y > 0 && !corner ? cell[y - 1][kColumns - 1] : 0);
}

__global__ void add_shifted(const int* in, int* out, long long n, long long offset) {
    long long stride = static_cast<long long>(gridDim.x) * gridDim.y * blockDim.x * blockDim.y;
    long long first = my_block() * blockDim.x * blockDim.y + threadIdx.y * blockDim.x + threadIdx.x;
    for (long long i = first; i < n; i += stride) out[i] = in[i] + (i < offset ? 0 : in[i - offset]);
}

}  // namespace matrix

void hillis_steele(const int* d_in, int* d_out, int n, Workspace&) {
    if (n == 0) return;
    long long size = n;
    void* arguments[] = {&d_in, &d_out, &size};
    unsigned tiles = ceil_div(n, kTile), across = tiles < 7 ? tiles : 7;
    dim3 grid(across, ceil_div(tiles, across)), block(matrix::kColumns, matrix::kRows);
    CUDA_CHECK(cudaLaunchKernel(reinterpret_cast<const void*>(matrix::scan_tile), grid, block, arguments, 0, nullptr));
}

void naive(const int* d_in, int* d_out, int n, Workspace& work) {
    if (n == 0) return;
    int *other = work.get<int>(n), steps = 1;
    while (1LL << steps < n) ++steps;
    const int* from = d_in;
    for (int step = 0; step < steps; ++step) {
        int* to = (steps - step) % 2 ? d_out : other;
        matrix::add_shifted<<<dim3(4, 32), dim3(32, 8)>>>(from, to, n, 1LL << step);
        CUDA_CHECK(cudaGetLastError());
        from = to;
    }
}
