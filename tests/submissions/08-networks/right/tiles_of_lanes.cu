// Style: warp shuffles of whole structs by a helper, a fixed number of elements a lane, loops unrolled by pragma; the
// same code in a cooperative launch that keeps going until all is sorted.
#include <cooperative_groups.h>

#include "networks.h"

namespace cg = cooperative_groups;

constexpr int kItems = 4, kThreads = 256, kBlockItems = kItems * kThreads;

// Both sides decide alike, also where neither comes before the other: then each keeps its own. The lesser one goes to
// the lower place, so padding never moves.
template <class Order, class T>
__device__ T pick(T mine, T other, bool is_low) {
    bool take = is_low ? Order().before(other, mine) : Order().before(mine, other);
    return take ? other : mine;
}

// The partner's place differs in these bits. A merge begins with mirrored places.
__host__ __device__ constexpr int flip_of(int size, int distance) { return 2 * distance == size ? size - 1 : distance; }

// Element k of a thread has the place kItems * thread + k. One merge of runs of `size`, from distance `distance` down.
template <class Order, class T>
__device__ void merge_down(T (&x)[kItems], T* s, int size, int distance) {
    int t = threadIdx.x;
    for (; distance > 0; distance >>= 1) {
        int flip = flip_of(size, distance), lanes = flip / kItems;
        bool mirrored = (flip & (kItems - 1)) != 0;
        T other[kItems];
        if (lanes == 0) {  // within the thread: every index is a constant once the loops are unrolled
#pragma unroll
            for (int f = 1; f < kItems; ++f) {
#pragma unroll
                for (int k = 0; k < kItems; ++k) {
                    if (f == flip) other[k] = x[k ^ f];
                }
            }
        } else if (lanes < 32) {
#pragma unroll
            for (int k = 0; k < kItems; ++k) other[k] = shuffle_xor(mirrored ? x[kItems - 1 - k] : x[k], lanes);
        } else {
            __syncthreads();
#pragma unroll
            for (int k = 0; k < kItems; ++k) s[k * kThreads + t] = x[k];
            __syncthreads();
#pragma unroll
            for (int k = 0; k < kItems; ++k) other[k] = s[(mirrored ? kItems - 1 - k : k) * kThreads + (t ^ lanes)];
        }
#pragma unroll
        for (int k = 0; k < kItems; ++k) x[k] = pick<Order>(x[k], other[k], ((kItems * t + k) & distance) == 0);
    }
}

template <class Order, class T>
__global__ void __launch_bounds__(kThreads) in_block(const T* in, T* x, int n, int from, int to) {
    __shared__ T s[kBlockItems];
    int mine = blockIdx.x * kBlockItems + kItems * threadIdx.x;
    T item[kItems];
#pragma unroll
    for (int k = 0; k < kItems; ++k) item[k] = mine + k < n ? in[mine + k] : Order::last();
    for (int size = from; size <= to; size *= 2) merge_down<Order>(item, s, size, min(size, kBlockItems) / 2);
#pragma unroll
    for (int k = 0; k < kItems; ++k) x[mine + k] = item[k];
}

template <class Order, class T>
__global__ void across(T* x, int distance, int size) {
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    int low = 2 * p - (p & (distance - 1)), high = low ^ flip_of(size, distance);
    T a = x[low], b = x[high];
    x[low] = pick<Order>(a, b, true);
    x[high] = pick<Order>(b, a, false);
}

template <class Order, class T>
void bitonic_registers(const T* d_in, T* d_out, int n, Workspace& work) {
    if (n == 0) return;
    int size = kBlockItems;
    while (size < n) size += size;
    T* d_x = work.get<T>(size);
    in_block<Order><<<size / kBlockItems, kThreads>>>(d_in, d_x, n, 2, kBlockItems);
    CUDA_CHECK(cudaGetLastError());
    for (int k = 2 * kBlockItems; k <= size; k *= 2) {
        for (int distance = k / 2; distance >= kBlockItems; distance /= 2) {
            across<Order><<<size / 512, 256>>>(d_x, distance, k);
            CUDA_CHECK(cudaGetLastError());
        }
        in_block<Order><<<size / kBlockItems, kThreads>>>(d_x, d_x, size, k, k);
        CUDA_CHECK(cudaGetLastError());
    }
    CUDA_CHECK(cudaMemcpyAsync(d_out, d_x, n * sizeof(T), cudaMemcpyDeviceToDevice));
}

// Each step of the whole network behind a barrier of the grid.
template <class Order, class T>
__global__ void whole_network(const T* in, T* x, T* out, int n, int size) {
    auto grid = cg::this_grid();
    int rank = grid.thread_rank(), all = grid.size();
    for (int i = rank; i < size; i += all) x[i] = i < n ? in[i] : Order::last();
    for (int k = 2; k <= size; k *= 2) {
        for (int j = k / 2; j > 0; j /= 2) {
            grid.sync();
            for (int p = rank; p < size / 2; p += all) {
                int low = 2 * p - (p & (j - 1)), high = low ^ flip_of(k, j);
                T a = x[low], b = x[high];
                x[low] = pick<Order>(a, b, true);
                x[high] = pick<Order>(b, a, false);
            }
        }
    }
    grid.sync();
    for (int i = rank; i < n; i += all) out[i] = x[i];
}

template <class Order, class T>
void bitonic_global(const T* d_in, T* d_out, int n, Workspace& work) {
    if (n == 0) return;
    int size = 1, sms = 0;
    while (size < n) size *= 2;
    T* d_x = work.get<T>(size);
    CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    void* arguments[] = {&d_in, &d_x, &d_out, &n, &size};
    CUDA_CHECK(cudaLaunchCooperativeKernel(whole_network<Order, T>, sms, 1024, arguments));
}

template void bitonic_global<Ascending<int>>(const int*, int*, int, Workspace&);
template void bitonic_global<Descending<int>>(const int*, int*, int, Workspace&);
template void bitonic_global<Ascending<float>>(const float*, float*, int, Workspace&);
template void bitonic_global<ByKey>(const Pair*, Pair*, int, Workspace&);
template void bitonic_registers<Ascending<int>>(const int*, int*, int, Workspace&);
template void bitonic_registers<Descending<int>>(const int*, int*, int, Workspace&);
template void bitonic_registers<Ascending<long long>>(const long long*, long long*, int, Workspace&);
template void bitonic_registers<Ascending<float>>(const float*, float*, int, Workspace&);
template void bitonic_registers<ByKey>(const Pair*, Pair*, int, Workspace&);
