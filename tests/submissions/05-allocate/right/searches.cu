// Style: cuda::std algorithms and tuples in kernels, iterators, a search written as a loop and one as a recursion.
#include <cuda/std/tuple>
#include <cuda/std/utility>

#include "allocate.h"

// The last element that begins at or before `output`; elements without outputs share their beginning with the next.
__device__ int element_of(const int* offsets, int low, int high, int output) {
    if (high - low <= 1) return low;
    int middle = low + (high - low) / 2;
    return offsets[middle] <= output ? element_of(offsets, middle, high, output)
                                     : element_of(offsets, low, middle, output);
}

template <class Make>
__global__ void write_outputs(const int* values, const int* offsets, int* out, int n, int total, Make make) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= total) return;
    int element = element_of(offsets, 0, n, i);
    out[i] = make(values[element], i - offsets[element]);
}

template <class Make>
void thread_per_output(const int* d_values, const int* d_counts, int* d_out, int n, int total, Make make,
                       Workspace& work) {
    if (total == 0) return;
    int* d_offsets = work.get<int>(n + 1);
    primitives::exclusive_sum(d_counts, d_offsets, n, work);
    write_outputs<<<ceil_div(total, 256), 256>>>(d_values, d_offsets, d_out, n, total, make);
    CUDA_CHECK(cudaGetLastError());
}

constexpr int kThreads = 128, kSteps = 8 * kThreads;

// Where the path of elements and outputs crosses a diagonal: (elements, outputs) taken before it.
__device__ cuda::std::tuple<int, int> crossing(const int* offsets, int n, int total, int diagonal) {
    int low = max(0, diagonal - total), high = min(n, diagonal);
    while (low < high) {
        int element = (low + high) >> 1;
        // Element e is taken before output o if it begins at or before o.
        if (offsets[element] <= diagonal - 1 - element)
            low = element + 1;
        else
            high = element;
    }
    return cuda::std::make_tuple(low, diagonal - low);
}

template <class Make>
__global__ void __launch_bounds__(kThreads)
    walk(const int* values, const int* offsets, int* out, int n, int total, Make make) {
    __shared__ int s_offsets[kSteps + 1], s_values[kSteps + 1];
    int begin = blockIdx.x * kSteps, end = min(begin + kSteps, n + total);
    auto [e0, o0] = crossing(offsets, n, total, begin);
    auto [e1, o1] = crossing(offsets, n, total, end);
    // The element before the tile may still have outputs in it.
    int first = max(e0 - 1, 0), elements = e1 - first;
    for (int k = threadIdx.x; k < elements; k += kThreads) {
        s_offsets[k] = offsets[first + k];
        s_values[k] = values[first + k];
    }
    __syncthreads();
    for (int o = o0 + static_cast<int>(threadIdx.x); o < o1; o += kThreads) {
        auto range = cuda::std::pair<int, int>(0, elements);
        while (range.second - range.first > 1) {
            int middle = (range.first + range.second) / 2;
            (s_offsets[middle] <= o ? range.first : range.second) = middle;
        }
        out[o] = make(s_values[range.first], o - s_offsets[range.first]);
    }
}

template <class Make>
void load_balanced(const int* d_values, const int* d_counts, int* d_out, int n, int total, Make make, Workspace& work) {
    if (total == 0) return;
    int* d_offsets = work.get<int>(n + 1);
    primitives::exclusive_sum(d_counts, d_offsets, n, work);
    walk<<<ceil_div(n + total, kSteps), kThreads>>>(d_values, d_offsets, d_out, n, total, make);
    CUDA_CHECK(cudaGetLastError());
}

#include "grading/instantiations.h"
