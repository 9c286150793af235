// Kernels for the tests of who wrote what. The lines that exec_writes.cc looks for have a mark.

constexpr int kBlock = 64;

extern "C" __global__ void by_shared(const int* in, int* out) {
    __shared__ int s[kBlock];
    const int t = threadIdx.x;
    s[t] = in[blockIdx.x * kBlock + t] + 1;  // shared_put
    __syncthreads();
    out[blockIdx.x * kBlock + t] = s[kBlock - 1 - t] * 2;  // shared_take
}

extern "C" __global__ void all_to_one(int* out) {
    if (threadIdx.x % 2 == 0) out[5] = threadIdx.x;  // all_to_one
}

extern "C" __global__ void counts(unsigned* out) {
    atomicAdd(&out[threadIdx.x % 8], 1u);  // counts
}

// Atomics that change nothing are no writes; an exchange is one.
extern "C" __global__ void changes_little(int* out) {
    const int t = threadIdx.x;
    atomicMax(&out[0], 100 - t);
    atomicCAS(&out[1], t, t + 1000);
    atomicExch(&out[2], 7);
}

extern "C" __global__ void in_vectors(const int4* in, int4* out) {
    int4 four = in[threadIdx.x];
    four.y += 1;
    out[threadIdx.x] = four;  // in_vectors
}

extern "C" __global__ void in_bytes(const unsigned char* in, unsigned char* out) {
    out[threadIdx.x] = in[threadIdx.x] + 1;  // in_bytes
}

extern "C" __global__ void wide(const double* in, double* out) { out[threadIdx.x] = 2 * in[threadIdx.x]; }

extern "C" __global__ void sums(const int* in, int* out, int n) {
    int sum = 0;
#pragma unroll 1
    for (int i = 0; i < n; ++i) sum += in[i];  // sums_read
    if (threadIdx.x == 3) out[0] = sum;
}

// Half a word of what is there.
extern "C" __global__ void one_half(unsigned short* out) { out[3] = 0xABCD; }
