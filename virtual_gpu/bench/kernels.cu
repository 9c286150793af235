// Kernels for the interpreter's benchmark: what the labs' kernels do most.
extern "C" __global__ void square(const float* in, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * in[i];
}

extern "C" __global__ void reduce(const int* in, int* out, int n) {
    __shared__ int partial[256];
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
    partial[threadIdx.x] = sum;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = partial[0];
}

extern "C" __global__ void scan(const int* in, int* out, int n) {
    __shared__ int buffer[2][256];
    const int t = threadIdx.x, i = blockIdx.x * 256 + t;
    int from = 0;
    buffer[0][t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
        buffer[1 - from][t] = buffer[from][t] + (t >= step ? buffer[from][t - step] : 0);
        from = 1 - from;
        __syncthreads();
    }
    if (i < n) out[i] = buffer[from][t];
}

extern "C" __global__ void shuffle_sum(const float* in, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = i < n ? in[i] : 0;
    for (int offset = 16; offset > 0; offset /= 2) x += __shfl_down_sync(~0u, x, offset);
    if (threadIdx.x % 32 == 0 && i < n) out[i / 32] = x;
}

extern "C" __global__ void histogram(const int* in, int* out, int n) {
    __shared__ int bins[256];
    bins[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[in[i] & 255], 1);
    __syncthreads();
    atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

extern "C" __global__ void convolve(const float* in, float* out, int n) {
    __shared__ float tile[256 + 16];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = i < n ? in[i] : 0;
    if (threadIdx.x < 16) tile[256 + threadIdx.x] = i + 256 < n ? in[i + 256] : 0;
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 16; ++k) sum = fmaf(tile[threadIdx.x + k], 0.125f * k, sum);
    if (i < n) out[i] = sum;
}

extern "C" __global__ void collatz(const int* in, int* out, int n) {  // divergent loops
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned x = (unsigned)in[i] + i + 1, steps = 0;
    while (x != 1 && steps < 100) {
        if (x % 2 == 0)
            x /= 2;
        else
            x = 3 * x + 1;
        ++steps;
    }
    out[i] = (int)steps;
}

extern "C" __global__ void arithmetic(const int* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned a = (unsigned)in[i % n], b = i;
    for (int k = 0; k < 64; ++k) {
        a = a * 1664525u + 1013904223u + b;
        b ^= a >> 7;
        a += b << 3;
    }
    if (i < n) out[i] = (int)(a ^ b);
}
