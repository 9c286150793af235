// Scans and sums: reduce, then scan. Every tile is added up, the tiles' sums are scanned in the same way, and then each
// tile is scanned, starting from the sum of all tiles before it. No block waits for another, so blocks may run in any
// order.
#include "toolbox/primitives.h"

namespace primitives {
namespace {

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr int kRows = 8;  // of 32 elements, for every warp
constexpr int kTile = kThreads * kRows;
constexpr unsigned kAllLanes = 0xffffffff;

// ---- Operands: plain values, or values with heads ----

template <class T>
struct Headed {
    T value;
    // Has a segment begun anywhere in this sum? As wide as the value, so that there is no padding.
    std::conditional_t<sizeof(T) == 8, long long, int> head;
    __device__ explicit operator T() const { return value; }
};

template <class T>
struct SumOfSegments {
    using type = Headed<T>;
    __device__ static constexpr type identity() { return {T{0}, 0}; }
    __device__ type operator()(type a, type b) const {
        return {b.head != 0 ? b.value : Sum<T>()(a.value, b.value), a.head | b.head};
    }
};

// An input returns any element from 0 up, and the identity beyond the end.
template <class Operator>
struct Values {
    using Op = Operator;
    const typename Op::type* d_in;
    int n;
    __device__ typename Op::type operator[](int i) const { return i < n ? d_in[i] : Op::identity(); }
};

template <class T>
struct Segments {
    using Op = SumOfSegments<T>;
    const T* d_in;
    const int* d_heads;
    int n;
    __device__ Headed<T> operator[](int i) const {
        if (i >= n) return Op::identity();
        return {d_in[i], d_heads[i] != 0};
    }
};

// ---- Within a warp ----

template <class T>
__device__ T shuffle(T value, int lane) {
    return __shfl_sync(kAllLanes, value, lane);
}
template <class T>
__device__ Headed<T> shuffle(Headed<T> pair, int lane) {
    return {shuffle(pair.value, lane), shuffle(pair.head, lane)};
}

// Lane i gets lane 0 op ... op lane i.
template <class Op>
__device__ typename Op::type scan_lanes(typename Op::type value, int lane) {
    for (int distance = 1; distance < 32; distance *= 2) {
        auto left = shuffle(value, lane >= distance ? lane - distance : lane);
        if (lane >= distance) value = Op()(left, value);
    }
    return value;
}

// The calling thread's first element of its tile; its others follow at a distance of 32.
__device__ int first_of_thread() {
    return blockIdx.x * kTile + static_cast<int>(threadIdx.x) / 32 * (kRows * 32) + threadIdx.x % 32;
}

// row[r] becomes the inclusive sum within the warp's own kRows * 32 elements. Returns the warp's total.
template <class Op>
__device__ typename Op::type scan_rows(typename Op::type (&row)[kRows], int lane) {
    auto total = Op::identity();
    for (int r = 0; r < kRows; ++r) {
        row[r] = Op()(total, scan_lanes<Op>(row[r], lane));
        total = shuffle(row[r], 31);
    }
    return total;
}

// ---- Kernels ----

// Launch: a block of kThreads for each tile. Shared memory: the warps' sums.
template <class Input>
__global__ void sum_tiles(Input in, typename Input::Op::type* d_sums) {
    using Op = typename Input::Op;
    __shared__ typename Op::type s_sums[kWarps];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    typename Op::type row[kRows];
    for (int r = 0; r < kRows; ++r) row[r] = in[first_of_thread() + r * 32];
    auto total = scan_rows<Op>(row, lane);
    if (lane == 0) s_sums[warp] = total;
    __syncthreads();
    if (threadIdx.x != 0) return;
    for (int w = 1; w < kWarps; ++w) s_sums[0] = Op()(s_sums[0], s_sums[w]);
    d_sums[blockIdx.x] = s_sums[0];
}

enum class Kind { inclusive, exclusive };

// Launch: a block of kThreads for each tile of the `count` outputs. Shared memory: the warps' sums.
// d_before: the sum before each tile; null if there is only one tile. Out: the type that an Op::type is stored as.
template <Kind kind, class Input, class Out>
__global__ void scan_tiles(Input in, const typename Input::Op::type* d_before, Out* d_out, int count) {
    using Op = typename Input::Op;
    using T = typename Op::type;
    __shared__ T s_sums[kWarps];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, first = first_of_thread();
    T row[kRows];
    for (int r = 0; r < kRows; ++r) row[r] = in[first + r * 32];
    T total = scan_rows<Op>(row, lane);
    if (lane == 0) s_sums[warp] = total;
    __syncthreads();

    T before = d_before != nullptr ? d_before[blockIdx.x] : Op::identity();
    for (int w = 0; w < warp; ++w) before = Op()(before, s_sums[w]);
    T left = before;  // the sum up to the element left of this one, for a row's first lane
    for (int r = 0; r < kRows; ++r) {
        T sum = Op()(before, row[r]);
        T neighbour = shuffle(sum, lane > 0 ? lane - 1 : 0);
        T result = kind == Kind::inclusive ? sum : lane > 0 ? neighbour : left;
        if (first + r * 32 < count) d_out[first + r * 32] = static_cast<Out>(result);
        left = shuffle(sum, 31);
    }
}

// Scans the first `count` elements of `in`; `count` may exceed its length.
template <Kind kind, class Input, class Out>
void scan(Input in, Out* d_out, int count, Workspace& work) {
    using Op = typename Input::Op;
    if (count == 0) return;
    int tiles = ceil_div(count, kTile);
    typename Op::type* d_before = nullptr;
    if (tiles > 1) {
        auto* d_sums = work.get<typename Op::type>(tiles);
        sum_tiles<<<tiles, kThreads>>>(in, d_sums);
        CUDA_CHECK(cudaGetLastError());
        d_before = work.get<typename Op::type>(tiles);
        scan<Kind::exclusive>(Values<Op>{d_sums, tiles}, d_before, tiles, work);
    }
    scan_tiles<kind><<<tiles, kThreads>>>(in, d_before, d_out, count);
    CUDA_CHECK(cudaGetLastError());
}

}  // namespace

// ---- The functions of primitives.h ----

void exclusive_sum(const int* d_in, int* d_out, int n, Workspace& work) {
    scan<Kind::exclusive>(Values<Sum<int>>{d_in, n}, d_out, n + 1, work);
}

template <class T>
void inclusive_sum(const T* d_in, T* d_out, int n, Workspace& work) {
    scan<Kind::inclusive>(Values<Sum<T>>{d_in, n}, d_out, n, work);
}

template <class T>
void segmented_inclusive_sum(const T* d_in, const int* d_heads, T* d_out, int n, Workspace& work) {
    scan<Kind::inclusive>(Segments<T>{d_in, d_heads, n}, d_out, n, work);
}

template <class T>
void sum(const T* d_in, T* d_out, int n, Workspace& work) {
    int tiles = n > 0 ? ceil_div(n, kTile) : 1;  // one block even for n = 0, to write the 0
    T* d_sums = tiles > 1 ? work.get<T>(tiles) : d_out;
    sum_tiles<<<tiles, kThreads>>>(Values<Sum<T>>{d_in, n}, d_sums);
    CUDA_CHECK(cudaGetLastError());
    if (tiles > 1) sum(d_sums, d_out, tiles, work);
}

template void inclusive_sum(const int*, int*, int, Workspace&);
template void inclusive_sum(const float*, float*, int, Workspace&);
template void segmented_inclusive_sum(const int*, const int*, int*, int, Workspace&);
template void segmented_inclusive_sum(const float*, const int*, float*, int, Workspace&);
template void segmented_inclusive_sum(const double*, const int*, double*, int, Workspace&);
template void sum(const int*, int*, int, Workspace&);
template void sum(const float*, float*, int, Workspace&);
template void sum(const double*, double*, int, Workspace&);

}  // namespace primitives
