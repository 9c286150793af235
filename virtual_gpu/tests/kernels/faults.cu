// Wrong programs. Each mark is the line that a finding has to name.
#include <cassert>
#include <cstdio>

extern "C" __global__ void past_the_end(const int* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) out[i % n] = in[i];  // past_the_end
}
extern "C" __global__ void far_away(int* out) {
    out[(1ll << 28) + threadIdx.x] = 1;  // far_away
}
extern "C" __global__ void null_pointer(int* out) {
    *out = 1;  // null_pointer
}
extern "C" __global__ void misaligned(const char* in, int* out) {
    out[threadIdx.x] = *reinterpret_cast<const int*>(in + 1 + 4 * threadIdx.x);  // misaligned
}
extern "C" __global__ void never_written(const int* in, int* out) {
    out[threadIdx.x] = in[threadIdx.x];  // never_written
}
extern "C" __global__ void shared_past_the_end(int* out) {
    __shared__ int first[32];
    __shared__ int second[32];
    first[threadIdx.x] = 1;
    second[threadIdx.x] = 2;
    __syncthreads();
    out[threadIdx.x] = first[threadIdx.x + 1] + second[threadIdx.x];  // shared_past_the_end
}
extern "C" __global__ void shared_before_the_start(int* out) {
    __shared__ int first[32];
    __shared__ int second[32];
    first[threadIdx.x] = 1;
    second[threadIdx.x] = 2;
    __syncthreads();
    out[threadIdx.x] = first[threadIdx.x] + second[(int)threadIdx.x - 1];  // shared_before_the_start
}
extern "C" __global__ void shared_never_written(int* out) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x + 32];  // shared_never_written
}
extern "C" __global__ void dynamic_too_small(int* out) {
    extern __shared__ int s[];
    s[threadIdx.x] = 1;  // dynamic_too_small
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x];
}
extern "C" __global__ void race_of_warps(const int* in, int* out) {
    __shared__ int s[64];
    const int t = threadIdx.x;
    s[t] = in[t];               // race_writer
    out[t] = s[(t + 32) % 64];  // race_reader
}
extern "C" __global__ void race_of_lanes(const int* in, int* out) {
    __shared__ int s[32];
    const int t = threadIdx.x;
    s[t] = in[t];
    out[t] = s[31 - t];  // race_of_lanes
}
extern "C" __global__ void race_of_neighbours(int* out) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x > 0) s[threadIdx.x] += s[threadIdx.x - 1];  // race_of_neighbours
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x];
}
extern "C" __global__ void same_store(int* out) {
    __shared__ int s[2];
    s[0] = threadIdx.x;  // same_store
    __syncthreads();
    out[threadIdx.x] = s[0];
}
extern "C" __global__ void two_barriers(int* out) {
    if (threadIdx.x < 16)
        __syncthreads();  // barrier_a
    else
        __syncthreads();  // barrier_b
    out[threadIdx.x] = 1;
}
extern "C" __global__ void left_early(int* out, int n) {
    if (threadIdx.x >= n) return;  // return_early
    __syncthreads();               // left_early
    out[threadIdx.x] = 1;
}
extern "C" __global__ void never_arrives(int* out) {
    if (threadIdx.x < 32) asm volatile("bar.sync 1, 64;" ::: "memory");  // never_arrives
    out[threadIdx.x] = 1;
}
extern "C" __global__ void waits_for_lane(int* out) {
    if (threadIdx.x != 5)
        out[threadIdx.x] = __shfl_sync(~0u, threadIdx.x, 0);  // waits_for_lane
    else
        __syncthreads();  // lane_5
}
extern "C" __global__ void plain_spin(int* flag, int* out) {
    while (*flag == 0) {  // plain_spin
    }
    out[0] = 1;
}
extern "C" __global__ void volatile_spin(volatile int* flag, int* out) {
    while (*flag == 0) {  // volatile_spin
    }
    out[0] = 1;
}
extern "C" __global__ void spins_beside_a_barrier(volatile int* flag, int* out) {
    if (threadIdx.x >= 32)
        while (*flag == 0) {
        }
    __syncthreads();
    out[threadIdx.x] = 1;
}
extern "C" __global__ void stops(int* out, int n) {
    assert(threadIdx.x < n);  // stops
    out[threadIdx.x] = 1;
}
extern "C" __global__ void traps(int* out) {
    if (threadIdx.x == 40) __trap();  // traps
    out[threadIdx.x] = 1;
}
extern "C" __global__ void prints(const char* unused, int n) {
    if (threadIdx.x < n)
        printf("%d %5.2f %s %c %#x %lld %%\n", threadIdx.x, threadIdx.x * 0.5, "text", 'a' + threadIdx.x, 255,
               -(1ll << 40));
}
__device__ int endless(int n) { return n == -1 ? 0 : 1 + endless(n + 1) * 3; }
extern "C" __global__ void deep(int* out) { out[threadIdx.x] = endless(threadIdx.x); }
extern "C" __global__ void local_past_the_end(const int* in, int* out, int n) {
    int counts[8] = {};
    for (int i = 0; i < n; ++i) ++counts[in[i]];  // local_past_the_end
    int sum = 0;
    for (int i = 0; i < 8; ++i) sum += counts[in[i + 8]] * i;
    out[threadIdx.x] = sum;
}
__device__ __forceinline__ void require(bool is_right) {
    if (!is_right) __trap();  // require
}
extern "C" __global__ void traps_in_a_helper(const int* in, int* out) {
    require(in[threadIdx.x] != 7);  // traps_in_a_helper
    out[threadIdx.x] = 1;
}
struct Rows {
    const int* first;
    int* second;
};
template <class T>
__device__ T third_of(const T* x) {
    return x[3];
}
extern "C" __global__ void three_arrays(const int* left,  // of the sums
                                        int* __restrict__ right, Rows rows) {
    right[threadIdx.x] = left[threadIdx.x] + rows.second[threadIdx.x + third_of(left)];
}

// All threads have written their own array; all read through a pointer to thread 0's, or to their own.
extern "C" __global__ void table_of_another(const int* in, int* out, int own) {
    __shared__ int* table;
    int mine[8];
    for (int k = 0; k < 8; ++k) mine[k] = in[k] + threadIdx.x;
    if (threadIdx.x == 0) table = mine;
    __syncthreads();
    int* from = own ? mine : table;
    out[threadIdx.x] = from[in[threadIdx.x % 8]];  // table_of_another
}
extern "C" __global__ void index_beyond_an_int(const int* in, int* out, int stride) {
    out[0] = in[in[1] * stride];  // a product
}
extern "C" __global__ void index_below_zero(const int* in, int* out, unsigned n) {
    out[0] = in[n - 1];  // a difference
}
extern "C" __global__ void index_that_fits(const int* in, int* out, int stride) {
    out[0] = in[in[1] * stride + 1];  // far away
}
