// Rung 5, bitonic_registers: as 4, but a thread takes 16 elements into registers and does four steps with them. A step
// between registers of the same thread costs no memory access and no barrier. If the elements are `spacing` places
// apart, these are the steps with strides 8 * spacing, 4 * spacing, 2 * spacing and spacing. So shared memory is read
// and written once for four steps, and so is global memory.
#include "runs.cuh"

constexpr int kItems = 16;  // of a thread, in registers
constexpr int kThreads = kItems * kItems;
constexpr int kBlockTile = kThreads * kItems;  // elements of a block: three rounds do all strides in it

// A tile in shared memory. The gap after every kItems elements puts those that a warp reads into different banks.
template <class T>
struct Padded {
    static constexpr int kSize = kBlockTile + kBlockTile / kItems;
    T* s_tile;
    __device__ T& operator[](int i) const { return s_tile[i + i / kItems]; }
};

// The thread's steps with the elements first, first + spacing, ... of an array of n; `place` is where data[0] is in the
// whole array. Steps that a merge to runs of this size does not have are left out.
template <class Order, class T, class Data>
__device__ void exchange_own(Data data, int n, int first, int spacing, Runs runs, int place) {
    T item[kItems];
#pragma unroll
    for (int r = 0; r < kItems; ++r) item[r] = first + r * spacing < n ? data[first + r * spacing] : Order::last();
#pragma unroll
    for (int apart = kItems / 2; apart > 0; apart /= 2) {
        if (apart * spacing >= runs.size) continue;
#pragma unroll
        for (int r = 0; r < kItems; ++r) {
            if ((r & apart) != 0) continue;
            compare_exchange<Order>(item[r], item[r + apart], runs.descend_at(place + first + r * spacing));
        }
    }
#pragma unroll
    for (int r = 0; r < kItems; ++r) {
        if (first + r * spacing < n) data[first + r * spacing] = item[r];
    }
}

// The first of thread t's elements: the threads before it have all places below, up to a multiple of the spacing.
__device__ int first_of(int t, int spacing) { return t / spacing * spacing * kItems + t % spacing; }

// Launch: a block of kThreads for each tile. Shared memory: one tile. Sorts all runs in a tile from `size` elements on,
// up to the tile, or ends the merge to larger runs.
template <class Order, class T>
__global__ void __launch_bounds__(kThreads) exchange_in_tile(const T* d_in, T* d_out, int n, int size) {
    __shared__ T s_memory[Padded<T>::kSize];
    Padded<T> tile{s_memory};
    int t = threadIdx.x, place = blockIdx.x * kBlockTile;
    for (int i = t; i < kBlockTile; i += kThreads) tile[i] = place + i < n ? d_in[place + i] : Order::last();
    do {
        int spacing = size > kThreads ? kThreads : size > kItems ? kItems : 1;
        for (; spacing > 0; spacing /= kItems) {
            __syncthreads();
            exchange_own<Order, T>(tile, kBlockTile, first_of(t, spacing), spacing, Runs{size, n - 1}, place);
        }
        size *= 2;
    } while (size <= kBlockTile);
    __syncthreads();
    for (int i = t; i < kBlockTile; i += kThreads) {
        if (place + i < n) d_out[place + i] = tile[i];
    }
}

// Launch: a thread for every kItems elements, blocks of kThreads. Four steps of the merge to runs of `size`.
template <class Order, class T>
__global__ void __launch_bounds__(kThreads) exchange_far(T* d_data, int n, int size, int spacing) {
    int t = blockIdx.x * kThreads + threadIdx.x;
    exchange_own<Order, T>(d_data, n, first_of(t, spacing), spacing, Runs{size, n - 1}, 0);
}

template <class Order, class T>
void bitonic_registers(const T* d_in, T* d_out, int n, Workspace&) {
    if (n == 0) return;
    int tiles = ceil_div(n, kBlockTile);
    exchange_in_tile<Order><<<tiles, kThreads>>>(d_in, d_out, n, 2);
    CUDA_CHECK(cudaGetLastError());
    for (int size = 2 * kBlockTile; size < 2 * n; size *= 2) {
        // The last of these launches may also do strides below a tile. Doing them again has no effect.
        for (int stride = size / 2; stride >= kBlockTile; stride /= kItems) {
            int spacing = stride / (kItems / 2), threads = ceil_div(n, spacing * kItems) * spacing;
            exchange_far<Order><<<threads / kThreads, kThreads>>>(d_out, n, size, spacing);
            CUDA_CHECK(cudaGetLastError());
        }
        exchange_in_tile<Order><<<tiles, kThreads>>>(d_out, d_out, n, size);
        CUDA_CHECK(cudaGetLastError());
    }
}

template void bitonic_registers<Ascending<int>>(const int*, int*, int, Workspace&);
template void bitonic_registers<Descending<int>>(const int*, int*, int, Workspace&);
template void bitonic_registers<Ascending<long long>>(const long long*, long long*, int, Workspace&);
template void bitonic_registers<Ascending<float>>(const float*, float*, int, Workspace&);
template void bitonic_registers<ByKey>(const Pair*, Pair*, int, Workspace&);
