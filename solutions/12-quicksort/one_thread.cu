// Task 1, one_thread: the recursion of a textbook, with a kernel for each call. Each side goes to a child of one
// thread. Each child has a stream of its own, so that both run at once; the parent does not wait for them.
// At the depth limit, or if a launch fails, the thread sorts the range itself by heap sort, which needs no stack and is
// never quadratic. (David Musser, "Introspective sorting and selection algorithms", 1997.)
#include "pivots.cuh"

namespace {

constexpr int kSmall = 32;

__device__ void insertion_sort(int* d_keys, int count) {
    for (int i = 1; i < count; ++i) {
        int key = d_keys[i], to = i;
        for (; to > 0 && key < d_keys[to - 1]; --to) d_keys[to] = d_keys[to - 1];
        d_keys[to] = key;
    }
}

// Lets `key` sink from place `at` in a heap of `count` keys, where a parent is not less than its children.
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
        int key = d_keys[last];
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

// Sorts a side: by a child if the side is large enough and a launch is allowed and succeeds, else in this thread.
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

// Launch: one thread. levels: the levels of children that are allowed below this kernel.
__global__ void sort_range(int* d_keys, int count, int levels) {
    if (count <= kSmall || levels == 0) return sort_here(d_keys, count);
    auto some_key = [&](int k) { return d_keys[random_offset(0, count, k)]; };
    int pivot = median(some_key(0), some_key(1), some_key(2));
    // Two scans go from the ends to the middle and swap keys on the wrong side. Both stop at keys that equal the pivot,
    // so equal keys are divided evenly, and neither scan leaves the range.
    int i = 0, j = count - 1;
    while (i <= j) {
        while (d_keys[i] < pivot) ++i;
        while (pivot < d_keys[j]) --j;
        if (i > j) break;
        int key = d_keys[i];
        d_keys[i++] = d_keys[j];
        d_keys[j--] = key;
    }
    // If there is a key between j and i, it equals the pivot and is in its place.
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
