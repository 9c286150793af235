// Style: lanes with the same bin are found by __match_any_sync, a leader adds for all; more than 48 KiB of dynamic
// shared memory for copies of the bins; counters in a static array with a symbol copy at the end.
#include "histogram.h"

template <class T>
__device__ int find_bin(const T* d_edges, int count, T value) {
    if (!(value >= d_edges[0])) return count;
    int low = 0, high = count + 1;  // edges before low are <= value, edges from high on are not
    do {
        int middle = low + (high - low) / 2;
        if (d_edges[middle] <= value)
            low = middle + 1;
        else
            high = middle;
    } while (low < high);
    return low - 1 < count ? low - 1 : count;
}

static __device__ unsigned totals[kMostBins + 1];

template <class T, class Bins>
__global__ void count_by_leaders(const T* in, int n, Bins bins) {
    int lane = threadIdx.x & 31;
    for (int first = blockIdx.x * blockDim.x; first < n; first += gridDim.x * blockDim.x) {
        int i = first + threadIdx.x;
        int bin = i < n ? bins(in[i]) : -1;
        unsigned same = __match_any_sync(0xffffffffu, bin);
        if (bin >= 0 && __ffs(same) - 1 == lane) atomicAdd(&totals[bin], __popc(same));
    }
}

template <class T, class Bins>
void global_atomics(const T* d_in, int n, Bins bins, unsigned* d_counts, Workspace&) {
    std::size_t bytes = (bins.count + 1) * sizeof(unsigned);
    void* d_totals;
    CUDA_CHECK(cudaGetSymbolAddress(&d_totals, totals));
    CUDA_CHECK(cudaMemsetAsync(d_totals, 0, bytes));
    if (n > 0) count_by_leaders<<<ceil_div(n, 256), 256>>>(d_in, n, bins);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpyFromSymbolAsync(d_counts, totals, bytes, 0, cudaMemcpyDeviceToDevice));
}

constexpr int kBytes = 60 * 1024;

template <class T, class Bins>
__global__ void __launch_bounds__(1024, 1)
    count_in_copies(const T* in, int n, Bins bins, unsigned* counts, int copies, int stride) {
    extern __shared__ __align__(16) unsigned char memory[];
    unsigned* s = reinterpret_cast<unsigned*>(memory);
    for (int k = threadIdx.x; k < copies * stride; k += 1024) s[k] = 0;
    __syncthreads();
    unsigned* own = s + (threadIdx.x % copies) * stride;
    for_each_value(in, n, [=](T value) { atomicAdd(own + bins(value), 1u); });
    __syncthreads();
    for (int b = threadIdx.x; b <= bins.count; b += 1024) {
        unsigned sum = 0;
        for (int c = 0; c < copies; ++c) sum += s[c * stride + b];
        atomicAdd(counts + b, sum);
    }
}

template <class T, class Bins>
void replicated(const T* d_in, int n, Bins bins, unsigned* d_counts, Workspace&) {
    auto* kernel = count_in_copies<T, Bins>;
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes));
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 100));
    CUDA_CHECK(cudaMemset(d_counts, 0, (bins.count + 1) * sizeof(unsigned)));
    int stride = (bins.count + 1) | 1, copies = 1;  // odd: the copies of a bin lie in different banks
    while (copies < 32 && 2 * copies * stride * sizeof(unsigned) <= kBytes) copies *= 2;
    kernel<<<multiprocessors(), 1024, kBytes>>>(d_in, n, bins, d_counts, copies, stride);
    CUDA_CHECK(cudaGetLastError());
}

template __device__ int find_bin(const float*, int, float);
template void global_atomics(const unsigned char*, int, Levels, unsigned*, Workspace&);
template void global_atomics(const int*, int, UniformInt, unsigned*, Workspace&);
template void global_atomics(const float*, int, UniformFloat, unsigned*, Workspace&);
template void global_atomics(const float*, int, Edges, unsigned*, Workspace&);
template void replicated(const unsigned char*, int, Levels, unsigned*, Workspace&);
template void replicated(const int*, int, UniformInt, unsigned*, Workspace&);
template void replicated(const float*, int, UniformFloat, unsigned*, Workspace&);
template void replicated(const float*, int, Edges, unsigned*, Workspace&);
