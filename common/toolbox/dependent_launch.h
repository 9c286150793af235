// Programmatic dependent launch: a kernel starts while the preceding kernel in the stream still runs, which hides the
// gap between the two, about 1 us. Compute capability 9.0 and newer; elsewhere, an ordinary launch.
// (CUDA C++ Programming Guide, "Programmatic Dependent Launch and Synchronization".)
#pragma once

#include "toolbox/basics.h"

// Waits until all earlier kernels have ended and their writes are visible. A kernel that launch_dependent() starts
// calls this before it reads what earlier kernels write, or writes what they use. It must call this even if it does
// neither: the kernel after it waits for this one only, and relies on it for the kernels before.
__device__ inline void wait_for_earlier_kernels() {
#if __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
}

// The next kernel may start when all blocks have called this or ended.
__device__ inline void let_next_kernel_start() {
#if __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}

// Starts to load `count` elements into the L2 cache and does not wait for them: useful before
// wait_for_earlier_kernels(). Called by all threads of a block.
template <class T>
__device__ void prefetch(const T* d_in, int count) {
    constexpr int kLine = 128 / sizeof(T);  // elements in a cache line
    for (int i = threadIdx.x * kLine; i < count; i += blockDim.x * kLine) {
        asm volatile("prefetch.global.L2 [%0];" ::"l"(d_in + i));
    }
}

// kernel<<<blocks, threads>>>(arguments...), which may start before the preceding kernel has ended.
template <auto* kernel, class... Arguments>
void launch_dependent(int blocks, int threads, Arguments... arguments) {
    // A kernel that was compiled for older devices does not wait, so it must not start early.
    static const bool waits = [] {
        cudaFuncAttributes compiled{};
        CUDA_CHECK(cudaFuncGetAttributes(&compiled, kernel));
        return compiled.ptxVersion >= 90;
    }();
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = blocks;
    config.blockDim = threads;
    config.attrs = &attribute;
    config.numAttrs = waits ? 1 : 0;
    CUDA_CHECK(cudaLaunchKernelEx(&config, kernel, arguments...));
}

// Launch: a thread for each element.
template <class T>
__global__ void clear_kernel(T* d_out, std::size_t count) {
    let_next_kernel_start();
    std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < count) d_out[i] = T{};
}

// Fills `count` elements with zeros. Unlike cudaMemsetAsync, it lets a kernel that launch_dependent() starts next begin
// at once.
template <class T>
void clear_for_next(T* d_out, std::size_t count) {
    constexpr int kThreads = 256;
    clear_kernel<<<static_cast<unsigned>(ceil_div(count, std::size_t{kThreads})), kThreads>>>(d_out, count);
    CUDA_CHECK(cudaGetLastError());
}
