// What the programs of streams*.cu have in common: kernels, two streams and two arrays.
#pragma once

#include <map>
#include <string>

constexpr int kCount = 1024;
constexpr std::size_t kBytes = kCount * sizeof(int);

static __global__ void put(int* d, int value) { d[blockIdx.x * blockDim.x + threadIdx.x] = value + threadIdx.x; }
static __global__ void twice(const int* from, int* to) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = 2 * from[i];
}
static __global__ void read(const int* d, int* out) {
    if (d[blockIdx.x * blockDim.x + threadIdx.x] == 123456) *out = 1;
}
static __global__ void put_bytes(unsigned char* d, int first) {
    d[2 * (blockIdx.x * blockDim.x + threadIdx.x) + first] = first + 1;
}
static __global__ void count(int* counter) { atomicAdd(counter, 1); }
static __global__ void set_flag(int* flag) { *flag = 1; }
static __global__ void add(int* d) { d[blockIdx.x * blockDim.x + threadIdx.x] += 1; }
// The last of all blocks, in whatever kernel, adds up what the others have written.
static __global__ void last_adds_up(int* parts, int part, unsigned* ticket, bool fenced, int* out) {
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        parts[part] = part + 1;
        if (fenced) {
            __threadfence();
            is_last = atomicAdd(ticket, 1) == 1;
            __threadfence();
        } else {
            is_last = part == 1;
        }
        if (is_last) *out = parts[0] + parts[1];
    }
}

struct Two {  // streams that wait for nobody, and arrays
    cudaStream_t a, b;
    cudaEvent_t event;
    int *x, *y;
    explicit Two(unsigned flags = cudaStreamNonBlocking) {
        cudaStreamCreateWithFlags(&a, flags);
        cudaStreamCreateWithFlags(&b, flags);
        cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
        cudaMalloc(&x, kBytes);
        cudaMalloc(&y, kBytes);
        cudaMemset(x, 0, kBytes);
        cudaMemset(y, 0, kBytes);
        cudaDeviceSynchronize();
    }
    ~Two() {
        cudaDeviceSynchronize();
        cudaFree(x);
        cudaFree(y);
        cudaEventDestroy(event);
        cudaStreamDestroy(a);
        cudaStreamDestroy(b);
    }
    void order() {  // b after a
        cudaEventRecord(event, a);
        cudaStreamWaitEvent(b, event);
    }
};

using Programs = std::map<std::string, void (*)(bool good)>;
Programs programs_of_order();
Programs programs_of_accesses();
Programs programs_of_host();
