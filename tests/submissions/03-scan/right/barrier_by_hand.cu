// Style: a barrier of the whole grid by hand, an atomic counter and a spin on a volatile word, in a cooperative launch
// of as many blocks as fit on the device; the counter is a static __device__ variable that every launch leaves as it
// found it.
#include "scan.h"

struct GridBarrier {
    unsigned arrived, generation;
};
static __device__ GridBarrier g_barrier;

__device__ void wait_for_grid() {
    __syncthreads();
    if (threadIdx.x == 0) {
        volatile unsigned* generation = &g_barrier.generation;
        unsigned mine = *generation;
        __threadfence();
        if (atomicAdd(&g_barrier.arrived, 1) == gridDim.x - 1) {
            g_barrier.arrived = 0;
            __threadfence();
            *generation = mine + 1;
        } else {
            while (*generation == mine) __nanosleep(64);
        }
        __threadfence();
    }
    __syncthreads();
}

__global__ void all_steps(const int* in, int* out, int* other, int n) {
    int steps = n > 1 ? 32 - __clz(n - 1) : 1, threads = gridDim.x * blockDim.x;
    const int* from = in;
    for (int step = 0; step < steps; ++step) {
        int *to = (steps - step) & 1 ? out : other, offset = 1 << step;
        if (step > 0) wait_for_grid();
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
            const volatile int* x = from + i;
            to[i] = i < offset ? x[0] : x[0] + x[-offset];
        }
        from = to;
    }
}

void naive(const int* d_in, int* d_out, int n, Workspace& work) {
    if (n == 0) return;
    int device, processors, resident;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, all_steps, 256, 0));
    int blocks = min(processors * resident, ceil_div(n, 256));
    int* d_other = work.get<int>(n);
    void* arguments[] = {&d_in, &d_out, &d_other, &n};
    CUDA_CHECK(cudaLaunchCooperativeKernel(all_steps, dim3(blocks), dim3(256), arguments));
}
