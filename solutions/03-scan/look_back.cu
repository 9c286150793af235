// Task 6, look_back: as 5, but in one launch: a tile gets its exclusive prefix by looking back at what the tiles before
// it have published. Global memory: each element read once, written once.
// (Merrill and Garland, "Single-pass parallel prefix scan with decoupled look-back", NVIDIA NVR-2016-002.)
#include "scan.h"
#include "segmented.cuh"
#include "tile.cuh"
#include "tile_states.cuh"

// Launch: a block of kThreads for each tile. Shared memory: the warps' sums, the tile's number and exclusive prefix.
template <Scan kind, class Op, class T = typename Op::type>
__global__ void __launch_bounds__(kThreads)
    look_back_kernel(const T* d_in, T* d_out, TileStates<T> states, unsigned* d_ticket, int n) {
    __shared__ int s_tile;
    __shared__ T s_exclusive;

    // Tiles in the order in which blocks start: every tile that is waited for is already at work.
    if (threadIdx.x == 0) s_tile = static_cast<int>(atomicAdd(d_ticket, 1));
    __syncthreads();
    int tile = s_tile;

    Vector<T> row[kRows];
    load_tile(row, d_in, tile, n, Op::identity());
    T aggregate;
    T before_warp = sum_of_earlier_warps<Op>(scan_rows<kind, Op>(row), aggregate);

    // The aggregate is published before the search, so that no later tile has to wait for it.
    if (threadIdx.x < 32) {
        states.publish_aggregate(tile, aggregate);
        T exclusive = exclusive_prefix<Op>(states, tile);
        states.publish_inclusive_prefix(tile, Op()(exclusive, aggregate));
        s_exclusive = exclusive;
    }
    __syncthreads();
    store_tile<Op>(Op()(s_exclusive, before_warp), row, d_out, tile, n);
}

template <Scan kind, class Op, class T>
void look_back(const T* d_in, T* d_out, int n, Workspace& work) {
    if (n == 0) return;
    int tiles = ceil_div(n, tile_size<T>());
    // The ticket lies behind the states, so that one call empties both.
    std::size_t words = TileStates<T>::words(tiles);
    auto* d_words = work.get<unsigned long long>(words + 1);
    CUDA_CHECK(cudaMemsetAsync(d_words, 0, (words + 1) * sizeof *d_words));
    look_back_kernel<kind, Op>
        <<<tiles, kThreads>>>(d_in, d_out, TileStates<T>{d_words}, reinterpret_cast<unsigned*>(d_words + words), n);
    CUDA_CHECK(cudaGetLastError());
}

template void look_back<Scan::exclusive, Sum<int>>(const int*, int*, int, Workspace&);
template void look_back<Scan::inclusive, Sum<int>>(const int*, int*, int, Workspace&);
template void look_back<Scan::exclusive, Max<int>>(const int*, int*, int, Workspace&);
template void look_back<Scan::exclusive, Sum<long long>>(const long long*, long long*, int, Workspace&);
template void look_back<Scan::inclusive, Sum<float>>(const float*, float*, int, Workspace&);
template void look_back<Scan::inclusive, Compose>(const Affine*, Affine*, int, Workspace&);
template void look_back<Scan::inclusive, SegmentedSum>(const Pair*, Pair*, int, Workspace&);
