// Style: a grid of fixed size whose blocks take tiles in turn; summed_area as a prefix sum of rows with warp-wide loops
#include "transpose.h"

__global__ void tiles_in_turn(const float* in, float* out, int side, int across) {
    __shared__ float s[32][32];
    for (int tile = blockIdx.x; tile < across * across; tile += gridDim.x) {
        const int left = tile % across * 32, top = tile / across * 32;
        for (int y = threadIdx.y; y < 32; y += 8)
            if (left + threadIdx.x < side && top + y < side)
                s[y][threadIdx.x] = in[(top + y) * side + left + threadIdx.x];
        __syncthreads();
        for (int y = threadIdx.y; y < 32; y += 8)
            if (top + threadIdx.x < side && left + y < side)
                out[(left + y) * side + top + threadIdx.x] = s[threadIdx.x][y];
        __syncthreads();
    }
}

void tile(const float* d_in, float* d_out, int side) {
    tiles_in_turn<<<264, dim3(32, 8)>>>(d_in, d_out, side, ceil_div(side, 32));
    CUDA_CHECK(cudaGetLastError());
}

// Sums over rows, stored transposed by each lane: simple, and not coalesced.
template <class T>
__global__ void scan_and_turn(const T* in, unsigned* out, int rows, int columns) {
    for (int row = blockIdx.x; row < rows; row += gridDim.x) {
        unsigned carry = 0;
        for (int c = 0; c < columns; c += 32) {
            const int lane = threadIdx.x, i = c + lane;
            unsigned v = i < columns ? in[row * columns + i] : 0u;
            for (int d = 1; d < 32; d <<= 1) {
                const unsigned left = __shfl_up_sync(~0u, v, d);
                v += lane < d ? 0 : left;
            }
            v += carry;
            if (i < columns) out[i * rows + row] = v;
            carry = __shfl_sync(~0u, v, 31);
        }
    }
}

void summed_area(const unsigned char* d_in, unsigned* d_out, int rows, int columns, Workspace& work) {
    unsigned* turned = work.get<unsigned>(static_cast<std::size_t>(rows) * columns);
    scan_and_turn<<<2048, 32>>>(d_in, turned, rows, columns);
    CUDA_CHECK(cudaGetLastError());
    scan_and_turn<<<2048, 32>>>(turned, d_out, columns, rows);
    CUDA_CHECK(cudaGetLastError());
}
