// Kernels whose addresses are traced.

// Lane l reads word 32 * l of shared memory, all in bank 0, and writes word l of row y.
extern "C" __global__ void column(const int* in, int* out) {
    __shared__ int tile[32 * 32];
    for (int y = 0; y < 32; ++y) tile[y * 32 + threadIdx.x] = in[y * 32 + threadIdx.x];  // fill
    __syncwarp();
    int sum = 0;
    for (int x = 0; x < 3; ++x) sum += tile[threadIdx.x * 32 + x];  // column
    out[blockIdx.x * 32 + threadIdx.x] = sum;
}

// The first warp skips the line; lanes 0 to 15 of the second one read every fourth element.
extern "C" __global__ void strided(const int* in, int* out, int times) {
    int sum = 0;
    for (int i = 0; i < times; ++i)
        if (threadIdx.x >= 32 && threadIdx.x < 48) sum += in[(threadIdx.x - 32) * 4];  // strided
    out[threadIdx.x] = sum;
}
