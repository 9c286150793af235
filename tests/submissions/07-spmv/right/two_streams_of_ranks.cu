// Style: the ranks and the leak in two streams of one RAII pool, joined by events in every step, arrays that alternate,
// a host loop of lambdas; the leak's sum in double by one block of warps.
#include <array>

#include "spmv.h"

class Streams {
  public:
    Streams() {
        for (auto& s : streams_) CUDA_CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
        for (auto& e : events_) CUDA_CHECK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    }
    ~Streams() {
        for (auto s : streams_) cudaStreamDestroy(s);
        for (auto e : events_) cudaEventDestroy(e);
    }
    Streams(const Streams&) = delete;
    cudaStream_t operator[](int k) const { return streams_[k]; }
    void after(cudaStream_t later, cudaStream_t earlier) {
        cudaEvent_t event = events_[next_++ % events_.size()];
        CUDA_CHECK(cudaEventRecord(event, earlier));
        CUDA_CHECK(cudaStreamWaitEvent(later, event));
    }

  private:
    std::array<cudaStream_t, 2> streams_{};
    std::array<cudaEvent_t, 8> events_{};
    unsigned next_ = 0;
};

__global__ void multiply(Csr a, const float* x, float* y) {
    int row = blockIdx.x * (blockDim.x / 4) + threadIdx.x / 4, part = threadIdx.x % 4;
    unsigned four = 0xfu << (threadIdx.x & 28);
    if (row >= a.rows) return;
    double sum = 0;
    for (int k = a.d_row_ptr[row] + part; k < a.d_row_ptr[row + 1]; k += 4)
        sum += double(a.d_values[k]) * x[a.d_cols[k]];
    sum += __shfl_down_sync(four, sum, 1, 4);
    sum += __shfl_down_sync(four, sum, 2, 4);
    if (part == 0) y[row] = float(sum);
}

__global__ void __launch_bounds__(256) partial_sums(const float* y, double* sums, int n) {
    __shared__ double s[8];
    double sum = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) sum += y[i];
    for (int d = 16; d; d >>= 1) sum += __shfl_down_sync(kAllLanes, sum, d);
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = sum;
    if (!__syncthreads_or(0) && threadIdx.x == 0)
        sums[blockIdx.x] = s[0] + s[1] + s[2] + s[3] + s[4] + s[5] + s[6] + s[7];
}

__global__ void blend(const float* y, const double* sums, float* rank, int n, int count) {
    __shared__ double base;
    if (threadIdx.x < 32) {
        double s = threadIdx.x < count ? sums[threadIdx.x] : 0;
        for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(kAllLanes, s, d);
        if (threadIdx.x == 0) base = (1 - double(kDamping) * s) / n;
    }
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) rank[i] = float(double(kDamping) * y[i] + base);
}

__global__ void fill(float* x, float value, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = value;
}

void pagerank(Csr links, int steps, float* d_rank, Workspace& work) {
    int n = links.rows, sums = min(32, ceil_div(n, 1024));
    if (n == 0) return;
    float* d_y = work.get<float>(n);
    double* d_sums = work.get<double>(32);
    Streams streams;
    streams.after(streams[0], cudaStreamLegacy);
    fill<<<ceil_div(n, 256), 256, 0, streams[0]>>>(d_rank, 1.0f / n, n);
    CUDA_CHECK(cudaGetLastError());
    auto step = [&] {
        multiply<<<ceil_div(n, 64), 256, 0, streams[0]>>>(links, d_rank, d_y);
        CUDA_CHECK(cudaGetLastError());
        streams.after(streams[1], streams[0]);
        partial_sums<<<sums, 256, 0, streams[1]>>>(d_y, d_sums, n);
        CUDA_CHECK(cudaGetLastError());
        streams.after(streams[0], streams[1]);
        blend<<<ceil_div(n, 256), 256, 0, streams[0]>>>(d_y, d_sums, d_rank, n, sums);
        CUDA_CHECK(cudaGetLastError());
    };
    for (int k = 0; k < steps; ++k) step();
    streams.after(cudaStreamLegacy, streams[0]);
}
