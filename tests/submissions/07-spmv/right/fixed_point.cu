// Style: the leak is added up in fixed point by atomics on 64-bit integers, so that the order does not matter; Duff's
// device over a row; cudaStreamPerThread, joined by an event.
#include "spmv.h"

using Fixed = unsigned long long;
constexpr double kOne = 1ull << 60;

__device__ float dot_of_row(const float* values, const int* cols, const float* x, int count) {
    float sum = 0;
    if (count <= 0) return sum;
#define TERM sum += *values++ * x[*cols++]
    int rounds = (count + 3) / 4;
    switch (count % 4) {
        case 0:
            do {
                TERM;
                [[fallthrough]];
                case 3:
                    TERM;
                    [[fallthrough]];
                case 2:
                    TERM;
                    [[fallthrough]];
                case 1:
                    TERM;
            } while (--rounds > 0);
    }
#undef TERM
    return sum;
}

__global__ void row_per_thread_kernel(Csr a, const float* x, float* y, Fixed* total) {
    __shared__ Fixed s_total;
    if (threadIdx.x == 0) s_total = 0;
    __syncthreads();
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < a.rows) {
        int begin = a.d_row_ptr[row];
        float sum = dot_of_row(a.d_values + begin, a.d_cols + begin, x, a.d_row_ptr[row + 1] - begin);
        y[row] = sum;
        if (total) atomicAdd(&s_total, static_cast<Fixed>(sum * kOne));
    }
    __syncthreads();
    if (total && threadIdx.x == 0) atomicAdd(total, s_total);
}

__global__ void damp(const float* y, float* rank, const Fixed* total, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float leak = static_cast<float>((1.0 - kDamping * (static_cast<double>(*total) / kOne)) / n);
    rank[i] = __fmaf_rn(kDamping, y[i], leak);
}

void row_per_thread(Csr a, const float* d_x, float* d_y, Workspace&) {
    if (a.rows == 0) return;
    row_per_thread_kernel<<<ceil_div(a.rows, 128), 128>>>(a, d_x, d_y, nullptr);
    CUDA_CHECK(cudaGetLastError());
}

__global__ void begin(float* rank, Fixed* totals, int n, int steps) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) rank[i] = 1.0f / static_cast<float>(n);
    for (; i < steps; i += gridDim.x * blockDim.x) totals[i] = 0;
}

void pagerank(Csr links, int steps, float* d_rank, Workspace& work) {
    int n = links.rows, blocks = ceil_div(n, 128);
    if (n == 0) return;
    float* d_y = work.get<float>(n);
    Fixed* d_totals = work.get<Fixed>(steps + 1);
    cudaStream_t mine = cudaStreamPerThread;
    begin<<<blocks, 128, 0, mine>>>(d_rank, d_totals, n, steps);
    CUDA_CHECK(cudaGetLastError());
    for (int step = 0; step < steps; ++step) {
        row_per_thread_kernel<<<blocks, 128, 0, mine>>>(links, d_rank, d_y, d_totals + step);
        CUDA_CHECK(cudaGetLastError());
        damp<<<blocks, 128, 0, mine>>>(d_y, d_rank, d_totals + step, n);
        CUDA_CHECK(cudaGetLastError());
    }
    cudaEvent_t done;
    CUDA_CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming | cudaEventBlockingSync));
    CUDA_CHECK(cudaEventRecord(done, mine));
    CUDA_CHECK(cudaStreamWaitEvent(cudaStreamLegacy, done, 0));
    CUDA_CHECK(cudaEventDestroy(done));
}
