// Copies by cp.async, waited for in time (right_...) and too late (wrong_...).
#include <cuda_pipeline.h>

constexpr int kThreads = 64;

// Adds up n tiles of 64, each read in reverse: `kStages` tiles are on their way, `kPrior` of them may be at the wait.
template <int kStages, int kPrior>
__device__ void add_tiles(const int* in, int* out, int n) {
    __shared__ int s[kStages][kThreads];
    const int t = threadIdx.x;
    int sum = 0;
    for (int i = 0; i < kStages - 1; ++i) {
        if (i < n) __pipeline_memcpy_async(&s[i][t], &in[i * kThreads + t], 4);  // a first copy
        __pipeline_commit();
    }
    for (int i = 0; i < n; ++i) {
        const int ahead = i + kStages - 1;
        if (ahead < n) __pipeline_memcpy_async(&s[ahead % kStages][t], &in[ahead * kThreads + t], 4);  // the copy
        __pipeline_commit();
        __pipeline_wait_prior(kPrior);
        __syncthreads();
        sum += s[i % kStages][kThreads - 1 - t];  // the read
        __syncthreads();
    }
    out[t] = sum;
}
extern "C" __global__ void right_two_stages(const int* in, int* out) { add_tiles<2, 1>(in, out, 8); }
extern "C" __global__ void right_four_stages(const int* in, int* out) { add_tiles<4, 3>(in, out, 8); }
extern "C" __global__ void right_waits_for_all(const int* in, int* out) { add_tiles<3, 0>(in, out, 8); }
extern "C" __global__ void wrong_one_too_many(const int* in, int* out) { add_tiles<3, 3>(in, out, 8); }

// A thread may use what it has copied itself after its own wait.
template <bool kWaits>
__device__ void own(const int* in, int* out) {
    __shared__ int s[kThreads];
    const int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &in[t], 4);
    __pipeline_commit();
    if (kWaits) __pipeline_wait_prior(0);
    out[t] = s[t];
    __pipeline_wait_prior(0);
}
extern "C" __global__ void right_own(const int* in, int* out) { own<true>(in, out); }
extern "C" __global__ void wrong_own(const int* in, int* out) { own<false>(in, out); }

// The wait alone does not tell the other threads, nor does the barrier before it.
extern "C" __global__ void wrong_barrier_before_wait(const int* in, int* out) {
    __shared__ int s[kThreads];
    const int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &in[t], 4);
    __pipeline_commit();
    __syncthreads();
    __pipeline_wait_prior(0);
    out[t] = s[kThreads - 1 - t];
}
