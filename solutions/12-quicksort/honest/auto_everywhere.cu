// Style: the solution with auto for local variables in device code that launches kernels.
#include "quicksort.h"
__device__ inline unsigned scramble(unsigned x) {
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

__device__ inline int some_place(int first, int count, int k) {
    return static_cast<int>(__umulhi(scramble(scramble(first) + 0x9e3779b9u * k), count));
}

__device__ inline int median(int a, int b, int c) { return max(min(a, b), min(max(a, b), c)); }

template <int kThreads, class T>
__device__ void sort_shared(T* s_keys, int count) {
    int pairs = 1;
    while (2 * pairs < count) pairs *= 2;
    for (int size = 2; size <= 2 * pairs; size *= 2) {
        for (int stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            for (int pair = threadIdx.x; pair < pairs; pair += kThreads) {
                int low = 2 * pair - (pair & (stride - 1));
                int high = stride == size / 2 ? low ^ (size - 1) : low + stride;
                if (high >= count) continue;
                T a = s_keys[low], b = s_keys[high];
                if (b < a) {
                    s_keys[low] = b;
                    s_keys[high] = a;
                }
            }
        }
    }
    __syncthreads();
}

namespace {

constexpr int kSmall = 32;

__device__ void insertion_sort(int* d_keys, int count) {
    for (int i = 1; i < count; ++i) {
        auto key = d_keys[i], to = i;
        for (; to > 0 && key < d_keys[to - 1]; --to) d_keys[to] = d_keys[to - 1];
        d_keys[to] = key;
    }
}

__device__ void sink(int* d_keys, int count, int at, int key) {
    for (int child = 2 * at + 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && d_keys[child] < d_keys[child + 1]) ++child;
        if (d_keys[child] <= key) break;
        d_keys[at] = d_keys[child];
        at = child;
    }
    d_keys[at] = key;
}

__device__ void heap_sort(int* d_keys, int count) {
    for (int at = count / 2 - 1; at >= 0; --at) sink(d_keys, count, at, d_keys[at]);
    for (int last = count - 1; last > 0; --last) {
        auto key = d_keys[last];
        d_keys[last] = d_keys[0];
        sink(d_keys, last, 0, key);
    }
}

__device__ void sort_here(int* d_keys, int count) {
    if (count <= kSmall)
        insertion_sort(d_keys, count);
    else
        heap_sort(d_keys, count);
}

__global__ void sort_range(int* d_keys, int count, int levels);

__device__ void sort_side(int* d_keys, int count, int levels) {
    if (count > kSmall && levels > 0) {
        cudaStream_t stream;
        if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess) {
            sort_range<<<1, 1, 0, stream>>>(d_keys, count, levels - 1);
            cudaStreamDestroy(stream);
        }
        if (cudaGetLastError() == cudaSuccess) return;  // neither the stream nor the launch was refused
    }
    sort_here(d_keys, count);
}

__global__ void sort_range(int* d_keys, int count, int levels) {
    if (count <= kSmall || levels == 0) return sort_here(d_keys, count);
    auto some_key = [&](int k) { return d_keys[some_place(count, count, k)]; };
    int pivot = median(some_key(0), some_key(1), some_key(2));
    int i = 0, j = count - 1;
    while (i <= j) {
        while (d_keys[i] < pivot) ++i;
        while (pivot < d_keys[j]) --j;
        if (i > j) break;
        auto key = d_keys[i];
        d_keys[i++] = d_keys[j];
        d_keys[j--] = key;
    }
    sort_side(d_keys, j + 1, levels);
    sort_side(d_keys + i, count - i, levels);
}

}  // namespace

void one_thread(const int* d_in, int* d_out, int n, int max_depth, Workspace&) {
    if (n == 0) return;
    CUDA_CHECK(cudaMemcpyAsync(d_out, d_in, n * sizeof(int), cudaMemcpyDeviceToDevice));
    sort_range<<<1, 1>>>(d_out, n, max_depth);
    CUDA_CHECK(cudaGetLastError());
}
