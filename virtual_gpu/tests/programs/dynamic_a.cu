// Kernels that launch kernels, of two files, with templates; limits set by the host; modelled time.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

extern __device__ int launches_seen;
__device__ int twice(int x);
__global__ void in_other_file(int* data);

template <class T>
__global__ void add(T* data, short number, double value) {
    data[threadIdx.x] += static_cast<T>(number + value);
}

template <class T>
__global__ void parent(T* data) {
    data[threadIdx.x] = static_cast<T>(twice(static_cast<int>(threadIdx.x)));
    __syncthreads();
    if (threadIdx.x != 0) return;
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    add<<<1, 32, 0, stream>>>(data, static_cast<short>(3), 4.0);
    cudaStreamDestroy(stream);
    in_other_file<<<1, 32, 0, cudaStreamTailLaunch>>>(reinterpret_cast<int*>(data));
}

__global__ void halves(int* data, int n) {
    if (n <= 8) {
        for (int i = 0; i < n; ++i) data[i] = i;
        return;
    }
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    halves<<<1, 1>>>(data, n / 2);
    halves<<<1, 1, 0, stream>>>(data + n / 2, n / 2);
    cudaStreamDestroy(stream);
}

__global__ void chain(int* data, int n) {
    *data = n;
    if (n > 1) chain<<<1, 1>>>(data, n - 1);
}

float milliseconds(int* data, int n, bool of_chain) {
    cudaEvent_t start, end;
    cudaEventCreate(&start);
    cudaEventCreate(&end);
    cudaEventRecord(start);
    if (of_chain)
        chain<<<1, 1>>>(data, n);
    else
        halves<<<1, 1>>>(data, n);
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    float ms = 0;
    cudaEventElapsedTime(&ms, start, end);
    return ms;
}

int main(int, char** arguments) {
    const char* what = arguments[1];
    int *data = nullptr, host[32];
    cudaMalloc(&data, 1 << 20);
    if (std::strcmp(what, "link") == 0) {
        parent<<<1, 32>>>(data);
        cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost);
        int seen = 0;
        cudaMemcpyFromSymbol(&seen, launches_seen, sizeof seen);
        std::printf("%d %d %d\n", host[0], host[31], seen);
    } else if (std::strcmp(what, "limit") == 0) {
        std::size_t limit = 0;
        cudaDeviceGetLimit(&limit, cudaLimitDevRuntimePendingLaunchCount);
        if (arguments[2]) cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, std::atoi(arguments[2]));
        halves<<<1, 1>>>(data, 8 * 4096);
        std::printf("%zu %s\n", limit, cudaGetErrorName(cudaDeviceSynchronize()));
    } else if (std::strcmp(what, "time") == 0) {
        for (const int n : {1, 2, 16}) std::printf("chain%d %g\n", n, milliseconds(data, n, true));
        for (const int n : {8, 16, 1024}) std::printf("halves%d %g\n", n, milliseconds(data, n, false));
    }
    std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}
