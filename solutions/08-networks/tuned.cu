// The record of task 5, bitonic_registers. As in its lesson, bitonic_registers.cu, a thread keeps elements in
// registers, 64 bytes of them. More ideas:
//   three layouts  All but the nearest strides of a tile become strides between own items, when the tile is rearranged
//                  in shared memory: far ones, middle ones, and near ones.
//   lanes          Strides below a cell of 2 lanes (4 with elements of 8 bytes) go from lane to lane, by shuffles.
//   lines          A tile need not be one piece of memory: 256 lines of 32 elements, far apart, are read as fast. So a
//                  pass over memory does eight strides between tiles (six with elements of 8 bytes), not one.
//   pieces         Pieces that fit into the L2 cache are sorted by themselves first: a pass reads there what the one
//                  before has written. Two streams share the pieces.
// docs/performance/08-networks.md has the measurements.
#include <type_traits>

#include "pieces.cuh"
#include "runs.cuh"

constexpr int kLine = 32;  // neighbouring elements, wherever the tile is

// A thread has kItems elements, and a block has as many warps: then the layouts below fit the tile.
template <class T>
struct Shape {
    static constexpr int kItems = 64 / sizeof(T);
    static constexpr int kThreads = 32 * kItems;
    static constexpr int kTile = kThreads * kItems;  // not the kTile of the other tasks
    static constexpr int kLines = kTile / kLine;
    static constexpr int kCell = kLine / kItems;  // lanes that share a line in the near layout
    static constexpr int kPadded = kLines * (kLine + kCell);
};

template <class T>
using Items = T[Shape<T>::kItems];

// A run that is longer than what a block or a thread has: all its comparators point the same way.
struct OneRun {
    static constexpr int size = 1 << 30;
    bool descend;
    __device__ bool descend_at(int) const { return descend; }
};
// The same, for a whole block: the direction is fixed when the kernel is compiled, so it needs no instructions.
template <bool kDescend>
struct BlockRun {
    static constexpr int size = OneRun::size;
    __device__ static bool descend_at(int) { return kDescend; }
};

// Which elements of a tile a thread has: item r is element first + r * spacing. Strides between registers are:
// far: kThreads and more.
// middle: 32 to kThreads / 2. A warp has kItems lines, and each lane an element of each.
// near: kCell to 16. A warp has the same lines; kCell lanes share one. Strides below kCell are between lanes.
struct Layout {
    int first, spacing;
};

template <class T>
__device__ Layout middle_layout() {
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    return {warp * Shape<T>::kThreads + lane, 32};
}

template <class T>
__device__ Layout far_layout() {
    return {static_cast<int>(threadIdx.x), Shape<T>::kThreads};
}

template <class T>
__device__ Layout near_layout() {
    constexpr int kCell = Shape<T>::kCell;
    return {static_cast<int>(threadIdx.x) / kCell * 32 + static_cast<int>(threadIdx.x) % kCell, kCell};
}

// A tile in memory: its first line begins at `first`, and the lines begin `apart` elements from each other.
struct Lines {
    int first, apart;
    __device__ int place(Layout layout, int r) const {
        return first + layout.first / kLine * apart + layout.first % kLine + r * (layout.spacing / kLine * apart);
    }
};

template <class Order, class T>
__device__ void load(Items<T>& item, const T* d_data, Lines tile, Layout layout, int n) {
#pragma unroll
    for (int r = 0; r < Shape<T>::kItems; ++r) {
        int i = tile.place(layout, r);
        item[r] = i < n ? d_data[i] : Order::last();
    }
}

template <class T>
__device__ void store(const Items<T>& item, T* d_data, Lines tile, Layout layout, int n) {
#pragma unroll
    for (int r = 0; r < Shape<T>::kItems; ++r) {
        int i = tile.place(layout, r);
        if (i < n) d_data[i] = item[r];
    }
}

// The steps between a thread's own elements, far ones first. `tile`: the place of the tile's element 0.
template <class Order, class T, class Run>
__device__ void exchange_own(Items<T>& item, int tile, Layout layout, Run runs) {
    if constexpr (std::is_same_v<Run, Runs>) {  // are all its elements in one run?
        if (runs.size >= Shape<T>::kItems * layout.spacing)
            return exchange_own<Order>(item, tile, layout, OneRun{runs.descend_at(tile + layout.first)});
    }
#pragma unroll
    for (int apart = Shape<T>::kItems / 2; apart > 0; apart /= 2) {
        if (apart * layout.spacing >= runs.size) continue;
#pragma unroll
        for (int r = 0; r < Shape<T>::kItems; ++r) {
            int place = tile + layout.first + r * layout.spacing;
            if ((r & apart) == 0) compare_exchange<Order>(item[r], item[r + apart], runs.descend_at(place));
        }
    }
}

// The steps between lanes, in the near layout: strides below kCell. Each of two lanes keeps one of the two elements. If
// neither comes before the other, both keep their own, so none is lost.
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

// From one layout to another, through shared memory. Between middle and near, elements stay in their warp.
template <class Group, class T>
__device__ void rearrange(Items<T>& item, T* s_tile, Layout from, Layout to) {
    Group::barrier();
#pragma unroll
    for (int r = 0; r < Shape<T>::kItems; ++r) s_tile[padded<T>(from.first) + padded<T>(r * from.spacing)] = item[r];
    Group::barrier();
#pragma unroll
    for (int r = 0; r < Shape<T>::kItems; ++r) item[r] = s_tile[padded<T>(to.first) + padded<T>(r * to.spacing)];
}

