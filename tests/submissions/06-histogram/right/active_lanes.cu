// Style: the loop of warp-aggregated atomics in which a leader from __activemask() takes its own bin and all lanes like
// it, until none is left; 16-bit counters in shared memory by atomicCAS on unsigned short, flushed before they are
// full.
#include "histogram.h"

template <class T, class Bins>
__global__ void by_leaders(const T* in, int n, Bins bins, unsigned* counts) {
    int lane = threadIdx.x & 31;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int bin = bins(in[i]);
        for (bool done = false; !done;) {
            unsigned active = __activemask();
            int leader = __ffs(active) - 1, wanted = __shfl_sync(active, bin, leader);
            unsigned alike = __ballot_sync(active, bin == wanted);
            if (lane == leader) atomicAdd(counts + wanted, __popc(alike));
            done = bin == wanted;
        }
    }
}

template <class T, class Bins>
void global_atomics(const T* d_in, int n, Bins bins, unsigned* d_counts, Workspace&) {
    CUDA_CHECK(cudaMemsetAsync(d_counts, 0, (bins.count + 1) * sizeof(unsigned)));
    if (n == 0) return;
    by_leaders<<<min(ceil_div(n, 256), 8 * multiprocessors()), 256>>>(d_in, n, bins, d_counts);
    CUDA_CHECK(cudaGetLastError());
}

__device__ int find_bin_from(const float* edges, int count, float value) {
    int first = 0, length = count + 1;  // the first edge above the value
    while (length > 0) {
        int half = length / 2;
        if (edges[first + half] <= value) {
            first += half + 1;
            length -= half + 1;
        } else {
            length = half;
        }
    }
    return first == 0 || first > count ? count : first - 1;
}

template <class T>
__device__ int find_bin(const T* d_edges, int count, T value) {
    return value == value ? find_bin_from(d_edges, count, value) : count;
}

using Small = unsigned short;

__device__ void count_one(Small* counter, unsigned* overflow) {
    Small seen = *static_cast<volatile Small*>(counter), expected;
    do {
        expected = seen;
        Small next = expected == 0xffff ? Small{0} : static_cast<Small>(expected + 1);
        seen = atomicCAS(counter, expected, next);
    } while (seen != expected);
    if (expected == 0xffff) atomicAdd(overflow, 0x10000u);
}

template <class T, class Bins>
__global__ void in_halves_of_words(const T* in, int n, Bins bins, unsigned* counts) {
    extern __shared__ Small s_counts[];
    for (int b = threadIdx.x; b <= bins.count; b += blockDim.x) s_counts[b] = 0;
    __syncthreads();
    for_each_value(in, n, [&](T value) {
        int bin = bins(value);
        count_one(s_counts + bin, counts + bin);
    });
    __syncthreads();
    for (int b = threadIdx.x; b <= bins.count; b += blockDim.x)
        if (s_counts[b]) atomicAdd(counts + b, static_cast<unsigned>(s_counts[b]));
}

template <class T, class Bins>
void shared_atomics(const T* d_in, int n, Bins bins, unsigned* d_counts, Workspace&) {
    CUDA_CHECK(cudaMemsetAsync(d_counts, 0, (bins.count + 1) * sizeof(unsigned)));
    if (n == 0) return;
    int blocks = min(ceil_div(n, 8 * 256), 4 * multiprocessors());
    in_halves_of_words<<<blocks, 256, (bins.count + 1) * sizeof(Small)>>>(d_in, n, bins, d_counts);
    CUDA_CHECK(cudaGetLastError());
}

template __device__ int find_bin(const float*, int, float);
template void global_atomics(const unsigned char*, int, Levels, unsigned*, Workspace&);
template void global_atomics(const int*, int, UniformInt, unsigned*, Workspace&);
template void global_atomics(const float*, int, UniformFloat, unsigned*, Workspace&);
template void global_atomics(const float*, int, Edges, unsigned*, Workspace&);
template void shared_atomics(const unsigned char*, int, Levels, unsigned*, Workspace&);
template void shared_atomics(const int*, int, UniformInt, unsigned*, Workspace&);
template void shared_atomics(const float*, int, UniformFloat, unsigned*, Workspace&);
template void shared_atomics(const float*, int, Edges, unsigned*, Workspace&);
