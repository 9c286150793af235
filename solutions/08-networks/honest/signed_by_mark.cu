// Style: the solution behind a byte order mark, under a Greek name.
#include "networks.h"
struct Runs {
    int size, last;
    __device__ bool descend_at(int i) const { return ((i ^ last) & size) != 0; }
};

template <class T>
__device__ T choose(bool first, T a, T b) {
    return first ? a : b;
}
__device__ inline Pair choose(bool first, Pair a, Pair b) { return {first ? a.key : b.key, first ? a.value : b.value}; }

template <class Order, class T>
__device__ void compare_exchange(T& a, T& b, bool descend) {
    T low = a, high = b;
    bool swap = Order().before(high, low) != descend;
    a = choose(swap, high, low);
    b = choose(swap, low, high);
}

template <class T>
struct Shape {
    static constexpr int kItems = 64 / sizeof(T);
    static constexpr int kThreads = 32 * kItems;
    static constexpr int kTile = kThreads * kItems;  // not the kTile of the other rungs
};

template <class T>
using Items = T[Shape<T>::kItems];

struct Layout {
    int first, spacing;
};

template <class T>
__device__ Layout rows() {
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    return {warp * Shape<T>::kThreads + lane, 32};
}

template <class T>
__device__ Layout columns() {
    return {static_cast<int>(threadIdx.x), Shape<T>::kThreads};
}

template <class Order, class T>
__device__ void load(Items<T>& item, const T* d_data, int first, int spacing, int n) {
#pragma unroll
    for (int r = 0; r < Shape<T>::kItems; ++r) {
        int i = first + r * spacing;
        item[r] = i < n ? d_data[i] : Order::last();
    }
}

template <class T>
__device__ void store(const Items<T>& item, T* d_data, int first, int spacing, int n) {
#pragma unroll
    for (int r = 0; r < Shape<T>::kItems; ++r) {
        int i = first + r * spacing;
        if (i < n) d_data[i] = item[r];
    }
}

template <class Order, class T>
__device__ void exchange_own(Items<T>& item, int first, int spacing, Runs runs) {
#pragma unroll
    for (int apart = Shape<T>::kItems / 2; apart > 0; apart /= 2) {
        if (apart * spacing >= runs.size) continue;
#pragma unroll
        for (int r = 0; r < Shape<T>::kItems; ++r) {
            if ((r & apart) == 0)
                compare_exchange<Order>(item[r], item[r + apart], runs.descend_at(first + r * spacing));
        }
    }
}

template <class Order, class T>
__device__ void exchange_lanes(Items<T>& item, int first, Runs runs) {
    for (int stride = min(runs.size, 32) / 2; stride > 0; stride /= 2) {
        bool is_lower = (first & stride) == 0;
#pragma unroll
        for (int r = 0; r < Shape<T>::kItems; ++r) {
            T own = item[r], other = shuffle_xor(own, stride);
            bool keeps_first = is_lower != runs.descend_at(first + 32 * r);
            T low = choose(Order().before(other, own), other, own);
            T high = choose(Order().before(own, other), other, own);
            item[r] = choose(keeps_first, low, high);
        }
    }
}

template <class T>
__device__ void rearrange(Items<T>& item, T* s_tile, Layout from, Layout to) {
    __syncthreads();
#pragma unroll
    for (int r = 0; r < Shape<T>::kItems; ++r) s_tile[from.first + r * from.spacing] = item[r];
    __syncthreads();
#pragma unroll
    for (int r = 0; r < Shape<T>::kItems; ++r) item[r] = s_tile[to.first + r * to.spacing];
}

template <class Order, class T>
__global__ void __launch_bounds__(Shape<T>::kThreads) registers_sort(const T* d_in, T* d_out, int n) {
    __shared__ T s_tile[Shape<T>::kTile];
    int tile = blockIdx.x * Shape<T>::kTile;
    Layout row = rows<T>(), column = columns<T>();
    Items<T> item;
    load<Order>(item, d_in, tile + row.first, row.spacing, n);
    for (Runs runs{2, n - 1}; runs.size <= Shape<T>::kTile; runs.size *= 2) {
        if (runs.size > Shape<T>::kThreads) {
            rearrange(item, s_tile, row, column);
            exchange_own<Order>(item, tile + column.first, column.spacing, runs);
            rearrange(item, s_tile, column, row);
        }
        exchange_own<Order>(item, tile + row.first, row.spacing, runs);
        exchange_lanes<Order>(item, tile + row.first, runs);
    }
    store(item, d_out, tile + row.first, row.spacing, n);
}

template <class Order, class T>
__global__ void __launch_bounds__(Shape<T>::kThreads) registers_exchange(T* d_data, int n, int size, int nearest) {
    int t = blockIdx.x * Shape<T>::kThreads + threadIdx.x;
    int first = t / nearest * nearest * Shape<T>::kItems + t % nearest;
    Items<T> item;
    load<Order>(item, d_data, first, nearest, n);
    exchange_own<Order>(item, first, nearest, Runs{size, n - 1});
    store(item, d_data, first, nearest, n);
}

template <class Order, class T>
__global__ void __launch_bounds__(Shape<T>::kThreads) registers_merge(T* d_data, int n, int size) {
    __shared__ T s_tile[Shape<T>::kTile];
    int tile = blockIdx.x * Shape<T>::kTile;
    Layout row = rows<T>(), column = columns<T>();
    Runs runs{size, n - 1};
    Items<T> item;
    load<Order>(item, d_data, tile + column.first, column.spacing, n);
    exchange_own<Order>(item, tile + column.first, column.spacing, runs);
    rearrange(item, s_tile, column, row);
    exchange_own<Order>(item, tile + row.first, row.spacing, runs);
    exchange_lanes<Order>(item, tile + row.first, runs);
    store(item, d_data, tile + row.first, row.spacing, n);
}

template <class Order, class T>
void bitonic_registers(const T* d_in, T* d_out, int n, Workspace&) {
    using Our = Shape<T>;
    if (n == 0) return;
    int tiles = ceil_div(n, Our::kTile);
    registers_sort<Order><<<tiles, Our::kThreads>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
    for (int size = 2 * Our::kTile; size < 2 * n; size *= 2) {
        for (int stride = size / 2; stride >= Our::kTile; stride /= Our::kItems) {
            int nearest = stride / (Our::kItems / 2);
            int threads = ceil_div(n, 2 * stride) * nearest;
            registers_exchange<Order><<<ceil_div(threads, Our::kThreads), Our::kThreads>>>(d_out, n, size, nearest);
            CUDA_CHECK(cudaGetLastError());
        }
        registers_merge<Order><<<tiles, Our::kThreads>>>(d_out, n, size);
        CUDA_CHECK(cudaGetLastError());
    }
}

template void bitonic_registers<Ascending<int>>(const int*, int*, int, Workspace&);
template void bitonic_registers<Descending<int>>(const int*, int*, int, Workspace&);
template void bitonic_registers<Ascending<long long>>(const long long*, long long*, int, Workspace&);
template void bitonic_registers<Ascending<float>>(const float*, float*, int, Workspace&);
template void bitonic_registers<ByKey>(const Pair*, Pair*, int, Workspace&);
