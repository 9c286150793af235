// As load_balanced, but a tile is kThreads elements, with room for eight outputs of each.
#include "allocate.h"

constexpr int kThreads = 256;
constexpr int kRoom = 8 * kThreads;

// Launch: a block for each tile. Shared memory: which element each output belongs to.
template <class Make>
__global__ void make_tiles(const int* d_values, const int* d_offsets, int* d_out, int n, Make make) {
    __shared__ int s_sources[kRoom];
    int first = blockIdx.x * kThreads, i = first + threadIdx.x;
    int begin = d_offsets[first], end = d_offsets[min(first + kThreads, n)];
    if (i < n)
        for (int j = d_offsets[i]; j < d_offsets[i + 1]; ++j) s_sources[j - begin] = i;
    __syncthreads();
    for (int j = begin + threadIdx.x; j < end; j += kThreads) {
        int source = s_sources[j - begin];
        d_out[j] = make(d_values[source], j - d_offsets[source]);
    }
}

template <class Make>
void load_balanced(const int* d_values, const int* d_counts, int* d_out, int n, int total, Make make, Workspace& work) {
    if (total == 0) return;
    int* d_offsets = work.get<int>(n + 1);
    primitives::exclusive_sum(d_counts, d_offsets, n, work);
    make_tiles<<<ceil_div(n, kThreads), kThreads>>>(d_values, d_offsets, d_out, n, make);
    CUDA_CHECK(cudaGetLastError());
}

template void load_balanced(const int*, const int*, int*, int, int, Repeat, Workspace&);
template void load_balanced(const int*, const int*, int*, int, int, CountUp, Workspace&);
