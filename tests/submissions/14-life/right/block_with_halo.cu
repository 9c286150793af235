// Style: a thread for each cell of the tile and of its halo; those of the halo load, and then only wait
#include "life.h"

constexpr int kEdge = 16, kInner = kEdge - 2;

__global__ void with_halo_threads(const unsigned char* __restrict__ in, unsigned char* __restrict__ out, int rows,
                                  int columns) {
    __shared__ unsigned char cell[kEdge * kEdge];
    const int tx = threadIdx.x, ty = threadIdx.y, me = ty * kEdge + tx;
    const int x = int(blockIdx.x * kInner) + tx - 1, y = int(blockIdx.y * kInner) + ty - 1;
    cell[me] = in[(y + rows) % rows * columns + (x + columns) % columns];
    __syncthreads();
    if (tx == 0 || ty == 0 || tx == kEdge - 1 || ty == kEdge - 1 || x >= columns || y >= rows) return;
    int nine = 0;
    for (int row = me - kEdge; row <= me + kEdge; row += kEdge) nine += cell[row - 1] + cell[row] + cell[row + 1];
    out[y * columns + x] = nine == 3 || (nine == 4 && cell[me]);
}

void tile(const unsigned char* d_in, unsigned char* d_out, int rows, int columns, int generations, Workspace& work) {
    if (rows * columns == 0) return;
    const dim3 grid((columns + kInner - 1) / kInner, (rows + kInner - 1) / kInner), block(kEdge, kEdge);
    auto* spare = work.get<unsigned char>(rows * columns);
    CUDA_CHECK(cudaMemcpyAsync(generations % 2 ? spare : d_out, d_in, rows * columns, cudaMemcpyDeviceToDevice));
    unsigned char *now = generations % 2 ? spare : d_out, *next = generations % 2 ? d_out : spare;
    while (generations-- > 0) {
        with_halo_threads<<<grid, block>>>(now, next, rows, columns);
        CUDA_CHECK(cudaGetLastError());
        unsigned char* const was = now;
        now = next;
        next = was;
    }
}
