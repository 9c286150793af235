// Versions of the same work, one much slower than the other: the modelled times have to say so. Prints name and
// milliseconds of each.
#include <cstdio>

constexpr int kN = 1 << 18;

__global__ void copy_grid_stride(const float* in, float* out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = in[i] * 2;
}
__global__ void copy_rows(const float* in, float* out, int n) {  // neighbours are 32 elements apart
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 32; ++k) {
        const int i = t * 32 + k;
        if (i < n) out[i] = in[i] * 2;
    }
}
__global__ void reduce_interleaved(const int* in, int* out, int) {
    __shared__ int s[256];
    const int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int stride = 1; stride < 256; stride *= 2) {
        if (t % (2 * stride) == 0) s[t] += s[t + stride];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
__global__ void reduce_sequential(const int* in, int* out, int) {
    __shared__ int s[256];
    const int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int stride = 128; stride > 0; stride /= 2) {
        if (t < stride) s[t] += s[t + stride];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
__global__ void reduce_atomic_each(const int* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(out, in[i]);
}
__global__ void reduce_atomic_block(const int* in, int* out, int) {
    __shared__ int s[256];
    const int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int stride = 128; stride > 0; stride /= 2) {
        if (t < stride) s[t] += s[t + stride];
        __syncthreads();
    }
    if (t == 0) atomicAdd(out, s[0]);
}
__global__ void nothing() {}

static void* d_in;
static void* d_out;

template <class Run>
void timed(const char* name, Run run) {
    cudaEvent_t start, stop;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    cudaDeviceSynchronize();
    cudaEventRecord(start);
    run();
    cudaEventRecord(stop);
    cudaEventSynchronize(stop);
    float ms = 0;
    cudaEventElapsedTime(&ms, start, stop);
    std::printf("%s %.6f\n", name, ms);
}

int main() {
    cudaMalloc(&d_in, kN * 4);
    cudaMalloc(&d_out, kN * 4);
    cudaMemset(d_in, 0, kN * 4);
    cudaMemset(d_out, 0, kN * 4);
    auto* fi = static_cast<float*>(d_in);
    auto* fo = static_cast<float*>(d_out);
    auto* ii = static_cast<int*>(d_in);
    auto* io = static_cast<int*>(d_out);
    timed("nothing", [] { nothing<<<1, 1>>>(); });
    timed("one_block", [&] { copy_grid_stride<<<1, 256>>>(fi, fo, kN); });
    timed("grid", [&] { copy_grid_stride<<<kN / 256, 256>>>(fi, fo, kN); });
    timed("grid_stride", [&] { copy_grid_stride<<<64, 256>>>(fi, fo, kN); });
    timed("three_passes", [&] {
        for (int i = 0; i < 3; ++i) copy_grid_stride<<<kN / 256, 256>>>(fi, fo, kN);
    });
    timed("rows", [&] { copy_rows<<<kN / 256 / 32, 256>>>(fi, fo, kN); });
    timed("interleaved", [&] { reduce_interleaved<<<kN / 256, 256>>>(ii, io, kN); });
    timed("sequential", [&] { reduce_sequential<<<kN / 256, 256>>>(ii, io, kN); });
    timed("atomic_each", [&] { reduce_atomic_each<<<kN / 256, 256>>>(ii, io, kN); });
    timed("atomic_block", [&] { reduce_atomic_block<<<kN / 256, 256>>>(ii, io, kN); });
    timed("copy_to_host", [&] {
        static float h[kN];
        cudaMemcpy(h, fi, sizeof h, cudaMemcpyDeviceToHost);
    });
    return 0;
}
