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

// ---- What public programs do besides ----

// A tile of 16 x 16: half a warp reads one row, and both halves read the same column.
extern "C" __global__ void matmul(const float* in, float* out, int n) {
    constexpr int kSide = 64;
    __shared__ float a[16][16], b[16][16];
    const int x = threadIdx.x % 16, y = threadIdx.x / 16, tile = blockIdx.x % 16;
    const int row = tile / 4 * 16 + y, col = tile % 4 * 16 + x;
    const float* m = in + blockIdx.x / 16 * kSide * kSide;
    float sum = 0;
    for (int k = 0; k < kSide; k += 16) {
        a[y][x] = m[row * kSide + k + x];
        b[y][x] = m[(k + y) * kSide + col];
        __syncthreads();
        for (int j = 0; j < 16; ++j) sum += a[y][j] * b[j][x];
        __syncthreads();
    }
    if (blockIdx.x * 256 + threadIdx.x < n) out[blockIdx.x * 256 + threadIdx.x] = sum;
}

extern "C" __global__ void count_all(const int* in, int* out, int n) {  // global atomics at scattered places
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&out[in[i] & 4095], 1);
}

extern "C" __global__ void stencil(const float* in, float* out, int n) {  // neighbours' reads of the same elements
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 1024 && i + 1024 < n) out[i] = in[i - 1] + in[i] + in[i + 1] + in[i - 1024] + in[i + 1024];
}

extern "C" __global__ void all_to_all(const float* in, float* out, int n) {  // every warp reads the same elements
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int j = 0; j < 64; ++j) sum += in[j] - in[i];
    if (i < n) out[i] = sum;
}

extern "C" __global__ void groups(const int* in, int* out, int n) {  // quarters of a warp, in shared memory
    __shared__ int part[256];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned mask = 0xffu << (threadIdx.x % 32 / 8 * 8);
    part[threadIdx.x] = i < n ? in[i] : 0;
    for (int half = 4; half > 0; half /= 2) {
        __syncwarp(mask);
        const int other = part[threadIdx.x ^ half];
        __syncwarp(mask);
        part[threadIdx.x] += other;
    }
    if (i < n) out[i] = part[threadIdx.x];
}

extern "C" __global__ void unwritten(const int* in, int* out, int n) {  // reads garbage, and does not use it
    __shared__ int part[2][256];
    const int t = threadIdx.x, i = blockIdx.x * 256 + t;
    part[0][t] = i < n ? in[i] : 0;
    __syncthreads();
    int sum = 0;
    for (int k = 0; k < 8; ++k) {
        const int here = part[0][(t + k) % 256], beside = part[1][(t + k) % 256];
        sum += t < 512 ? here : beside;
        sum += n > 0 ? here : beside;
    }
    if (i < n) out[i] = sum;
}
