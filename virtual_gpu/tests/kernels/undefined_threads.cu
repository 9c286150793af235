// Pairs of kernels as in undefined.cu, for values that come from other lanes, from variables, and for atomics and
// barriers.
#define PAIR extern "C" __global__ void

// ---- Between lanes ----
PAIR shuffle_bad(const int* in, int* out, int n) {
    if (threadIdx.x >= 8) return;
    int x = in[threadIdx.x];
    int y = __shfl_down_sync(0xff, x, 16);  // shuffle read
    if (y > 3) out[threadIdx.x] = 1;        // shuffle used
}
PAIR shuffle_good(const int* in, int* out, int n) {
    if (threadIdx.x >= 8) return;
    int x = in[threadIdx.x];
    int y = __shfl_down_sync(0xff, x, 4);
    if (threadIdx.x < 4 && y > 3) out[threadIdx.x] = 1;
}
PAIR partial_sum_bad(const int* in, int* out, int n) {
    if (threadIdx.x >= 20) return;
    int x = in[threadIdx.x];
    for (int d = 16; d > 0; d /= 2) x += __shfl_down_sync(0xfffff, x, d);  // partial_sum read
    if (threadIdx.x == 0) out[0] = x;
}
PAIR partial_sum_good(const int* in, int* out, int n) {
    if (threadIdx.x >= 20) return;
    int x = in[threadIdx.x];
    for (int d = 16; d > 0; d /= 2) {
        int y = __shfl_down_sync(0xfffff, x, d);
        if (threadIdx.x + d < 20) x += y;
    }
    if (threadIdx.x == 0) out[0] = x;
}
PAIR left_lane_bad(const int* in, int* out, int n) {
    if (threadIdx.x == 31) return;
    int y = __shfl_sync(~0u, in[threadIdx.x], 31);  // left_lane read
    out[threadIdx.x] = y;
}
PAIR left_lane_good(const int* in, int* out, int n) {
    if (threadIdx.x == 31) return;
    int y = __shfl_sync(~0u, in[threadIdx.x], 30);
    out[threadIdx.x] = y;
}
PAIR diverged_bad(const int* in, int* out, int n) {
    if (threadIdx.x < 16) {
        int y = __shfl_sync(0xffff, in[threadIdx.x], threadIdx.x + 8);  // diverged read
        out[threadIdx.x] = y;
    }
}
PAIR diverged_good(const int* in, int* out, int n) {
    if (threadIdx.x < 16) {
        int y = __shfl_sync(0xffff, in[threadIdx.x], (threadIdx.x + 8) & 15);
        out[threadIdx.x] = y;
    }
}
PAIR shuffle_lane_bad(const int* in, int* out, int n) {
    int lane = in[threadIdx.x + n];                          // shuffle_lane read
    out[threadIdx.x] = __shfl_sync(~0u, threadIdx.x, lane);  // shuffle_lane used
}
PAIR shuffle_lane_good(const int* in, int* out, int n) {
    int lane = in[threadIdx.x + n];
    out[threadIdx.x] = __shfl_sync(~0u, threadIdx.x, n < 32 ? lane : 0);
}
PAIR ballot_bad(const int* in, int* out, int n) {
    unsigned who = __ballot_sync(~0u, in[threadIdx.x + 16] > 0);  // ballot read
    if (__popc(who) > 3) out[threadIdx.x] = 1;                    // ballot used
}
PAIR ballot_good(const int* in, int* out, int n) {
    unsigned who = __ballot_sync(~0u, in[threadIdx.x + 16] > 0);
    if (__popc(who & 0xffff) > 3) out[threadIdx.x] = 1;
}

// ---- Variables ----
PAIR local_array_bad(const int* in, int* out, int n) {
    int a[8];
    for (int i = 0; i < 4; ++i) a[(in[i] + i) & 7] = i;
    out[threadIdx.x] = a[(in[threadIdx.x] + 4) & 7];  // local_array read
}
PAIR local_array_good(const int* in, int* out, int n) {
    int a[8];
    for (int i = 0; i < 4; ++i) a[(in[i] + i) & 7] = i;
    out[threadIdx.x] = a[(in[threadIdx.x] - threadIdx.x) & 3];
}
PAIR accumulator_bad(const int* in, int* out, int n) {
    int sum;
#pragma unroll 1
    for (int i = 0; i < n; ++i) sum += in[i];  // accumulator read
    out[threadIdx.x] = sum;
}
PAIR accumulator_good(const int* in, int* out, int n) {
    int sum = 0;
#pragma unroll 1
    for (int i = 0; i < n; ++i) sum += in[i];
    out[threadIdx.x] = sum;
}
PAIR one_path_bad(const int* in, int* out, int n) {
    int x, y;
#pragma unroll 1
    for (int i = 0; i < n; ++i) {
        if (i > 0 && y > x) out[threadIdx.x] = i;  // one_path used
        x = in[i] + i;
        if (i > 20) y = in[i];
    }
}
PAIR one_path_good(const int* in, int* out, int n) {
    int x, y;
#pragma unroll 1
    for (int i = 0; i < n; ++i) {
        if (i > 0 && y > x) out[threadIdx.x] = i;
        x = in[i] + i;
        y = in[i];
    }
}
__device__ __noinline__ int called(int x, int y) { return threadIdx.x < 64 ? y : x; }
PAIR call_bad(const int* in, int* out, int n) {
    int y = called(1, in[threadIdx.x + n]);  // call read
    if (y > 3) out[threadIdx.x] = 1;         // call used
}
PAIR call_good(const int* in, int* out, int n) {
    int y = called(in[threadIdx.x + n], 1);
    if (y > 3) out[threadIdx.x] = 1;
}

// ---- Atomics and barriers ----
PAIR atomic_bad(const int* in, int* out, int n) {
    int x = in[threadIdx.x + n];  // atomic read
    atomicAdd(out, x);            // atomic used
}
PAIR atomic_good(const int* in, int* out, int n) {
    int x = in[threadIdx.x + n];
    atomicAdd(out, n < 32 ? x : 1);
}
PAIR counter_bad(const int* in, int* out, int n) {
    __shared__ int s[2];
    atomicAdd(&s[1], 1);  // counter read used
    __syncthreads();
    if (threadIdx.x == 0) out[0] = 1;
}
PAIR counter_good(const int* in, int* out, int n) {
    __shared__ int s[2];
    atomicExch(&s[1], 1);
    __syncthreads();
    if (threadIdx.x == 0) out[0] = s[1];
}
PAIR barrier_bad(const int* in, int* out, int n) {
    int x = in[threadIdx.x + n];                        // barrier read
    if (__syncthreads_or(x > 3)) out[threadIdx.x] = 1;  // barrier used
}
PAIR barrier_good(const int* in, int* out, int n) {
    int x = in[threadIdx.x + n];
    if (__syncthreads_or(n < 32 && x > 3)) out[threadIdx.x] = 1;
}
PAIR print_bad(const int* in, int* out, int n) {
    int x = in[threadIdx.x + n];              // print read
    if (threadIdx.x == 0) printf("%d\n", x);  // print used
}
PAIR print_good(const int* in, int* out, int n) {
    int x = in[threadIdx.x + n];
    if (threadIdx.x == 0) printf("%d\n", n < 32 ? x : 0);
}
