// Rung 5, bitonic_registers: as 4, but a thread keeps 64 or 128 bytes of elements in registers. Three ideas:
//   own items      A step between two elements of the same thread costs no memory. A pass over memory does five strides
//                  (four with elements of 8 bytes), not one.
//   three layouts  All but the nearest strides of a tile become strides between own items, when the tile is rearranged
//                  in shared memory: far ones, middle ones, and near ones.
//   lanes          Strides below a cell of 2 lanes (4 with elements of 8 bytes) go from lane to lane, by shuffles.
// What limits it: at n = 2^26, 37 passes over memory after the tiles are sorted. At the speed of a copy they take 4.8
// ms, and were measured at 4.9 ms; sorting the tiles takes another 1.15 ms (H200).
#include "runs.cuh"

// A thread has kItems elements, and a block has as many warps: then the layouts below fit the tile.
template <class T>
struct Shape {
    static constexpr int kItems = 64 / sizeof(T);
    static constexpr int kThreads = 32 * kItems;
    static constexpr int kTile = kThreads * kItems;  // not the kTile of the other rungs
    static constexpr int kCell = 32 / kItems;        // lanes that share 32 neighbouring elements
    static constexpr int kPadded = kTile / 32 * (32 + kCell);
    static constexpr int kFar = 128 / sizeof(T);  // elements of a thread that exchanges between tiles
    static constexpr int kFarThreads = 256;
};

template <class T>
using Items = T[Shape<T>::kItems];

// A run that is longer than what a block or a thread has: all its comparators point the same way.
struct OneRun {
    static constexpr int size = 1 << 30;
    bool descend;
    __device__ bool descend_at(int) const { return descend; }
};

// Which elements of a tile a thread has: item r is element first + r * spacing. Strides between registers are:
// columns: kThreads and more.
// rows: 32 to kThreads / 2. A warp has kThreads neighbouring elements, 32 in each row.
// cells: kCell to 16. A warp has the same elements as in rows; kCell lanes have 32 neighbours. Strides below kCell are
// between lanes.
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

template <class T>
__device__ Layout cells() {
    constexpr int kCell = Shape<T>::kCell;
    return {static_cast<int>(threadIdx.x) / kCell * 32 + static_cast<int>(threadIdx.x) % kCell, kCell};
}

template <class Order, int kCount, class T>
__device__ void load(T (&item)[kCount], const T* d_data, int first, int spacing, int n) {
#pragma unroll
    for (int r = 0; r < kCount; ++r) {
        int i = first + r * spacing;
        item[r] = i < n ? d_data[i] : Order::last();
    }
}

template <int kCount, class T>
__device__ void store(const T (&item)[kCount], T* d_data, int first, int spacing, int n) {
#pragma unroll
    for (int r = 0; r < kCount; ++r) {
        int i = first + r * spacing;
        if (i < n) d_data[i] = item[r];
    }
}

// The steps between a thread's own elements, far ones first; item r is element first + r * spacing.
template <class Order, int kCount, class T, class Run>
__device__ void exchange_own(T (&item)[kCount], int first, int spacing, Run runs) {
#pragma unroll
    for (int apart = kCount / 2; apart > 0; apart /= 2) {
        if (apart * spacing >= runs.size) continue;
#pragma unroll
        for (int r = 0; r < kCount; ++r) {
            if ((r & apart) == 0)
                compare_exchange<Order>(item[r], item[r + apart], runs.descend_at(first + r * spacing));
        }
    }
}

// The steps between lanes, in cells: strides below kCell. Each of two lanes keeps one of the two elements. If neither
// comes before the other, both keep their own, so none is lost.
template <class Order, class T, class Run>
__device__ void exchange_lanes(Items<T>& item, int first, Run runs) {
    constexpr int kCell = Shape<T>::kCell;
    for (int stride = min(runs.size, kCell) / 2; stride > 0; stride /= 2) {
        bool is_lower = (first & stride) == 0;
#pragma unroll
        for (int r = 0; r < Shape<T>::kItems; ++r) {
            T own = item[r], other = shuffle_xor(own, stride);
            bool keeps_first = is_lower != runs.descend_at(first + kCell * r);
            T low = choose(Order().before(other, own), other, own);
            T high = choose(Order().before(own, other), other, own);
            item[r] = choose(keeps_first, low, high);
        }
    }
}

// The place of element i of the tile in shared memory. With room for kCell elements after every 32, neighbouring lanes
// use different banks in all layouts.
template <class T>
__device__ int padded(int i) {
    return i + i / 32 * Shape<T>::kCell;
}