// Launch: a block of kThreads for each tile from `begin` on. Shared memory: one tile.
template <class Order, class T>
__global__ void __launch_bounds__(Shape<T>::kThreads) registers_sort(const T* d_in, T* d_out, int n, int begin) {
    __shared__ T s_tile[Shape<T>::kPadded];
    int tile = begin + blockIdx.x * Shape<T>::kTile;
    Layout middle = middle_layout<T>(), far = far_layout<T>(), near = near_layout<T>();
    Items<T> item;
    load<Order>(item, d_in, Lines{tile, kLine}, middle, n);
    rearrange<Warp>(item, s_tile, middle, near);
    for (Runs runs{2, n - 1}; runs.size <= Shape<T>::kTile; runs.size *= 2) {
        if (runs.size > Shape<T>::kThreads) {
            rearrange<Block>(item, s_tile, near, far);
            exchange_own<Order>(item, tile, far, runs);
            rearrange<Block>(item, s_tile, far, middle);
        } else if (runs.size > 32) {
            rearrange<Warp>(item, s_tile, near, middle);
        }
        if (runs.size > 32) {
            exchange_own<Order>(item, tile, middle, runs);
            rearrange<Warp>(item, s_tile, middle, near);
        }
        exchange_own<Order>(item, tile, near, runs);
        exchange_lanes<Order>(item, tile + near.first, runs);
    }
    rearrange<Warp>(item, s_tile, near, middle);
    store(item, d_out, Lines{tile, kLine}, middle, n);
}

// The steps of a merge between lines that are `apart` elements apart and, if lines are adjacent, the nearer steps. All
// comparators of a Run point the same way, wherever the tile is.
template <class Order, class Run, class T>
__device__ void merge_steps(Items<T>& item, T* s_tile, int apart) {
    Layout middle = middle_layout<T>(), near = near_layout<T>();
    exchange_own<Order>(item, 0, far_layout<T>(), Run());
    rearrange<Block>(item, s_tile, far_layout<T>(), middle);
    exchange_own<Order>(item, 0, middle, Run());
    if (apart > kLine) return;
    rearrange<Warp>(item, s_tile, middle, near);
    exchange_own<Order>(item, 0, near, Run());
    exchange_lanes<Order>(item, near.first, Run());
    rearrange<Warp>(item, s_tile, near, middle);
}

// Strides from kLines / 2 * apart down to `apart`, of a merge to runs of `size`. If the lines follow each other without
// a gap, all other strides come after them, down to 1. Launch and shared memory: as registers_sort, for every tile that
// begins before n. With 32 registers a thread, a multiprocessor holds 2048 threads: so many keep memory busy.
template <class Order, class T>
__global__ void __maxnreg__(32) registers_merge(T* d_data, int n, int begin, int size, int apart) {
    __shared__ T s_tile[Shape<T>::kPadded];
    int side_by_side = apart / kLine;  // tiles whose lines alternate in memory
    int tile = begin + blockIdx.x / side_by_side * (Shape<T>::kLines * apart) + blockIdx.x % side_by_side * kLine;
    if (tile >= n) return;
    Items<T> item;
    load<Order>(item, d_data, Lines{tile, apart}, far_layout<T>(), n);
    if (Runs{size, n - 1}.descend_at(tile))
        merge_steps<Order, BlockRun<true>>(item, s_tile, apart);
    else
        merge_steps<Order, BlockRun<false>>(item, s_tile, apart);
    store(item, d_data, Lines{tile, apart}, middle_layout<T>(), n);
}

// The merges to runs of `size`, 2 size and so on, until the elements from `begin` to `end` are one run.
template <class Order, class T>
void merges(T* d_data, int n, int begin, int end, int size, cudaStream_t stream) {
    using Our = Shape<T>;
    for (; size < 2 * (end - begin); size *= 2) {
        // The last pass may repeat strides that the one before has done. That does no harm.
        for (int apart = size / Our::kLines; apart > 0; apart = apart > kLine ? max(apart / Our::kLines, kLine) : 0) {
            int tiles = ceil_div(end - begin, Our::kLines * apart) * (apart / kLine);
            registers_merge<Order><<<tiles, Our::kThreads, 0, stream>>>(d_data, n, begin, size, apart);
            CUDA_CHECK(cudaGetLastError());
        }
    }
}

template <class Order, class T>
void bitonic_registers(const T* d_in, T* d_out, int n, Workspace&) {
    using Our = Shape<T>;
    if (n == 0) return;
    int piece = max(elements_of_piece(sizeof(T)), Our::kTile);
    in_pieces(n, piece, [&](int begin, int end, cudaStream_t stream) {
        registers_sort<Order><<<ceil_div(end - begin, Our::kTile), Our::kThreads, 0, stream>>>(d_in, d_out, n, begin);
        CUDA_CHECK(cudaGetLastError());
        merges<Order>(d_out, n, begin, end, 2 * Our::kTile, stream);
    });
    merges<Order>(d_out, n, 0, n, 2 * piece, nullptr);
}

template void bitonic_registers<Ascending<int>>(const int*, int*, int, Workspace&);
template void bitonic_registers<Descending<int>>(const int*, int*, int, Workspace&);
template void bitonic_registers<Ascending<long long>>(const long long*, long long*, int, Workspace&);
template void bitonic_registers<Ascending<float>>(const float*, float*, int, Workspace&);
template void bitonic_registers<ByKey>(const Pair*, Pair*, int, Workspace&);
