// Task 5, bitonic_registers: as 4, but a thread takes 16 elements into registers and does four steps with them. A step
// between registers of the same thread costs no memory access and no barrier. If the elements are `spacing` places
// apart, these are the steps with strides 8 * spacing, 4 * spacing, 2 * spacing and spacing. So shared memory is read
// and written once for four steps, and so is global memory.
#include "runs.cuh"

constexpr int kItems = 16;  // of a thread, in registers
constexpr int kThreads = kItems * kItems;
constexpr int kBlockTile = kThreads * kItems;  // elements of a block: three rounds do all strides in it

// Steps between the thread's items, far ones first: `descends` says whether the comparator of item r does.
template <class Order, class T, class Descends>
__device__ void exchange_own(T (&item)[kItems], int farthest, Descends descends) {
#pragma unroll
    for (int apart = kItems / 2; apart > 0; apart /= 2) {
        if (apart > farthest) continue;
#pragma unroll
        for (int r = 0; r < kItems; ++r) {
            if ((r & apart) == 0) compare_exchange<Order>(item[r], item[r + apart], descends(r));
        }
    }
}

// The steps of a merge to runs of this size that are between items of the thread: item r is at place + r * spacing.
template <class Order, class T>
__device__ void exchange(T (&item)[kItems], int place, int spacing, Runs runs) {
    if (runs.size >= kItems * spacing) {  // all are in one run, so they descend together
        bool descend = runs.descend_at(place);
        exchange_own<Order>(item, kItems, [=](int) { return descend; });
    } else {
        exchange_own<Order>(item, runs.size / spacing / 2, [=](int r) { return runs.descend_at(place + r * spacing); });
    }
}

// The place of thread t's first item. The next threads have the places between its first and its second item.
__device__ int first_of(int t, int spacing) { return t / spacing * spacing * kItems + t % spacing; }

// Where place i of a tile is in shared memory. The gaps put the places that a warp reads at once into different banks.
__device__ int padded(int i) { return i + i / kItems; }

// Launch: a block of kThreads for each tile. Shared memory: one tile. Makes runs of `size` elements, then of twice as
// many, and so on up to the tile. Where size is more than a tile, it does the steps of that merge that fit into one.
template <class Order, class T>
__global__ void __launch_bounds__(kThreads) exchange_in_tile(const T* d_in, T* d_out, int n, int size) {
    __shared__ T s_tile[kBlockTile + kBlockTile / kItems];
    int t = threadIdx.x, tile = blockIdx.x * kBlockTile;
    for (int i = t; i < kBlockTile; i += kThreads) s_tile[padded(i)] = tile + i < n ? d_in[tile + i] : Order::last();
    do {
        int spacing = size > kThreads ? kThreads : size > kItems ? kItems : 1;
        for (; spacing > 0; spacing /= kItems) {
            T item[kItems];
            int first = first_of(t, spacing), at = padded(first), next = padded(spacing);
            __syncthreads();
#pragma unroll
            for (int r = 0; r < kItems; ++r) item[r] = s_tile[at + r * next];
            exchange<Order>(item, tile + first, spacing, Runs{size, n - 1});
#pragma unroll
            for (int r = 0; r < kItems; ++r) s_tile[at + r * next] = item[r];
        }
        size *= 2;
    } while (size <= kBlockTile);
    __syncthreads();
    for (int i = t; i < kBlockTile; i += kThreads) {
        if (tile + i < n) d_out[tile + i] = s_tile[padded(i)];
    }
}

// Launch: a thread for every kItems elements, blocks of kThreads. Four steps of the merge to runs of `size`.
template <class Order, class T>
__global__ void __launch_bounds__(kThreads) exchange_far(T* d_data, int n, int size, int spacing) {
    int first = first_of(blockIdx.x * kThreads + threadIdx.x, spacing);
    T item[kItems];
#pragma unroll
    for (int r = 0; r < kItems; ++r) item[r] = first + r * spacing < n ? d_data[first + r * spacing] : Order::last();
    exchange<Order>(item, first, spacing, Runs{size, n - 1});
#pragma unroll
    for (int r = 0; r < kItems; ++r) {
        if (first + r * spacing < n) d_data[first + r * spacing] = item[r];
    }
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
