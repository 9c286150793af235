// Mistakes with effects that look like mistakes of their own, and loads that nvcc moves.
#define KERNEL extern "C" __global__ void

KERNEL reverse_decides(const int* in, int* out) {
    __shared__ int s[64];
    s[threadIdx.x] = in[threadIdx.x];
    const int mirrored = s[63 - threadIdx.x];
    if (mirrored > 20)
        out[threadIdx.x] = mirrored;
    else
        out[threadIdx.x] = -mirrored;
}
KERNEL reverse_to_host(const int* in, int* out) {
    __shared__ int s[64];
    s[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = s[63 - threadIdx.x];
}
// The race is in one array, the missing value in another.
KERNEL two_mistakes(const int* in, int* out) {
    __shared__ int s[64], t[64];
    s[threadIdx.x] = in[threadIdx.x];
    if (threadIdx.x < 32) t[threadIdx.x] = 0;
    const int mirrored = s[63 - threadIdx.x] + out[threadIdx.x];
    __syncthreads();
    if (t[threadIdx.x] > 20) out[threadIdx.x] = mirrored;
}
// An index that is not defined leads anywhere.
KERNEL undefined_index(const int* in, int* out) {
    __shared__ int s[64];
    if (threadIdx.x < 60) s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[s[63 - threadIdx.x]] = 1;
}

// The load of *limit stands before the loop, behind the line of the loop's head.
KERNEL hoisted(int* limit, const int* in, int* out, int n) {
    if (threadIdx.x == 3) *limit = 5;
    int sum = 0;
    for (int i = 0; i < n; ++i) {  // hoisted
        sum += in[i + threadIdx.x] * *limit;
    }
    out[threadIdx.x] = sum;
}
