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

// ---- Order ----

constexpr int kBlock = 128;

// Reads and writes of one round of a scan: a barrier is missing between them, where no barrier can be.
extern "C" __global__ void scan_in_place(const int* in, int* out) {
    __shared__ int s[kBlock];
    const int t = threadIdx.x;
    s[t] = in[t];  // scan_fill
    __syncthreads();
    for (int offset = 1; offset < kBlock; offset *= 2) {
        if (t >= offset) s[t] += s[t - offset];  // scan_round
        __syncthreads();
    }
    out[t] = s[t];  // scan_out
}

// A barrier is missing between two statements.
extern "C" __global__ void reversed(const int* in, int* out) {
    __shared__ int s[kBlock];
    const int t = threadIdx.x;
    s[t] = in[t];                // reversed_put
    out[t] = s[kBlock - 1 - t];  // reversed_take
}

// The same, in global memory of one block.
extern "C" __global__ void reversed_in_global(int* data, int* out) {
    const int t = threadIdx.x;
    data[t] = 2 * t;                // global_put
    out[t] = data[kBlock - 1 - t];  // global_take
}

// A tile is filled again while others still read it. The last tile is not full: some threads leave the loop early.
extern "C" __global__ void tiles(const int* in, int* out, int n) {
    __shared__ int s[kBlock];
    const int t = threadIdx.x;
    int sum = 0;
    for (int at = 0; at < n; at += kBlock) {
        s[t] = at + t < n ? in[at + t] : 0;  // tiles_fill
        __syncthreads();
        for (int k = 0; k < kBlock; k += 32) sum += s[(t + k) % kBlock];  // tiles_use
    }
    out[t] = sum;
}

// No barrier at all between the rounds, and ever fewer threads in them.
extern "C" __global__ void tree(const int* in, int* out) {
    __shared__ int s[kBlock];
    const int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (int half = kBlock / 2; half > 0; half /= 2) {
        if (t < half) s[t] += s[t + half];  // tree
    }
    if (t == 0) *out = s[0];
}

// A barrier is missing behind a loop. An order of the reads before the writes repairs nothing.
extern "C" __global__ void behind_a_loop(const int* in, int* out) {
    __shared__ int s[4 * kBlock];
    const int t = threadIdx.x;
    for (int k = t; k < 4 * kBlock; k += blockDim.x) s[k] = in[k];  // loop_fill
    int sum = 0;
    for (int k = 0; k < 4; ++k) sum += s[4 * (kBlock - 1 - t) + k];  // loop_use
    out[t] = sum;
}

// Rounds that threads sit out, each in its turn; the line is in a function of its own.
__device__ __noinline__ void add_to_next(int* s, int t) {
    const int next = (t + 1) % kBlock;
    const int sum = s[next] + 1;  // rounds_read
    s[t] = sum;                   // rounds_write
}
extern "C" __global__ void rounds(int* out) {
    __shared__ int s[kBlock];
    const int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    for (int round = 0; round < 12; ++round) {
        if (t % 4 != round % 4) add_to_next(s, t);
        __syncthreads();
    }
    out[t] = s[t];
}

// ---- By index, and one at a time ----

// Places are drawn: the values are right, but in any order.
extern "C" __global__ void draws(const int* in, int* out, int* count, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] % 3 != 0) out[atomicAdd(count, 1)] = in[i];
}

// The same, with several values for each thread.
extern "C" __global__ void draws_often(const int* in, int* out, int* count, int n) {
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    for (int i = first; i < first + 4 && i < n; ++i)
        if (in[i] % 3 != 0) out[atomicAdd(count, 1)] = in[i];
}

// By a loop that compares and swaps; behind it, the lanes have to meet again.
extern "C" __global__ void draws_by_cas(const int* in, int* out, int* count, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] % 3 != 0) {
        int seen = atomicAdd(count, 0), next;
        do {
            next = seen;
            seen = atomicCAS(count, next, next + 1);
        } while (seen != next);
        out[next] = in[i];
    }
    __syncthreads();
    __syncwarp();
}

// A sum of floats, whose last bits depend on the order.
extern "C" __global__ void sums(const float* in, float* out, int n) {
    __shared__ float sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&sum, in[i]);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(out, sum);
}

// Reads, adds one, and writes: some additions are lost.
extern "C" __global__ void counts_in_shared(const int* in, int* out, int n) {
    __shared__ int bins[8];
    if (threadIdx.x < 8) bins[threadIdx.x] = 0;  // bins_cleared
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) ++bins[in[i] % 8];  // bins_counted
    __syncthreads();
    if (threadIdx.x < 8) out[threadIdx.x] = bins[threadIdx.x];  // bins_written
}

extern "C" __global__ void counts_in_global(const int* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[in[i] % 8] += 1;  // global_counted
}

// The largest value and where it is, on several lines. Threads that have nothing larger write nothing.
extern "C" __global__ void largest(const int* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int old = out[0];  // largest_read
    if (in[i] > old) {
        out[0] = in[i];  // largest_written
    }
}

// ---- Wide ----

// The product is larger than an int; what it becomes is a small index.
extern "C" __global__ void parts(const int* in, int* out, int n) {
    const int id = threadIdx.x;
    const int first = id * n / 32;  // parts_product
    out[id] = in[first / 10000000];
}

// It passes the check, because it has become negative.
extern "C" __global__ void bound(int* out, int stride, int n) {
    const int i = threadIdx.x;
    if (i * stride < n) out[i] = 1;  // bound_product
}

// The middle between two large numbers.
extern "C" __global__ void middle(const int* in, int* out, int low, int high) {
    const int mid = (low + high) / 2 - low + threadIdx.x;  // middle_sum
    out[threadIdx.x] = in[mid];
}

// n - 1 is below 0 if n is 0.
extern "C" __global__ void pairs(int* out, unsigned n) {
    const unsigned i = threadIdx.x;
    if (i < n - 1) out[i] = 1;  // pairs_bound
}

// Right: a range check by one comparison, an index below 0 that is not used, numbers that may wrap round, and bits of
// floats, which are no numbers.
extern "C" __global__ void right_arithmetic(const int* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x - 3;
    int sum = 0;
    if (static_cast<unsigned>(i) < static_cast<unsigned>(n)) sum = in[i];
    unsigned hash = threadIdx.x * 2654435761u + 12345u;
    hash ^= hash >> 16;
    sum += in[hash % static_cast<unsigned>(n)];
    sum += in[static_cast<unsigned>(n) / 2 + (static_cast<int>(threadIdx.x % 32) - 16)];
    if (__float_as_uint(static_cast<float>(i)) << 1 > 0x8000'0000u) sum += 5;
    for (int k = n - 1; k >= 0; k -= 7) sum += in[k] * 1000003;
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// ---- In place ----

// Neighbours may have been changed already.
extern "C" __global__ void smooth(int* data, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) data[i] = data[i - 1] + 3 * data[i + 1];
}

extern "C" __global__ void increase(int* data, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] += 1;
}

// Right, but not if it reads what was there before.
extern "C" __global__ void twice(int* data, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] += 1;
    __syncthreads();
    if (i < n) atomicAdd(&data[i], data[i]);
}

// The second warp sets the flag that the first one waits for: an order before that can never be.
extern "C" __global__ void waits_for_flag(int* flag, int* out) {
    if (threadIdx.x < 32) {
        while (atomicAdd(flag, 0) == 0) {
        }
        out[threadIdx.x] = 1;  // flag_after
    } else {
        atomicExch(flag, 1);  // flag_set
    }
}
