// Style: Japanese comments (日本語のコメント), a tile of chars of dynamic shared memory seen as a matrix by a view
// class with operator(); a lambda with captures as the kernel's way to read the image; loops unrolled by #pragma
// unroll.
#include "convolution.h"

__constant__ float c_weights[kMaxSize * kMaxSize];

constexpr int kWide = 64, kHigh = 16, kThreadsY = 4;

// 共有メモリを二次元配列として見る
template <class T>
struct Matrix {
    T* cells;
    int pitch;
    __device__ T& operator()(int x, int y) const { return cells[y * pitch + x]; }
};

// 画像の外にある画素の位置。ない場合は -1
__device__ int fold(int i, int length, Border border) {
    if (static_cast<unsigned>(i) < static_cast<unsigned>(length)) return i;
    if (border == Border::zero) return -1;
    if (border == Border::clamp) return i < 0 ? 0 : length - 1;
    i %= length;
    return i < 0 ? i + length : i;
}

template <class Read>
__global__ void __launch_bounds__(kWide* kThreadsY) tiles(Read read, float* out, int width, int height, int radius) {
    extern __shared__ char s_bytes[];
    Matrix<float> tile{reinterpret_cast<float*>(s_bytes), kWide + 2 * radius};
    int left = blockIdx.x * kWide, top = blockIdx.y * kHigh, size = 2 * radius + 1;
    // まず、タイルとその周りを読む
    for (int y = threadIdx.y; y < kHigh + 2 * radius; y += kThreadsY)
        for (int x = threadIdx.x; x < kWide + 2 * radius; x += kWide)
            tile(x, y) = read(left + x - radius, top + y - radius);
    __syncthreads();
    // 次に、一つのスレッドが四つの画素を計算する
    float sum[kHigh / kThreadsY] = {};
    for (int j = 0; j < size; ++j) {
        for (int i = 0; i < size; ++i) {
            float weight = c_weights[j * size + i];
#pragma unroll
            for (int k = 0; k < kHigh / kThreadsY; ++k)
                sum[k] += weight * tile(threadIdx.x + 2 * radius - i, threadIdx.y + k * kThreadsY + 2 * radius - j);
        }
    }
    int x = left + threadIdx.x;
#pragma unroll
    for (int k = 0; k < kHigh / kThreadsY; ++k) {
        int y = top + threadIdx.y + k * kThreadsY;
        if (x < width && y < height) out[static_cast<size_t>(y) * width + x] = sum[k];
    }
}

void shared_tile(const float* d_in, float* d_out, int width, int height, const float* d_filter, int radius,
                 Border border, Workspace&) {
    if (width == 0 || height == 0) return;
    size_t size = 2 * radius + 1, bytes = (kWide + 2 * radius) * (kHigh + 2 * radius) * sizeof(float);
    void* weights;
    CUDA_CHECK(cudaGetSymbolAddress(&weights, c_weights));
    CUDA_CHECK(cudaMemcpyAsync(weights, d_filter, size * size * sizeof(float), cudaMemcpyDefault));
    auto read = [=] __device__(int x, int y) {
        int column = fold(x, width, border), row = fold(y, height, border);
        return column < 0 || row < 0 ? 0.0f : d_in[static_cast<size_t>(row) * width + column];
    };
    tiles<<<dim3(ceil_div(width, kWide), ceil_div(height, kHigh)), dim3(kWide, kThreadsY), bytes>>>(read, d_out, width,
                                                                                                    height, radius);
    CUDA_CHECK(cudaGetLastError());
}
