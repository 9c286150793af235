// The kernels of dependents.cu: what each does before and after it waits for the kernel in front of it.
#pragma once

constexpr int kCount = 1 << 12, kBlock = 128;

static __global__ void primary(int* out, int n) {
    cudaTriggerProgrammaticLaunchCompletion();
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) out[i] = i;
}

static __global__ void shows(int* out, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) out[i] = i;
    __threadfence();
    __syncthreads();
    cudaTriggerProgrammaticLaunchCompletion();
}

static __global__ void waits(const int* in, const int* table, int* out, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const int factor = table[threadIdx.x % 4];
    cudaGridDependencySynchronize();
    cudaTriggerProgrammaticLaunchCompletion();
    if (i < n) out[i] = in[i] * factor;
}

// One thread waits for all of its block.
static __global__ void one_waits(const int* in, int* out, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (threadIdx.x == 0) cudaGridDependencySynchronize();
    __syncthreads();
    if (i < n) out[i] = in[i] * 2;
}

// The same without the barrier.
static __global__ void one_waits_alone(const int* in, int* out, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (threadIdx.x == 0) cudaGridDependencySynchronize();
    if (i < n) out[i] = in[i] * 2;
}

static __global__ void never_waits(const int* in, int* out, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) out[i] = in[i] * 2;
}

static __global__ void waits_late(const int* in, int* out, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const int x = i < n ? in[i] : 0;
    cudaGridDependencySynchronize();
    if (i < n) out[i] = x * 2;
}

static __global__ void clears_early(int* read_before, int* out, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) read_before[i] = 0;
    cudaGridDependencySynchronize();
    if (i < n) out[i] = 7;
}

static __global__ void triggers_before_it_waits(const int* in, int* out, int n) {
    cudaTriggerProgrammaticLaunchCompletion();
    cudaGridDependencySynchronize();
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) out[i] = in[i] * 2;
}

// Other means than to wait: a flag that the kernel before sets.
static __global__ void sets_flag(int* out, int* flag, int n) {
    if (blockIdx.x == 0) {
        for (int i = static_cast<int>(threadIdx.x); i < n; i += static_cast<int>(blockDim.x)) out[i] = i;
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) atomicExch(flag, 1);
    }
}

static __global__ void polls_flag(const int* in, int* flag, int* out, int n) {
    if (threadIdx.x == 0)
        while (atomicAdd(flag, 0) == 0) {
        }
    __threadfence();
    __syncthreads();
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) out[i] = in[i] * 2;
}

static __global__ void takes_long(int* out, int n) {
    cudaGridDependencySynchronize();
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    int x = i;
    for (int k = 0; k < 2000; ++k) x = x * x + k;
    if (i < n) out[i] = x;
}

// Has nothing to do with the kernel before it.
static __global__ void apart(int* out, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) out[i] = 5;
}
