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
        if (middle * middle < n) low = middle;
        else high = middle;
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

}  // extern "C"
