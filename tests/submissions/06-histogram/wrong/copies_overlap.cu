// Copies of the counters lie one behind the other; each has bins.count + 1 of them.
#include "histogram.h"
template <class T>
__device__ int find_bin(const T* d_edges, int count, T value) {
    if (!(value >= d_edges[0] && value < d_edges[count])) return count;
    int lo = 0, hi = count;
    while (hi - lo > 1) {
        int mid = (lo + hi) / 2;
        if (d_edges[mid] <= value)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

template <class T, class Bins>
__global__ void count_copies(const T* in, int n, Bins bins, unsigned* counts, int copies) {
    extern __shared__ unsigned local[];
    int size = bins.count + 1;
    for (int b = threadIdx.x; b < copies * size; b += blockDim.x) local[b] = 0;
    __syncthreads();
    unsigned* mine = local + (threadIdx.x % copies) * bins.count;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(&mine[bins(in[i])], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < size; b += blockDim.x) {
        unsigned sum = 0;
        for (int c = 0; c < copies; c++) sum += local[c * size + b];
        if (sum) atomicAdd(&counts[b], sum);
    }
}
template <class T, class Bins>
void replicated(const T* d_in, int n, Bins bins, unsigned* d_counts, Workspace&) {
    CUDA_CHECK(cudaMemsetAsync(d_counts, 0, sizeof(unsigned) * (bins.count + 1)));
    if (n == 0) return;
    int blocks = std::min(2 * multiprocessors(), ceil_div(n, 4096));
    int copies = bins.count < 1024 ? 8 : 1;
    std::size_t bytes = copies * (bins.count + 1) * sizeof(unsigned);
    count_copies<<<blocks, 512, bytes>>>(d_in, n, bins, d_counts, copies);
    CUDA_CHECK(cudaGetLastError());
}
template void replicated(const unsigned char*, int, Levels, unsigned*, Workspace&);
template void replicated(const int*, int, UniformInt, unsigned*, Workspace&);
template void replicated(const float*, int, UniformFloat, unsigned*, Workspace&);
template void replicated(const float*, int, Edges, unsigned*, Workspace&);
