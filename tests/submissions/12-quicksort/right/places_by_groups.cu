// Style: the lanes that take the same way get their places from one atomic, as a coalesced group; a block's
// network over global memory when no child may be launched; fire-and-forget launches; spans in device code.
#include <cooperative_groups.h>

#include <cuda/std/span>

#include "quicksort.h"

namespace cg = cooperative_groups;
using Keys = cuda::std::span<int>;
constexpr int kThreads = 256, kSmall = 1024;

// Comparators mirrored in the first step of each merge: nothing behind the end is ever touched.
template <class Sequence>
__device__ void network(Sequence x, int count) {
    for (long long size = 2; size / 2 < count; size *= 2) {
        for (int apart = static_cast<int>(size / 2); apart > 0; apart /= 2) {
            for (int pair = threadIdx.x; pair < (count + 1) / 2 + apart; pair += kThreads) {
                int low = pair / apart * 2 * apart + pair % apart;
                int high = 2 * apart == size ? low ^ static_cast<int>(size - 1) : low + apart;
                if (high >= count || x[low] <= x[high]) continue;
                int swap = x[low];
                x[low] = x[high];
                x[high] = swap;
            }
            __syncthreads();
        }
    }
}

__device__ void network_in_shared(Keys x, int* s) {
    int count = static_cast<int>(x.size());
    for (int k = threadIdx.x; k < count; k += kThreads) s[k] = x[k];
    __syncthreads();
    network(s, count);
    for (int k = threadIdx.x; k < count; k += kThreads) x[k] = s[k];
}

__device__ int next_place(int* counter, const cg::coalesced_group& group) {
    int first = 0;
    if (group.thread_rank() == 0) first = atomicAdd(counter, static_cast<int>(group.num_threads()));
    return group.shfl(first, 0) + group.thread_rank();
}

__global__ void __launch_bounds__(kThreads) partition(int* data, int* other, int count, int levels, unsigned seed) {
    __shared__ int s_keys[kSmall], s_less, s_greater;
    Keys x(data, count);
    if (count <= kSmall) return network_in_shared(x, s_keys);
    if (levels == 0) return network(x, count);
    if (threadIdx.x < 31) s_keys[threadIdx.x] = x[__umulhi((seed + threadIdx.x) * 2654435761u, count)];
    if (threadIdx.x == 32) s_less = s_greater = 0;
    __syncthreads();
    network(s_keys, 31);
    int pivot = s_keys[15];
    __syncthreads();

    for (int i = threadIdx.x; i < count; i += kThreads) {
        int key = x[i];
        if (key < pivot)
            other[next_place(&s_less, cg::coalesced_threads())] = key;
        else if (key > pivot)
            other[count - 1 - next_place(&s_greater, cg::coalesced_threads())] = key;
    }
    __syncthreads();
    int less = s_less, greater = s_greater;
    for (int i = threadIdx.x; i < count; i += kThreads) x[i] = i < less || i >= count - greater ? other[i] : pivot;
    __syncthreads();

    for (int side = 0; side < 2; ++side) {
        int first = side == 0 ? 0 : count - greater, size = side == 0 ? less : greater;
        if (size < 2) continue;
        bool failed = false;
        if (threadIdx.x == 0) {
            partition<<<1, kThreads, 0, cudaStreamFireAndForget>>>(data + first, other + first, size, levels - 1,
                                                                   seed * 5 + side);
            failed = cudaGetLastError() != cudaSuccess;
        }
        if (__syncthreads_or(failed)) network(x.subspan(first, size), size);
    }
}

void block_partition(const int* d_in, int* d_out, int n, int max_depth, Workspace& work) {
    if (n == 0) return;
    CUDA_CHECK(cudaMemcpyAsync(d_out, d_in, sizeof(int) * n, cudaMemcpyDeviceToDevice));
    partition<<<1, kThreads>>>(d_out, work.get<int>(n), n, max_depth, 1);
    CUDA_CHECK(cudaGetLastError());
}
