// Communication between blocks of one launch through memory, for single-pass kernels.
#pragma once

#ifdef __CUDACC__  // contracts are included by the runner's host C++ too

// For 64 bits of device memory that several blocks access: a load gives a whole value, never half of one and never a
// stale copy. "Relaxed" means that neither orders other memory accesses before or after it.
__device__ inline unsigned long long load_relaxed(unsigned long long* address) {
    return __nv_atomic_load_n(address, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
}
__device__ inline void store_relaxed(unsigned long long* address, unsigned long long value) {
    __nv_atomic_store_n(address, value, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
}

#endif
