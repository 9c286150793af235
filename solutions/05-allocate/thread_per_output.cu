// Task 4, thread_per_output: as 2, but a thread stands for an output, not for an element. A thread that writes all
// outputs of its element delays its warp if there are many; here every thread has one output, and finds its element by
// binary search in the offsets. Work: O(n + total log n), a search for each output.
#include "allocate.h"

constexpr int kBlock = 256;

// Launch: a thread for each output. Of the elements whose outputs begin at j or before, the last one has output j:
// those behind it begin later, and those before it have ended.
template <class Make>
__global__ void make_outputs(const int* d_values, const int* d_offsets, int* d_out, int n, int total, Make make) {
    int j = blockIdx.x * kBlock + threadIdx.x;
    if (j >= total) return;
    int low = 0, high = n;  // d_offsets[low] <= j < d_offsets[high]
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        (d_offsets[middle] <= j ? low : high) = middle;
    }
    d_out[j] = make(d_values[low], j - d_offsets[low]);
}

template <class Make>
void thread_per_output(const int* d_values, const int* d_counts, int* d_out, int n, int total, Make make,
                       Workspace& work) {
    if (total == 0) return;
    int* d_offsets = work.get<int>(n + 1);
    primitives::exclusive_sum(d_counts, d_offsets, n, work);
    make_outputs<<<ceil_div(total, kBlock), kBlock>>>(d_values, d_offsets, d_out, n, total, make);
    CUDA_CHECK(cudaGetLastError());
}

template void thread_per_output(const int*, const int*, int*, int, int, Repeat, Workspace&);
template void thread_per_output(const int*, const int*, int*, int, int, CountUp, Workspace&);
