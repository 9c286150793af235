// Style: two generations a launch, a thread for each of 32 x 32 cells, which keeps its cell in a register between
// barriers
#include "life.h"

constexpr int kWide = 32, kReach = 2, kKept = kWide - 2 * kReach;

__device__ int modulo(int a, int b) { return ((a % b) + b) % b; }

__global__ void __launch_bounds__(kWide* kWide)
    twice(const unsigned char* in, unsigned char* out, int rows, int columns, bool second) {
    __shared__ unsigned char s_cells[kWide][kWide];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int x = (int)blockIdx.x * kKept + tx - kReach, y = (int)blockIdx.y * kKept + ty - kReach;
    unsigned char mine = in[modulo(y, rows) * columns + modulo(x, columns)];
    for (int round = 0; round <= (second ? 1 : 0); ++round) {
        s_cells[ty][tx] = mine;
        __syncthreads();
        if (min(min(tx, ty), kWide - 1 - max(tx, ty)) > round) {
            int around = -mine;
            for (int k = 0; k < 9; ++k) around += s_cells[ty + k / 3 - 1][tx + k % 3 - 1];
            mine = around == 3 || (around == 2 && mine == 1);
        }
        __syncthreads();
    }
    const bool kept = kReach <= tx && tx < kWide - kReach && kReach <= ty && ty < kWide - kReach;
    if (kept && x < columns && y < rows) out[y * columns + x] = mine;
}

void temporal(const unsigned char* d_in, unsigned char* d_out, int rows, int columns, int generations,
              Workspace& work) {
    if (rows == 0 || columns == 0) return;
    unsigned char* d_spare = work.get<unsigned char>(static_cast<std::size_t>(rows) * columns);
    const dim3 grid(ceil_div(columns, kKept), ceil_div(rows, kKept)), block(kWide, kWide);
    if (generations == 0) CUDA_CHECK(cudaMemcpyAsync(d_out, d_in, rows * columns, cudaMemcpyDeviceToDevice));
    int launches = (generations + 1) / 2;
    for (; launches > 0; --launches, generations -= 2) {
        unsigned char* to = launches % 2 != 0 ? d_out : d_spare;
        twice<<<grid, block>>>(d_in, to, rows, columns, generations > 1);
        CUDA_CHECK(cudaGetLastError());
        d_in = to;
    }
}
