// Loops that never end, and some that do.
extern "C" {

__global__ void same_start(const int* in, int* out, int n) {
    __shared__ int s[64];
    int id = threadIdx.x, start = 0;
    s[id] = 0;
    while (start + id < n) {  // same_start
        s[id] += in[start + id];
        __syncthreads();
    }
    out[id] = s[id];
}

__global__ void step_of_zero(int* out, int n, int step) {
    for (int i = threadIdx.x; i < n; i += step) out[i] = n;  // step_of_zero
}

__global__ void down_to_zero(int* out, int n) {
    for (int apart = n / 2; apart >= 0; apart /= 2) out[threadIdx.x] += apart;  // down_to_zero
}

__global__ void only_an_if(int* out, int n) {
    int low = 0, high = n;
    while (low < high) {  // only_an_if
        int middle = (low + high) / 2;
        if (middle * middle < n)
            low = middle;
        else
            high = middle;
        out[threadIdx.x] = low;
    }
}

__global__ void waits_for_memory(int* out, int n) {
    while (atomicAdd(&out[1], 0) < n) out[2] += 1;  // waits_for_memory
}

// Ends after n rounds of 100.
__global__ void long_one(int* out, int n) {
    for (int i = 0; i < n; ++i)  // long_one
        for (int k = 0; k < 100; ++k) out[(i + k) & 31] += k;
}

__global__ void collatz(int* out, int n) {
    for (unsigned x = n; x != 1; x = x % 2 == 0 ? x / 2 : 3 * x + 1) out[threadIdx.x] += 1;
}

// The sum stops growing, where 1 is less than the step from one float to the next.
__global__ void stuck_sum(float* out, float n) {
    float sum = 0;
    while (sum < n) sum += 4096;  // stuck_sum
    out[threadIdx.x] = sum;
}

// ---- These end: what decides that is in no register that is the same after a round ----

// Once around all 2^21 states.
__global__ void around(unsigned* out, int n) {
    unsigned x = n;
    do x = (x * 5 + 3) & 0x1FFFFF;
    while (x != n);
    out[threadIdx.x] = x;
}

// In most rounds nothing is taken away.
__global__ void seldom_less(unsigned* out, int n) {
    unsigned x = threadIdx.x;
    for (int left = n; left > 0; left -= (x >> 8 & 255) == 0) x = x * 1664525 + 1013904223;
    out[threadIdx.x] = x;
}

__device__ __noinline__ int less(int n) { return n - 1; }
__global__ void by_call(int* out, int n) {
    while (n > 0) n = less(n);
    out[threadIdx.x] = n;
}

// The counter is in memory.
__global__ void in_shared(int* out, int n) {
    __shared__ volatile int left;
    left = n;
    __syncthreads();
    while (left > 0)
        if (threadIdx.x == 0) left = left - 1;
    out[threadIdx.x] = left;
}

__global__ void in_local(int* out, int n) {
    volatile int left[2] = {n, n};
    while (left[n & 1] > 0) left[n & 1] = left[n & 1] - 1;
    out[threadIdx.x] = left[0];
}

// Threads of another warp decide: the first rounds of the others are all the same.
__global__ void by_barrier(int* out, int n, int how) {
    int mine = threadIdx.x / 32 == 0 ? 0 : n;
    int goes_on = 1;
    while (goes_on) {
        if (how == 0) goes_on = __syncthreads_or(mine > 0);
        if (how == 1) goes_on = !__syncthreads_and(mine <= 0);
        if (how == 2) goes_on = __syncthreads_count(mine > 0);
        if (threadIdx.x / 32 != 0) --mine;
    }
    out[threadIdx.x] = mine;
}

__global__ void by_lanes(int* out, int n, int how) {
    int mine = threadIdx.x == 31 ? n : 0;
    int goes_on = 1;
    while (goes_on) {
        if (how == 0) goes_on = __any_sync(~0u, mine > 0);
        if (how == 1) goes_on = __shfl_sync(~0u, mine, 31) > 0;
        if (how == 2) goes_on = __ballot_sync(~0u, mine > 0) != 0;
        if (threadIdx.x == 31) --mine;
    }
    out[threadIdx.x] = mine;
}

__global__ void by_clock(int* out, int n) {
    const long long begin = clock64();
    int rounds = 0;
    while (clock64() - begin < n) ++rounds;
    out[threadIdx.x] = rounds > 0;
}

// What is read decides, and stays the same.
__global__ void bisects(int* out, int n) {
    int low = 0, high = n;
    while (low < high) {  // bisects
        const int middle = (low + high) / 2;
        if (out[middle] < 5)
            low = middle;
        else
            high = middle;
    }
    out[threadIdx.x] = low;
}

// The same, asked the other way round.
__global__ void bisects_from_above(int* out, int n) {
    int low = 0, high = n;
    while (high > low) {  // bisects_from_above
        const int middle = (low + high) / 2;
        if (out[middle] < 5)
            low = middle;
        else
            high = middle;
    }
    out[threadIdx.x] = low;
}

// The last block sets free all others.
__global__ void by_flag(int* out, int n) {
    if (blockIdx.x == gridDim.x - 1) {
        float x = 0;
        for (int i = 0; i < n; ++i) x = x * 0.5f + 1;
        out[1] = x > 3;
        __threadfence();
        atomicExch(&out[0], 1);
    }
    while (((volatile int*)out)[0] == 0) continue;
}

// A machine of states, whose last one is reached by a count.
__global__ void states(int* out, int n) {
    int state = 0, i = 0;
    while (state != 9) {
        switch (state) {
            case 0:
                state = 1;
                break;
            case 1:
                state = i % 3 == 0 ? 2 : 3;
                break;
            case 2:
                state = 4;
                break;
            case 3:
                state = 5;
                break;
            case 4:
                out[0] += 1;
                state = 6;
                break;
            case 5:
                out[1] += 1;
                state = 6;
                break;
            case 6:
                state = ++i < n ? 0 : 9;
                break;
        }
    }
}

__constant__ int limits[2] = {100000, 3};
// Rounds of nothing inside of rounds, and a bisection in each.
__global__ void many_inside(int* out, int n) {
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < out[5]; ++k) out[6] += 1;
        int low = 0, high = limits[0];
        while (high - low > 1) {
            const int middle = (low + high) / 2;
            (middle <= i ? low : high) = middle;
        }
        if (low == i + 1) --i;
        out[threadIdx.x & 3] = low;
    }
}

}  // extern "C"
