// Task 4, block_sums: as 3, for any operator, and the totals of the tiles are scanned in the same way, recursively.
// Global memory: each element read twice and written twice.
#include "padding.cuh"
#include "scan.h"
#include "segmented.cuh"

constexpr int kPairs = kTile / 2;
constexpr int kWarpStride = kPairs / 32;  // from this stride on, one warp has all the pairs

// As in task 3, but the left operand stays on the left.
template <class Op, class T = typename Op::type>
__device__ void up(T* s_tile, int t, int stride) {
    int right = (2 * t + 2) * stride - 1;
    s_tile[padded(right)] = Op()(s_tile[padded(right - stride)], s_tile[padded(right)]);
}

template <class Op, class T = typename Op::type>
__device__ void down(T* s_tile, int t, int stride) {
    int right = (2 * t + 2) * stride - 1;
    int left = right - stride;
    T before = s_tile[padded(right)];
    s_tile[padded(right)] = Op()(before, s_tile[padded(left)]);
    s_tile[padded(left)] = before;
}

// Turns s_tile into its exclusive scan. All kPairs threads of the block take part; thread 0 gets the total.
template <class Op, class T = typename Op::type>
__device__ T scan_in_place(T* s_tile) {
    T total = Op::identity();
    int t = threadIdx.x;
    for (int stride = 1; stride < kWarpStride; stride *= 2) {
        __syncthreads();
        if (t < kPairs / stride) up<Op>(s_tile, t, stride);
    }
    __syncthreads();
    if (t < 32) {
        for (int stride = kWarpStride; stride < kTile; stride *= 2) {
            if (t < kPairs / stride) up<Op>(s_tile, t, stride);
            __syncwarp();
        }
        if (t == 0) {
            total = s_tile[padded(kTile - 1)];
            s_tile[padded(kTile - 1)] = Op::identity();
        }
        for (int stride = kPairs; stride >= kWarpStride; stride /= 2) {
            __syncwarp();
            if (t < kPairs / stride) down<Op>(s_tile, t, stride);
        }
    }
    for (int stride = kWarpStride / 2; stride > 0; stride /= 2) {
        __syncthreads();
        if (t < kPairs / stride) down<Op>(s_tile, t, stride);
    }
    __syncthreads();
    return total;
}

// Launch: a block of kPairs threads for each tile. Shared memory: one tile, padded.
template <Scan kind, class Op, class T = typename Op::type>
__global__ void scan_tiles(const T* d_in, T* d_out, T* d_totals, int n) {
    __shared__ T s_tile[padded(kTile)];
    int t = threadIdx.x;
    int first = blockIdx.x * kTile;
    T own[2];  // the inclusive sum is the exclusive one and the element itself
    for (int k = 0; k < 2; ++k) {
        int at = t + k * kPairs;
        own[k] = first + at < n ? d_in[first + at] : Op::identity();
        s_tile[padded(at)] = own[k];
    }
    T total = scan_in_place<Op>(s_tile);
    if (t == 0) d_totals[blockIdx.x] = total;
    for (int k = 0; k < 2; ++k) {
        int at = t + k * kPairs;
        T before = s_tile[padded(at)];
        if (first + at < n) d_out[first + at] = kind == Scan::exclusive ? before : Op()(before, own[k]);
    }
}

// Launch: a block of kTile threads for each tile.
template <class Op, class T = typename Op::type>
__global__ void add_prefixes(const T* d_prefixes, T* d_out, int n) {
    int i = blockIdx.x * kTile + threadIdx.x;
    if (i < n) d_out[i] = Op()(d_prefixes[blockIdx.x], d_out[i]);
}

template <Scan kind, class Op, class T>
void block_sums(const T* d_in, T* d_out, int n, Workspace& work) {
    if (n == 0) return;
    int tiles = ceil_div(n, kTile);
    T* d_totals = work.get<T>(tiles);
    scan_tiles<kind, Op><<<tiles, kPairs>>>(d_in, d_out, d_totals, n);
    CUDA_CHECK(cudaGetLastError());
    if (tiles == 1) return;

    T* d_prefixes = work.get<T>(tiles);
    block_sums<Scan::exclusive, Op>(d_totals, d_prefixes, tiles, work);
    add_prefixes<Op><<<tiles, kTile>>>(d_prefixes, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}

template void block_sums<Scan::exclusive, Sum<int>>(const int*, int*, int, Workspace&);
template void block_sums<Scan::inclusive, Sum<int>>(const int*, int*, int, Workspace&);
template void block_sums<Scan::exclusive, Max<int>>(const int*, int*, int, Workspace&);
template void block_sums<Scan::inclusive, Sum<float>>(const float*, float*, int, Workspace&);
template void block_sums<Scan::inclusive, Compose>(const Affine*, Affine*, int, Workspace&);
template void block_sums<Scan::inclusive, SegmentedSum>(const Pair*, Pair*, int, Workspace&);
