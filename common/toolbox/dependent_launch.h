// Programmatic dependent launch: a kernel starts while the preceding kernel in the stream still runs, which hides the
// gap between the two, about 1 us. Compute capability 9.0 and newer; elsewhere, an ordinary launch.
// (CUDA C++ Programming Guide, "Programmatic Dependent Launch and Synchronization".)
#pragma once

#include "toolbox/basics.h"

// A kernel that launch_dependent() starts calls this before it reads what earlier kernels write, or writes what they
// use: it waits until they have ended. Every such kernel must call it, as later ones rely on it.
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

// kernel<<<blocks, threads>>>(arguments...), which may start before the preceding kernel has ended.
template <class... Parameters, class... Arguments>
void launch_dependent(void (*kernel)(Parameters...), int blocks, int threads, Arguments... arguments) {
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = blocks;
    config.blockDim = threads;
    config.attrs = &attribute;
    // A kernel that was compiled for older devices does not wait, so it must not start early.
    cudaFuncAttributes compiled{};
    CUDA_CHECK(cudaFuncGetAttributes(&compiled, kernel));
    config.numAttrs = compiled.ptxVersion >= 90 ? 1 : 0;
    CUDA_CHECK(cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...));
}
