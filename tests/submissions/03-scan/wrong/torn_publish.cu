// look_back with a value and a status for each tile. The inclusive prefix replaces the aggregate by two stores, so a
// reader may take the new value with the old status. One thread looks back, tile by tile.
#include "scan.h"
#include "segmented.cuh"

constexpr int kBlock = 256;

// 0 is "empty".
enum Status : unsigned { kEmpty, kAggregate, kInclusive };

template <class T>
__device__ T load_value(const T* address) {
    T value;
    auto* words = reinterpret_cast<unsigned*>(&value);
    for (unsigned k = 0; k < sizeof(T) / 4; ++k) words[k] = reinterpret_cast<const volatile unsigned*>(address)[k];
    return value;
}

template <class Op>
__device__ typename Op::type exclusive_prefix_of(const typename Op::type* d_values, unsigned* d_status, int tile) {
    auto sum = Op::identity();
    for (int before = tile - 1; before >= 0; --before) {
        unsigned status;
        while ((status = __nv_atomic_load_n(d_status + before, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE)) ==
               kEmpty) {
            __nanosleep(32);
        }
        sum = Op()(load_value(d_values + before), sum);
        if (status == kInclusive) return sum;
    }
    return sum;
}

template <Scan kind, class Op>
__global__ void look_back_kernel(const typename Op::type* d_in, typename Op::type* d_out, typename Op::type* d_values,
                                 unsigned* d_status, unsigned* d_ticket, int n) {
    using T = typename Op::type;
    __shared__ T s_sums[2][kBlock];
    __shared__ T s_exclusive;
    __shared__ unsigned s_tile;
    int t = threadIdx.x;
    if (t == 0) s_tile = atomicAdd(d_ticket, 1);
    __syncthreads();
    int tile = s_tile;
    int i = tile * kBlock + t;
    s_sums[0][t] = i < n ? d_in[i] : Op::identity();
    __syncthreads();
    int from = 0;
    for (int offset = 1; offset < kBlock; offset *= 2) {
        int to = 1 - from;
        s_sums[to][t] = t >= offset ? Op()(s_sums[from][t - offset], s_sums[from][t]) : s_sums[from][t];
        __syncthreads();
        from = to;
    }
    if (t == 0) {
        T aggregate = s_sums[from][kBlock - 1];
        d_values[tile] = aggregate;
        __nv_atomic_store_n(d_status + tile, kAggregate, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
        s_exclusive = exclusive_prefix_of<Op>(d_values, d_status, tile);
        d_values[tile] = Op()(s_exclusive, aggregate);
        __nv_atomic_store_n(d_status + tile, kInclusive, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
    }
    __syncthreads();
    if (i >= n) return;
    T before = t > 0 ? Op()(s_exclusive, s_sums[from][t - 1]) : s_exclusive;
    d_out[i] = kind == Scan::exclusive ? before : Op()(s_exclusive, s_sums[from][t]);
}

template <Scan kind, class Op, class T>
void look_back(const T* d_in, T* d_out, int n, Workspace& work) {
    if (n == 0) return;
    int tiles = ceil_div(n, kBlock);
    auto* d_status = work.get<unsigned>(tiles + 1);
    CUDA_CHECK(cudaMemsetAsync(d_status, 0, (tiles + 1) * sizeof(unsigned)));
    look_back_kernel<kind, Op>
        <<<tiles, kBlock>>>(d_in, d_out, work.get<typename Op::type>(tiles), d_status, d_status + tiles, n);
    CUDA_CHECK(cudaGetLastError());
}

template void look_back<Scan::exclusive, Sum<int>>(const int*, int*, int, Workspace&);
template void look_back<Scan::inclusive, Sum<int>>(const int*, int*, int, Workspace&);
template void look_back<Scan::exclusive, Max<int>>(const int*, int*, int, Workspace&);
template void look_back<Scan::exclusive, Sum<long long>>(const long long*, long long*, int, Workspace&);
template void look_back<Scan::inclusive, Sum<float>>(const float*, float*, int, Workspace&);
template void look_back<Scan::inclusive, Compose>(const Affine*, Affine*, int, Workspace&);
template void look_back<Scan::inclusive, SegmentedSum>(const Pair*, Pair*, int, Workspace&);
