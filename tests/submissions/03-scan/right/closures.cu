// Style: functional C++20 on the host: the way down of the recursion is a stack of std::function, levels come from
// <ranges> and <span>; kernels are constrained by concepts.
#include <concepts>
#include <functional>
#include <ranges>
#include <span>
#include <vector>

#include "scan.h"

template <class Op>
concept Monoid = requires(typename Op::type x) {
    { Op::identity() } -> std::same_as<typename Op::type>;
    { Op()(x, x) } -> std::same_as<typename Op::type>;
};

template <class Op, class T>
__host__ __device__ Headed<T> join_segments(Headed<T> a, Headed<T> b) {
    return b.head ? b : Headed<T>{Op()(a.value, b.value), a.head};
}

constexpr int kWidth = 512;

template <Monoid Op, class T = typename Op::type>
__global__ void scan_rows(const T* in, T* out, T* totals, int n, bool inclusive) {
    __shared__ T rows[2][kWidth];
    int t = threadIdx.x, i = blockIdx.x * kWidth + t, now = 0;
    rows[0][t] = i < n ? in[i] : Op::identity();
    for (int step = 1; step < kWidth; step *= 2, now ^= 1) {
        __syncthreads();
        rows[now ^ 1][t] = t < step ? rows[now][t] : Op()(rows[now][t - step], rows[now][t]);
    }
    __syncthreads();
    if (i < n) out[i] = inclusive ? rows[now][t] : t > 0 ? rows[now][t - 1] : Op::identity();
    if (t == kWidth - 1) totals[blockIdx.x] = rows[now][t];
}

template <Monoid Op, class T = typename Op::type>
__global__ void add_left(const T* left, T* out, int n) {
    int i = (blockIdx.x + 1) * kWidth + threadIdx.x;
    if (i < n) out[i] = Op()(left[blockIdx.x + 1], out[i]);
}

template <Scan kind, class Op, class T>
void block_sums(const T* d_in, T* d_out, int n, Workspace& work) {
    if (n == 0) return;
    std::vector<int> sizes{n};
    while (sizes.back() > kWidth) sizes.push_back(ceil_div(sizes.back(), kWidth));
    std::vector<std::span<T>> levels{{d_out, static_cast<std::size_t>(n)}};
    for (int size : sizes | std::views::drop(1)) levels.emplace_back(work.get<T>(size), size);
    levels.emplace_back(work.get<T>(1), 1);

    std::vector<std::function<void()>> down;
    for (std::size_t k : std::views::iota(std::size_t{0}, sizes.size())) {
        int size = sizes[k], blocks = ceil_div(size, kWidth);
        T *here = levels[k].data(), *above = levels[k + 1].data();
        bool inclusive = k == 0 && kind == Scan::inclusive;
        scan_rows<Op><<<blocks, kWidth>>>(k == 0 ? d_in : here, here, above, size, inclusive);
        CUDA_CHECK(cudaGetLastError());
        if (blocks == 1) continue;
        down.emplace_back([=] {
            add_left<Op><<<blocks - 1, kWidth>>>(above, here, size);
            CUDA_CHECK(cudaGetLastError());
        });
    }
    for (auto& step : down | std::views::reverse) step();
}

template void block_sums<Scan::exclusive, Sum<int>>(const int*, int*, int, Workspace&);
template void block_sums<Scan::inclusive, Sum<int>>(const int*, int*, int, Workspace&);
template void block_sums<Scan::exclusive, Max<int>>(const int*, int*, int, Workspace&);
template void block_sums<Scan::inclusive, Sum<float>>(const float*, float*, int, Workspace&);
template void block_sums<Scan::inclusive, Compose>(const Affine*, Affine*, int, Workspace&);
template void block_sums<Scan::inclusive, Segmented<Sum<int>>>(const Headed<int>*, Headed<int>*, int, Workspace&);
