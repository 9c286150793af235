// One mistake for each argument; the test reads what is said of its launch, its threads and its arrays.
#include <cstdio>
#include <cstring>

namespace {

__device__ int counters[4];
__constant__ int limits[4];

// Thread 1 of block 3 is the first to leave the array; all blocks from there on follow.
__global__ void past_end(int* d_out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    d_out[i + (i >= n ? 7 : 0)] = i;
}

__global__ void in_two_dimensions(int* d_out, int width) {
    d_out[(blockIdx.y * blockDim.y + threadIdx.y) * width + blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

template <class T>
__global__ void shared_past_end(const T* d_in, T* d_out, int offset) {
    __shared__ T sum[32];
    extern __shared__ int buffer[];
    sum[threadIdx.x] = d_in[threadIdx.x];
    __syncthreads();
    d_out[threadIdx.x] = sum[threadIdx.x + (offset > 0 ? offset : 0)];
    if (offset < 0) buffer[threadIdx.x - offset] = 1;
}

__global__ void past_variables(int* d_out, int i) { d_out[0] = counters[i] + limits[i]; }

__global__ void through_a_pointer(int* const* d_arrays, int i) { d_arrays[0][i] = 1; }

// The index is too large for 32 bits: far behind d_small, and perhaps near another array.
__global__ void far_away(const int* d_small, int* d_out, unsigned i) { d_out[0] = d_small[i - 1]; }

// Without a barrier, a thread reads a place that another one has not written yet, or has.
__global__ void racing_index(const int* d_places, int* d_out) {
    __shared__ int place[64];
    place[threadIdx.x] = 1 << 20;
    __syncthreads();
    d_out[place[(threadIdx.x + 33) % 64] / 2] = 1;
    place[threadIdx.x] = d_places[threadIdx.x];
}

// A race that has nothing to do with the access that leaves the array before it.
__global__ void unrelated_race(const int* d_in, int* d_out) {
    __shared__ int last;
    if (threadIdx.x == 0) d_out[100] = d_in[0];
    __syncthreads();
    last = threadIdx.x;
    __syncthreads();
    d_out[threadIdx.x] = last;
}

__global__ void __launch_bounds__(128) bounded(int* d_out) { d_out[threadIdx.x] = 1; }

__global__ void leaves_early(int* d_out) {
    if (threadIdx.x >= 3) return;
    __syncthreads();
    d_out[threadIdx.x] = 1;
}

__global__ void copies(const int* d_from, int* d_to) { d_to[threadIdx.x] = d_from[threadIdx.x]; }

bool is(const char* what, const char* name) { return std::strcmp(what, name) == 0; }

}  // namespace

int main(int argc, char** argv) {
    const char* what = argc > 1 ? argv[1] : "";
    int *d_data = nullptr, *d_other = nullptr, **d_arrays = nullptr;
    long long* d_wide = nullptr;
    if (cudaMalloc(&d_data, 400) != cudaSuccess) return 2;
    cudaMalloc((void**)&d_other, 400);
    cudaMalloc(&d_wide, 400), cudaMalloc(&d_arrays, sizeof(int*));
    cudaMemset(d_data, 0, 400), cudaMemset(d_other, 0, 400), cudaMemset(d_wide, 0, 400);
    cudaMemcpy(d_arrays, &d_other, sizeof(int*), cudaMemcpyHostToDevice);
    if (is(what, "past_end")) past_end<<<8, 32>>>(d_data, 97);  // launch of past_end
    if (is(what, "in_two_dimensions")) in_two_dimensions<<<dim3(2, 2), dim3(4, 8)>>>(d_data, 8);
    if (is(what, "shared")) {
        shared_past_end<<<1, 32>>>(d_data, d_other, 0);
        shared_past_end<<<1, 32>>>(d_data, d_other, 1);
        shared_past_end<<<1, 32>>>(d_wide, d_wide, 1);
    }
    if (is(what, "dynamic")) shared_past_end<<<1, 32, 128>>>(d_data, d_other, -1);
    if (is(what, "variables")) past_variables<<<1, 1>>>(d_data, 4);
    if (is(what, "pointer")) through_a_pointer<<<1, 1>>>(d_arrays, 100);
    if (is(what, "far_away")) far_away<<<1, 1>>>(d_data, d_other, 0);
    if (is(what, "racing_index")) racing_index<<<1, 64>>>(d_data, d_other);
    if (is(what, "unrelated_race")) unrelated_race<<<1, 64>>>(d_data, d_other);
    if (is(what, "leaves_early")) leaves_early<<<1, 64>>>(d_other);
    if (is(what, "never_written")) {
        int *d_new = nullptr, first = 0;
        cudaMalloc(&d_new, 400);
        copies<<<1, 32>>>(d_new, d_data);  // launch of copies
        cudaMemcpy(&first, d_data, 4, cudaMemcpyDeviceToHost);
    }
    const bool checks = argc > 2;
    if (is(what, "threads")) bounded<<<1, 2048>>>(d_data);
    if (is(what, "no_blocks")) bounded<<<0, 32>>>(d_data);
    if (is(what, "negative")) bounded<<<static_cast<unsigned>(-1), 32>>>(d_data);
    if (is(what, "grid_y")) bounded<<<dim3(1, 65536), 32>>>(d_data);
    if (is(what, "block_z")) bounded<<<1, dim3(1, 1, 65)>>>(d_data);
    if (is(what, "square")) bounded<<<1, dim3(32, 64)>>>(d_data);
    if (is(what, "bounds")) bounded<<<1, 129>>>(d_data);
    if (is(what, "shared_bytes")) shared_past_end<<<1, 32, 50000>>>(d_data, d_other, 0);
    cudaError_t error = checks ? cudaGetLastError() : cudaSuccess;
    cudaMemset(d_data, 0, 4);
    if (!checks) error = cudaDeviceSynchronize();
    std::printf("%s\n", cudaGetErrorName(error));
    return 0;
}
