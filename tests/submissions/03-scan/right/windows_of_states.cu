// Style: a whole warp looks back over 32 tiles at once, as a cooperative-groups tile that shuffles structs; statuses
// are cuda::atomic_ref, released and acquired; the block size from the occupancy API; a struct of arrays by value.
#include <cooperative_groups.h>

#include <cuda/atomic>

#include "scan.h"

namespace cg = cooperative_groups;

template <class Op, class T>
__host__ __device__ Headed<T> join_segments(Headed<T> a, Headed<T> b) {
    if (b.head) return b;
    a.value = Op()(a.value, b.value);
    return a;
}

constexpr int kEach = 8;
enum State : int { kNothing, kTotal, kPrefix };

template <class T>
struct Tiles {
    T *total, *prefix;
    int *state, *ticket;
    __device__ auto status(int tile) const { return cuda::atomic_ref<int, cuda::thread_scope_device>(state[tile]); }
};

template <class Op, class T>
__device__ T inclusive(cg::thread_block_tile<32> warp, T x) {
    for (unsigned step = 1; step < 32; step *= 2) {
        T left = warp.shfl_up(x, step);
        if (warp.thread_rank() >= step) x = Op()(left, x);
    }
    return x;
}

template <class Op, class T>
__device__ T look_back_from(cg::thread_block_tile<32> warp, Tiles<T> tiles, int tile) {
    T sum = Op::identity();
    for (int nearest = tile - 1; nearest >= 0; nearest -= 32) {
        int mine = nearest - static_cast<int>(warp.thread_rank()), state = kPrefix;
        T x = Op::identity();
        if (mine >= 0) {
            do state = tiles.status(mine).load(cuda::std::memory_order_acquire);
            while (state == kNothing);
            x = state == kPrefix ? tiles.prefix[mine] : tiles.total[mine];
        }
        unsigned prefixes = warp.ballot(state == kPrefix);
        unsigned last = prefixes ? __ffs(prefixes) - 1 : 31;
        if (warp.thread_rank() > last) x = Op::identity();
        for (unsigned step = 1; step < 32; step *= 2) {
            T farther = warp.shfl_down(x, step);
            if (warp.thread_rank() + step < 32) x = Op()(farther, x);
        }
        sum = Op()(warp.shfl(x, 0), sum);
        if (prefixes) break;
    }
    return sum;
}

template <Scan kind, class Op, class T>
__global__ void scan_once(const T* in, T* out, Tiles<T> tiles, int n) {
    __shared__ T s_sums[32], s_before;
    __shared__ int s_tile;
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    if (block.thread_rank() == 0) s_tile = atomicAdd(tiles.ticket, 1);
    block.sync();
    int tile = s_tile, first = (tile * static_cast<int>(blockDim.x) + static_cast<int>(threadIdx.x)) * kEach;
    T x[kEach], own = Op::identity();
    for (int k = 0; k < kEach; ++k) {
        x[k] = first + k < n ? in[first + k] : Op::identity();
        own = Op()(own, x[k]);
    }
    T sum = inclusive<Op>(warp, own);
    if (warp.thread_rank() == 31) s_sums[warp.meta_group_rank()] = sum;
    block.sync();
    if (warp.meta_group_rank() == 0) {
        unsigned lane = warp.thread_rank();
        T total = inclusive<Op>(warp, lane < warp.meta_group_size() ? s_sums[lane] : Op::identity());
        s_sums[lane] = total;
        total = warp.shfl(total, 31);
        if (lane == 0 && tile > 0) {
            tiles.total[tile] = total;
            tiles.status(tile).store(kTotal, cuda::std::memory_order_release);
        }
        T before = look_back_from<Op>(warp, tiles, tile);
        if (lane == 0) {
            tiles.prefix[tile] = Op()(before, total);
            tiles.status(tile).store(kPrefix, cuda::std::memory_order_release);
            s_before = before;
        }
    }
    T left = warp.shfl_up(sum, 1);
    if (warp.thread_rank() == 0) left = Op::identity();
    block.sync();
    if (warp.meta_group_rank() > 0) left = Op()(s_sums[warp.meta_group_rank() - 1], left);
    left = Op()(s_before, left);
    for (int k = 0; k < kEach && first + k < n; ++k) {
        T next = Op()(left, x[k]);
        out[first + k] = kind == Scan::inclusive ? next : left;
        left = next;
    }
}

template <Scan kind, class Op, class T>
void look_back(const T* d_in, T* d_out, int n, Workspace& work) {
    if (n == 0) return;
    int least, threads;
    CUDA_CHECK(cudaOccupancyMaxPotentialBlockSize(&least, &threads, scan_once<kind, Op, T>, 0, 256));
    int count = ceil_div(n, threads * kEach);
    int* states = work.get<int>(count + 1);
    CUDA_CHECK(cudaMemsetAsync(states, 0, (count + 1) * sizeof(int)));
    Tiles<T> tiles{work.get<T>(count), work.get<T>(count), states, states + count};
    scan_once<kind, Op><<<count, threads>>>(d_in, d_out, tiles, n);
    CUDA_CHECK(cudaGetLastError());
}

template void look_back<Scan::exclusive, Sum<int>>(const int*, int*, int, Workspace&);
template void look_back<Scan::inclusive, Sum<int>>(const int*, int*, int, Workspace&);
template void look_back<Scan::exclusive, Max<int>>(const int*, int*, int, Workspace&);
template void look_back<Scan::exclusive, Sum<long long>>(const long long*, long long*, int, Workspace&);
template void look_back<Scan::inclusive, Sum<float>>(const float*, float*, int, Workspace&);
template void look_back<Scan::inclusive, Compose>(const Affine*, Affine*, int, Workspace&);
template void look_back<Scan::inclusive, Segmented<Sum<int>>>(const Headed<int>*, Headed<int>*, int, Workspace&);
