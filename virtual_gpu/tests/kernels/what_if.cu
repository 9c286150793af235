// Kernels with one mistake each, which a what-if rule repairs. What they ought to compute stands in exec_what_if.cc.

// ---- Zeros, and variables ----

__device__ int counter;
__device__ int best = 7;

// Places drawn from a counter that nobody resets: from the second launch on, they are too large.
extern "C" __global__ void never_reset(int* out) {
    if (threadIdx.x == 0) out[blockIdx.x] = atomicAdd(&counter, 1) / 1000 + best;
    if (blockIdx.x == 0 && threadIdx.x == 0) best = 100;
}

// Bins in shared memory that nobody clears.
extern "C" __global__ void shared_not_cleared(int* out) {
    __shared__ int bins[32];
    atomicAdd(&bins[threadIdx.x % 32], 1);
    __syncthreads();
    if (threadIdx.x < 32) atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

// The same for bins of each thread, and for a sum.
extern "C" __global__ void local_not_cleared(const int* in, int* out, int n) {
    int bins[8];
    int sum;
    for (int i = 0; i < n; ++i) {
        ++bins[in[i] & 7];
        if (in[i] > 3) sum += in[i];
    }
    for (int b = 0; b < 8; ++b) out[threadIdx.x * 9 + b] = bins[b];
    out[threadIdx.x * 9 + 8] = sum;
}

// Counts into an array that ought to hold zeros.
extern "C" __global__ void counts_into(int* out) { atomicAdd(&out[threadIdx.x % 8], 1); }
