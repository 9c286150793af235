// Task 7, pipelined: as 6, but a block publishes its next tile before it finishes the one it holds. By then earlier
// tiles have usually published theirs, one round ago, so that the search seldom waits; and the next tile is loaded.
// The kernel starts while another one still clears the states, and fetches its first tile meanwhile.
//
// Waiting limits look_back: while its block waits for earlier tiles, it loads nothing (docs/performance/03-scan.md).
#include <algorithm>

#include "scan.h"
#include "tile.cuh"
#include "tile_states.cuh"
#include "toolbox/dependent_launch.h"

constexpr int kBlocksPerSm = 2;  // leaves a thread 128 registers: 80 for two tiles

// Launch: as many blocks of kThreads as the device holds at once, behind clear_for_next(). Shared memory: as in task 6.
template <Scan kind, class Op, class T = typename Op::type>
__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    pipelined_kernel(const T* d_in, T* d_out, TileStates<T> states, unsigned* d_ticket, int n, int tiles) {
    __shared__ int s_tile;
    __shared__ T s_exclusive;
    Op op;
    int t = threadIdx.x;
    Vector<T> held_row[kRows];
    int held = -1;  // the tile in held_row: scanned and published, not finished; -1: none
    T held_aggregate = Op::identity(), held_before_warp = Op::identity();

    int first = blockIdx.x * tile_size<T>();  // the ticket will usually be the same
    prefetch(d_in + first, min(tile_size<T>(), n - first));
    wait_for_earlier_kernels();
    if (t == 0) {
        s_tile = static_cast<int>(atomicAdd(d_ticket, 1));
        s_exclusive = Op::identity();
    }
    __syncthreads();
    int tile = s_tile;  // read before the loop writes s_tile again
    __syncthreads();
    // No circle: a block waits only for tiles before `held`. Each of them has its ticket, and the block that has it
    // publishes the tile before it waits for anything but still earlier tiles.
    while (tile < tiles || held >= 0) {
        // Load, scan and publish a tile. Its successor's ticket is on its way meanwhile.
        Vector<T> row[kRows];
        T aggregate = Op::identity(), before_warp = Op::identity();
        int next = tiles;
        if (tile < tiles) {
            load_tile(row, d_in, tile, n, Op::identity());
            if (t == 0) s_tile = static_cast<int>(atomicAdd(d_ticket, 1));
            before_warp = sum_of_earlier_warps<Op>(scan_rows<kind, Op>(row), aggregate);
            if (t < 32) states.publish_aggregate(tile, aggregate);
            next = s_tile;  // written before the barrier in sum_of_earlier_warps()
        }

        // Finish the tile before it, and put this one in its place.
        if (t < 32 && held >= 0) {
            T exclusive = exclusive_prefix<Op>(states, held);
            states.publish_inclusive_prefix(held, op(exclusive, held_aggregate));
            s_exclusive = exclusive;
        }
        __syncthreads();
        T before = op(s_exclusive, held_before_warp);
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
            if (held >= 0) store_row<Op>(before, held_row[r], d_out, held, r, n);
            if (tile < tiles) held_row[r] = row[r];
        }
        __syncthreads();
        held = tile < tiles ? tile : -1;
        held_aggregate = aggregate;
        held_before_warp = before_warp;
        tile = next;
    }
}

template <class Kernel>
int resident_blocks(Kernel* kernel) {
    int device = 0, processors = 0, blocks_each = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_each, kernel, kThreads, 0));
    return processors * blocks_each;
}

template <Scan kind, class Op, class T>
void pipelined(const T* d_in, T* d_out, int n, Workspace& work) {
    if (n == 0) return;
    int tiles = ceil_div(n, tile_size<T>());
    std::size_t words = TileStates<T>::words(tiles);
    auto* d_words = work.get<unsigned long long>(words + 1);
    clear_for_next(d_words, words + 1);

    // Tickets are right for any number of blocks. With as many as are resident, each goes through several tiles.
    static const int resident = resident_blocks(pipelined_kernel<kind, Op, T>);
    launch_dependent<pipelined_kernel<kind, Op, T>>(std::min(tiles, resident), kThreads, d_in, d_out,
                                                    TileStates<T>{d_words},
                                                    reinterpret_cast<unsigned*>(d_words + words), n, tiles);
}

template void pipelined<Scan::exclusive, Sum<int>>(const int*, int*, int, Workspace&);
template void pipelined<Scan::inclusive, Sum<int>>(const int*, int*, int, Workspace&);
template void pipelined<Scan::exclusive, Sum<long long>>(const long long*, long long*, int, Workspace&);
template void pipelined<Scan::inclusive, Compose>(const Affine*, Affine*, int, Workspace&);
