// Style: zipped arrays: a proxy with a tuple of references for each key and its segment; the host polls an event and
// counts the rounds in a host function of the stream.
#include <cuda/std/tuple>
#include <utility>

#include "quicksort.h"

struct Arrays {
    int *keys, *first, *end;
    __device__ auto operator[](int i) const { return cuda::std::tie(keys[i], first[i], end[i]); }
};

__device__ int pivot_of(Arrays a, int first, int end, unsigned round) {
    unsigned x = (first + round * 0x9e3779b9u) * 0x85ebca6bu;
    return a.keys[first + __umulhi(x ^ x >> 13, end - first)];
}

__global__ void begin(const int* in, Arrays a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = cuda::std::make_tuple(in[i], 0, n);
}

__global__ void classify(Arrays a, int* heads, int* less, int* equal, int n, unsigned round) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    auto [key, first, end] = a[i];
    int pivot = pivot_of(a, first, end, round);
    heads[i] = i == first;
    less[i] = key < pivot;
    equal[i] = key == pivot;
}

__global__ void move(Arrays from, Arrays to, const int* less, const int* equal, int* open, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool more = false;
    if (i < n) {
        auto [key, first, end] = from[i];
        int all_less = less[end - 1], all_equal = equal[end - 1];
        int before_less = i == first ? 0 : less[i - 1], before_equal = i == first ? 0 : equal[i - 1];
        int middle = first + all_less, last = middle + all_equal;
        if (before_less != less[i]) {
            to[first + before_less] = cuda::std::make_tuple(int{key}, int{first}, middle);
            more = all_less > 1;
        } else if (before_equal != equal[i]) {
            int place = middle + before_equal;
            to[place] = cuda::std::make_tuple(int{key}, place, place + 1);
        } else {
            to[last + (i - first - before_less - before_equal)] = cuda::std::make_tuple(int{key}, last, int{end});
            more = end - last > 1;
        }
    }
    if (__syncthreads_or(more) && threadIdx.x == 0) *open = 1;
}

void segmented_scan(const int* d_in, int* d_out, int n, Workspace& work) {
    if (n == 0) return;
    int blocks = ceil_div(n, 256), *d_heads = work.get<int>(n), *d_less = work.get<int>(n), *d_equal = work.get<int>(n);
    int *d_open = work.get<int>(1), *h_open, calls = 0;
    Arrays a{work.get<int>(n), work.get<int>(n), work.get<int>(n)}, b{d_out, work.get<int>(n), work.get<int>(n)};
    cudaEvent_t copied;
    CUDA_CHECK(cudaMallocHost(&h_open, sizeof(int)));
    CUDA_CHECK(cudaEventCreateWithFlags(&copied, cudaEventDisableTiming));
    begin<<<blocks, 256>>>(d_in, a, n);
    CUDA_CHECK(cudaGetLastError());
    unsigned round = 0;
    do {
        CUDA_CHECK(cudaMemsetAsync(d_open, 0, sizeof(int)));
        classify<<<blocks, 256>>>(a, d_heads, d_less, d_equal, n, round++);
        CUDA_CHECK(cudaGetLastError());
        primitives::segmented_inclusive_sum(d_less, d_heads, d_less, n, work);
        primitives::segmented_inclusive_sum(d_equal, d_heads, d_equal, n, work);
        move<<<blocks, 256>>>(a, b, d_less, d_equal, d_open, n);
        CUDA_CHECK(cudaGetLastError());
        CUDA_CHECK(cudaMemcpyAsync(h_open, d_open, sizeof(int), cudaMemcpyDeviceToHost));
        CUDA_CHECK(cudaLaunchHostFunc(
            cudaStreamLegacy, [](void* counter) { ++*static_cast<int*>(counter); }, &calls));
        CUDA_CHECK(cudaEventRecord(copied));
        while (cudaEventQuery(copied) == cudaErrorNotReady) {
        }
        std::swap(a, b);
    } while (*h_open == 1 && calls == static_cast<int>(round));
    if (a.keys != d_out) CUDA_CHECK(cudaMemcpyAsync(d_out, a.keys, n * sizeof(int), cudaMemcpyDeviceToDevice));
    CUDA_CHECK(cudaEventDestroy(copied));
    CUDA_CHECK(cudaFreeHost(h_open));
}
