// Style: generic without shuffles: a thread adds its own run in shared memory, helper namespace, function objects;
// a fixed grid whose blocks own one long piece each, written by extended lambdas.
#include "scan.h"

template <class Op, class T>
__host__ __device__ Headed<T> join_segments(Headed<T> a, Headed<T> b) {
    if (b.head == 1) return b;
    return {Op()(a.value, b.value), a.head};
}

namespace detail {

constexpr int kThreads = 128, kRun = 8, kItems = kThreads * kRun;

// Exclusive scan of one value a thread. s holds kThreads values; begins and ends with a barrier.
template <class Op, class T>
__device__ T before_me(T value, T* s, T& total) {
    int t = threadIdx.x;
    T sum = value;
    for (int distance = 1; distance < kThreads; distance *= 2) {
        __syncthreads();
        s[t] = sum;
        __syncthreads();
        if (t >= distance) sum = Op()(s[t - distance], sum);
    }
    __syncthreads();
    s[t] = sum;
    __syncthreads();
    total = s[kThreads - 1];
    T before = t == 0 ? Op::identity() : s[t - 1];
    __syncthreads();
    return before;
}

// Scans items first, ..., first + kItems - 1 behind `carry`; returns carry and these items' sum.
template <Scan kind, class Op, class T, class Get, class Put>
__device__ T scan_tile(T carry, int first, int n, T* s, T* s_sums, Get get, Put put) {
    int t = threadIdx.x;
    for (int k = t; k < kItems; k += kThreads) s[k + k / kRun] = first + k < n ? get(first + k) : Op::identity();
    __syncthreads();
    T* run = s + t * (kRun + 1);
    T own = run[0];
    for (int k = 1; k < kRun; ++k) own = Op()(own, run[k]);
    T total;
    T sum = Op()(carry, before_me<Op>(own, s_sums, total));
    for (int k = 0; k < kRun; ++k) {
        T next = Op()(sum, run[k]);
        run[k] = kind == Scan::inclusive ? next : sum;
        sum = next;
    }
    __syncthreads();
    for (int k = t; k < kItems; k += kThreads) {
        if (first + k < n) put(first + k, s[k + k / kRun]);
    }
    __syncthreads();
    return Op()(carry, total);
}

template <Scan kind, class Op, class T, class Get, class Put, class Carry, class Total>
__global__ void scan_pieces(int n, int tiles_each, Get get, Put put, Carry carry_in, Total total_out) {
    __shared__ T s[kItems + kThreads], s_sums[kThreads];
    T carry = carry_in(blockIdx.x);
    for (int tile = blockIdx.x * tiles_each; tile < (blockIdx.x + 1) * tiles_each && tile * kItems < n; ++tile)
        carry = scan_tile<kind, Op>(carry, tile * kItems, n, s, s_sums, get, put);
    if (threadIdx.x == 0) total_out(blockIdx.x, carry);
}

}  // namespace detail

template <Scan kind, class Op, class T>
void block_sums(const T* d_in, T* d_out, int n, Workspace& work) {
    if (n == 0) return;
    int tiles = ceil_div(n, detail::kItems);
    T* d_totals = work.get<T>(tiles);
    auto nothing = [] __device__(int) { return Op::identity(); };
    detail::scan_pieces<kind, Op, T><<<tiles, detail::kThreads>>>(
        n, 1, [=] __device__(int i) { return d_in[i]; }, [=] __device__(int i, T x) { d_out[i] = x; }, nothing,
        [=] __device__(int tile, T x) { d_totals[tile] = x; });
    CUDA_CHECK(cudaGetLastError());
    detail::scan_pieces<Scan::exclusive, Op, T><<<1, detail::kThreads>>>(
        tiles, ceil_div(tiles, detail::kItems), [=] __device__(int i) { return d_totals[i]; },
        [=] __device__(int i, T x) { d_totals[i] = x; }, nothing, [] __device__(int, T) {});
    CUDA_CHECK(cudaGetLastError());
    detail::scan_pieces<Scan::exclusive, Op, T><<<tiles, detail::kThreads>>>(
        0, 1, [] __device__(int) { return Op::identity(); }, [] __device__(int, T) {},
        [=] __device__(int tile) {
            T before = d_totals[tile];
            for (int i = tile * detail::kItems + threadIdx.x; i < min((tile + 1) * detail::kItems, n);
                 i += detail::kThreads)
                d_out[i] = Op()(before, d_out[i]);
            return before;
        },
        [] __device__(int, T) {});
    CUDA_CHECK(cudaGetLastError());
}

template <Scan kind, class Op, class T>
void reduce_then_scan(const T* d_in, T* d_out, int n, Workspace& work) {
    if (n == 0) return;
    constexpr int kBlocks = 64;
    int each = ceil_div(ceil_div(n, detail::kItems), kBlocks);
    T* d_totals = work.get<T>(kBlocks);
    auto get = [=] __device__(int i) { return d_in[i]; };
    auto drop = [] __device__(int, T) {};
    auto nothing = [] __device__(int) { return Op::identity(); };
    detail::scan_pieces<Scan::exclusive, Op, T><<<kBlocks, detail::kThreads>>>(
        n, each, get, drop, nothing, [=] __device__(int piece, T x) { d_totals[piece] = x; });
    CUDA_CHECK(cudaGetLastError());
    detail::scan_pieces<kind, Op, T><<<kBlocks, detail::kThreads>>>(
        n, each, get, [=] __device__(int i, T x) { d_out[i] = x; },
        [=] __device__(int piece) {
            T before = Op::identity();
            for (int k = 0; k < piece; ++k) before = Op()(before, d_totals[k]);
            return before;
        },
        drop);
    CUDA_CHECK(cudaGetLastError());
}

template void block_sums<Scan::exclusive, Sum<int>>(const int*, int*, int, Workspace&);
template void block_sums<Scan::inclusive, Sum<int>>(const int*, int*, int, Workspace&);
template void block_sums<Scan::exclusive, Max<int>>(const int*, int*, int, Workspace&);
template void block_sums<Scan::inclusive, Sum<float>>(const float*, float*, int, Workspace&);
template void block_sums<Scan::inclusive, Compose>(const Affine*, Affine*, int, Workspace&);
template void block_sums<Scan::inclusive, Segmented<Sum<int>>>(const Headed<int>*, Headed<int>*, int, Workspace&);
template void reduce_then_scan<Scan::exclusive, Sum<int>>(const int*, int*, int, Workspace&);
template void reduce_then_scan<Scan::inclusive, Sum<int>>(const int*, int*, int, Workspace&);
template void reduce_then_scan<Scan::exclusive, Sum<long long>>(const long long*, long long*, int, Workspace&);
template void reduce_then_scan<Scan::inclusive, Compose>(const Affine*, Affine*, int, Workspace&);