struct Block {
    __device__ static void barrier() { __syncthreads(); }
};
struct Warp {
    __device__ static void barrier() { __syncwarp(); }
};

// From one layout to another, through shared memory. Between rows and cells, elements stay in their warp.
template <class Group, class T>
__device__ void rearrange(Items<T>& item, T* s_tile, Layout from, Layout to) {
    Group::barrier();
#pragma unroll
    for (int r = 0; r < Shape<T>::kItems; ++r) s_tile[padded<T>(from.first) + padded<T>(r * from.spacing)] = item[r];
    Group::barrier();
#pragma unroll
    for (int r = 0; r < Shape<T>::kItems; ++r) item[r] = s_tile[padded<T>(to.first) + padded<T>(r * to.spacing)];
}

// Launch: a block of kThreads for each tile. Shared memory: one tile.
template <class Order, class T>
__global__ void __launch_bounds__(Shape<T>::kThreads) registers_sort(const T* d_in, T* d_out, int n) {
    __shared__ T s_tile[Shape<T>::kPadded];
    int tile = blockIdx.x * Shape<T>::kTile;
    Layout row = rows<T>(), column = columns<T>(), cell = cells<T>();
    Items<T> item;
    load<Order>(item, d_in, tile + row.first, row.spacing, n);
    rearrange<Warp>(item, s_tile, row, cell);
    for (Runs runs{2, n - 1}; runs.size <= Shape<T>::kTile; runs.size *= 2) {
        if (runs.size > Shape<T>::kThreads) {
            rearrange<Block>(item, s_tile, cell, column);
            exchange_own<Order>(item, tile + column.first, column.spacing, runs);
            rearrange<Block>(item, s_tile, column, row);
        } else if (runs.size > 32) {
            rearrange<Warp>(item, s_tile, cell, row);
        }
        if (runs.size > 32) {
            exchange_own<Order>(item, tile + row.first, row.spacing, runs);
            rearrange<Warp>(item, s_tile, row, cell);
        }
        exchange_own<Order>(item, tile + cell.first, cell.spacing, runs);
        exchange_lanes<Order>(item, tile + cell.first, runs);
    }
    rearrange<Warp>(item, s_tile, cell, row);
    store(item, d_out, tile + row.first, row.spacing, n);
}

// Strides from kFar / 2 * nearest down to nearest: each thread has both places of all of its pairs.
// Launch: a thread for every kFar elements, blocks of kFarThreads.
template <class Order, class T>
__global__ void __launch_bounds__(Shape<T>::kFarThreads, 2)
    registers_exchange(T* d_data, int n, int size, int nearest) {
    constexpr int kFar = Shape<T>::kFar;
    int t = blockIdx.x * Shape<T>::kFarThreads + threadIdx.x;
    int first = t / nearest * nearest * kFar + t % nearest;
    T item[kFar];
    load<Order>(item, d_data, first, nearest, n);
    exchange_own<Order>(item, first, nearest, OneRun{Runs{size, n - 1}.descend_at(first)});
    store(item, d_data, first, nearest, n);
}

// The steps of one merge that fit into a tile. Launch and shared memory: as registers_sort.
template <class Order, class T>
__global__ void __launch_bounds__(Shape<T>::kThreads) registers_merge(T* d_data, int n, int size) {
    __shared__ T s_tile[Shape<T>::kPadded];
    int tile = blockIdx.x * Shape<T>::kTile;
    Layout row = rows<T>(), column = columns<T>(), cell = cells<T>();
    OneRun run{Runs{size, n - 1}.descend_at(tile)};
    Items<T> item;
    load<Order>(item, d_data, tile + column.first, column.spacing, n);
    exchange_own<Order>(item, tile + column.first, column.spacing, run);
    rearrange<Block>(item, s_tile, column, row);
    exchange_own<Order>(item, tile + row.first, row.spacing, run);
    rearrange<Warp>(item, s_tile, row, cell);
    exchange_own<Order>(item, tile + cell.first, cell.spacing, run);
    exchange_lanes<Order>(item, tile + cell.first, run);
    rearrange<Warp>(item, s_tile, cell, row);
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
        // The last of these passes may also do strides below a tile. Then registers_merge repeats them, without effect.
        for (int stride = size / 2; stride >= Our::kTile; stride /= Our::kFar) {
            int nearest = stride / (Our::kFar / 2);
            int threads = ceil_div(n, 2 * stride) * nearest;
            registers_exchange<Order>
                <<<ceil_div(threads, Our::kFarThreads), Our::kFarThreads>>>(d_out, n, size, nearest);
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
