// Communication between blocks of one launch through memory, for single-pass kernels.
#pragma once

#ifdef __CUDACC__  // contracts are included by the runner's host C++ too

// For a 64-bit word of device memory that several blocks access. A load returns one whole stored value, never parts of
// two, and never a copy that the L1 cache kept. "Relaxed" means that other memory accesses of the thread may move from
// before it to after it, or the other way: what belongs together must be in the one word.
__device__ inline unsigned long long load_relaxed(unsigned long long* address) {
    return __nv_atomic_load_n(address, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
}
__device__ inline void store_relaxed(unsigned long long* address, unsigned long long value) {
    __nv_atomic_store_n(address, value, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
}

#endif
