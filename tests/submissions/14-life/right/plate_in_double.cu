// Style: heat with a tile in shared memory and sums in double, rounded once a step
#include "life.h"

constexpr int kW = 32, kH = 16;

__global__ void double_step(const float* in, float* out, int rows, int columns) {
    __shared__ float s_t[kH + 2][kW + 2];
    const int left = blockIdx.x * kW - 1, top = blockIdx.y * kH - 1;
    for (int k = threadIdx.y * kW + threadIdx.x; k < (kH + 2) * (kW + 2); k += kW * kH) {
        const int y = top + k / (kW + 2), x = left + k % (kW + 2);
        s_t[k / (kW + 2)][k % (kW + 2)] = y >= 0 && y < rows && x >= 0 && x < columns ? in[y * columns + x] : NAN;
    }
    __syncthreads();
    const int x = left + 1 + threadIdx.x, y = top + 1 + threadIdx.y, i = threadIdx.y + 1, j = threadIdx.x + 1;
    if (x >= columns || y >= rows) return;
    double t = s_t[i][j];
    if (x > 0 && y > 0 && x + 1 < columns && y + 1 < rows)
        t += double(kRate) * (double(s_t[i - 1][j]) + s_t[i + 1][j] + s_t[i][j - 1] + s_t[i][j + 1] - 4 * t);
    out[y * columns + x] = float(t);
}

void heat(const float* d_in, float* d_out, int rows, int columns, int steps, Workspace& work) {
    if (rows == 0 || columns == 0) return;
    float* spare = work.get<float>(static_cast<std::size_t>(rows) * columns);
    if (steps == 0) CUDA_CHECK(cudaMemcpyAsync(d_out, d_in, 4ul * rows * columns, cudaMemcpyDeviceToDevice));
    for (int left = steps; left > 0; --left) {
        float* to = left % 2 == 1 ? d_out : spare;
        double_step<<<dim3(ceil_div(columns, kW), ceil_div(rows, kH)), dim3(kW, kH)>>>(d_in, to, rows, columns);
        CUDA_CHECK(cudaGetLastError());
        d_in = to;
    }
}
