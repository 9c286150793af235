// How blocks of one launch talk to each other through memory, for single-pass kernels.
#pragma once

#ifdef __CUDACC__  // contracts are included by the runner's host C++ too

// 64 bits of device memory that another block may be writing: read whole, never half old and half new, and never a
// stale copy. "Relaxed": nothing is promised about the order of other memory accesses before or after it.
__device__ inline unsigned long long load_relaxed(unsigned long long* address) {
    return __nv_atomic_load_n(address, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
}
__device__ inline void store_relaxed(unsigned long long* address, unsigned long long value) {
    __nv_atomic_store_n(address, value, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
}

#endif
