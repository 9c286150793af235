// Launches that fail and kernels that stop, unnoticed by the host.
#include <cassert>

#include "corpus.h"

__global__ void fill(int* data, int n) {
    const int i = (blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    if (i < n) data[i] = i;
}

template <bool kGood>
void block_too_large() {
    Array<int> data(4096, 0);
    fill<<<kGood ? 4 : 2, kGood ? 1024 : 2048>>>(data, 4096);  // block_too_large: ignored_error
    data.print();
}

template <bool kGood>
void block_too_large_in_three() {
    Array<int> data(4096, 0);
    fill<<<4, dim3(32, 32, kGood ? 1 : 2)>>>(data, 4096);  // block_too_large_in_three: ignored_error
    data.print();
}

template <bool kGood>
void no_blocks() {
    const int n = 100;
    Array<int> data(n, 0);
    fill<<<kGood ? (n + 255) / 256 : n / 256, 256>>>(data, n);  // no_blocks: ignored_error
    data.print();
}

__global__ void reverse(int* data, int n) {
    extern __shared__ int tile[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) tile[i] = data[n - 1 - i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] = tile[i];
}
template <bool kGood>
void tile_too_large() {
    const int n = 15'000, bytes = n * sizeof(int);
    Array<int> data(numbers(n));
    if (kGood) CHECK(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    reverse<<<1, 256, bytes>>>(data, n);  // tile_too_large: ignored_error
    data.print();
}

__global__ void look_up(const int* in, int* out, int n) {
    const int i = threadIdx.x;
    assert(in[i] < n);  // assertion: device_assert
    out[in[i]] = 1;
}
template <bool kGood>
void assertion() {
    Array<int> in(numbers(64)), out(2000, 0);
    look_up<<<1, 64>>>(in, out, kGood ? 2000 : 900);
    out.print();
}

__global__ void parse(const int* in, int* out) {
    switch (in[threadIdx.x] % 8) {
        case 0:
        case 1:
        case 2:
        case 3:
            out[threadIdx.x] = 1;
            break;
        case 4:
        case 5:
        case 6:
            out[threadIdx.x] = 2;
            break;
        default:
            __trap();  // trap_on_bad_input: trap
    }
}
template <bool kGood>
void trap_on_bad_input() {
    std::vector<int> host = numbers(64);
    for (int& one : host) one = kGood ? one / 8 * 8 : one;
    Array<int> in(host), out(64, 0);
    parse<<<1, 64>>>(in, out);
    out.print();
}

// The depth of a list, which is a ring.
__device__ __noinline__ int depth(const int* next, int at, int* trail) {
    int here[64];
    for (int k = 0; k < 64; ++k) here[k] = trail ? trail[k] + at : at;
    const int more = next[at] < 0 ? 0 : depth(next, next[at], here);  // endless_recursion: invalid_access
    return more + 1 + (here[at & 63] == -7);
}
__global__ void depths(const int* next, int* out) { *out = depth(next, 0, nullptr); }
template <bool kGood>
void endless_recursion() {
    std::vector<int> list = {1, 2, 3, 4, 5, 6, 7, kGood ? -1 : 0};
    Array<int> next(list), out(1, 0);
    if (kGood) CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 8192));
    depths<<<1, 1>>>(next, out);
    out.print();
}

// More memory than there is, and nobody asked whether it was given.
template <bool kGood>
void allocation_failed() {
    int* data = nullptr;
    cudaMalloc(&data, kGood ? 4096 : 1ull << 50);  // allocation_failed: ignored_error
    fill<<<4, 256>>>(data, 1024);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(data));
}

__constant__ int table[16];
__global__ void read_table(int* out) { out[threadIdx.x] = table[threadIdx.x % 16]; }
template <bool kGood>
void symbol_too_small() {
    const std::vector<int> host = numbers(32);
    cudaMemcpyToSymbol(table, host.data(), (kGood ? 16 : 32) * sizeof(int));  // symbol_too_small: ignored_error
    Array<int> out(32, 0);
    read_table<<<1, 32>>>(out);
    out.print();
}

template <bool kGood>
void event_not_recorded() {
    Array<int> data(1024, 0);
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    for (int n = 256; n <= 1024; n *= 2) {
        CHECK(cudaEventRecord(begin));
        fill<<<4, 256>>>(data, n);
        if (kGood) CHECK(cudaEventRecord(end));
        CHECK(cudaDeviceSynchronize());
        float ms = 0;
        cudaEventElapsedTime(&ms, begin, end);  // event_not_recorded: ignored_error
        std::printf("%d\n", ms > 1000);
    }
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
}

// The last launch of a program: nothing comes after it that would fail.
template <bool kGood>
void too_many_rows() {
    Array<int> data(64, 0);
    fill<<<kGood ? dim3(70'000, 1) : dim3(1, 70'000), 64>>>(data, 64);  // too_many_rows: ignored_error
    cudaDeviceSynchronize();
}

template <bool kGood>
void pitch_in_elements() {
    std::vector<float> host(64 * 20);
    Array<float> image(64 * 20, 1.0f);
    const std::size_t pitch = kGood ? 64 * sizeof(float) : 64;
    cudaMemcpy2D(host.data(), pitch, image, 256, 256, 20, cudaMemcpyDeviceToHost);  // pitch_in_elements: ignored_error
    std::printf("%g\n", host[65]);
}

template <bool kGood>
__global__ void say(int n, double x) {
    const char* const format = "%d of %d: %f\n";  // in a variable, as nvcc looks at literals
    if (kGood)
        std::printf(format, n, 2 * n, x);
    else
        std::printf(format, n, x);  // argument_missing: uninitialized
}
template <bool kGood>
void argument_missing() {
    say<kGood><<<1, 1>>>(3, 2.5);
    CHECK(cudaDeviceSynchronize());
}

int main(int argc, char** argv) {
    return run(
        {PAIR(block_too_large), PAIR(block_too_large_in_three), PAIR(no_blocks), PAIR(tile_too_large), PAIR(assertion),
         PAIR(trap_on_bad_input), PAIR(endless_recursion), PAIR(allocation_failed), PAIR(symbol_too_small),
         PAIR(event_not_recorded), PAIR(too_many_rows), PAIR(pitch_in_elements), PAIR(argument_missing)},
        argc, argv);
}
