// Style: C++20: concepts, a constexpr table, cuda::std::span and array, structured bindings, templates for everything.
#include <concepts>
#include <cuda/std/array>
#include <cuda/std/span>
#include <utility>

#include "square.h"

template <class F>
concept Map = requires(F f, float x) {
    { f(x) } -> std::convertible_to<float>;
};

struct Square {
    __host__ __device__ constexpr float operator()(float x) const { return x * x; }
};
static_assert(Map<Square> && Square{}(3) == 9);

template <Map F>
__global__ void transform(cuda::std::span<const float> in, cuda::std::span<float> out, F f) {
    for (std::size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < in.size(); i += gridDim.x * blockDim.x)
        out[i] = f(in[i]);
}

constexpr cuda::std::array<int, 4> kThreadsFor = {64, 128, 256, 512};

void grid_stride(const float* d_in, float* d_out, int n) {
    std::size_t size = n;
    transform<<<64, kThreadsFor[3]>>>(cuda::std::span(d_in, size), cuda::std::span(d_out, size), Square{});
    CUDA_CHECK(cudaGetLastError());
}

struct alignas(16) Quad {
    float item[4];
};

template <int... k>
__device__ Quad square_each(Quad q, std::integer_sequence<int, k...>) {
    return {{(q.item[k] * q.item[k])...}};
}

__global__ void square_quads(const float* in, float* out, int head, int quads, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const auto* from = reinterpret_cast<const Quad*>(in + head);
    auto* to = reinterpret_cast<Quad*>(out + head);
    if (i < quads) to[i] = square_each(from[i], std::make_integer_sequence<int, 4>());
    int tail = head + 4 * quads;
    if (i < head) out[i] = in[i] * in[i];
    if (tail + i < n && i < 4) out[tail + i] = in[tail + i] * in[tail + i];
}

std::pair<int, int> split(const float* d_in, int n) {
    int head = static_cast<int>(-(reinterpret_cast<long long>(d_in) / 4) & 3);
    head = head < n ? head : n;
    return {head, (n - head) / 4};
}

void vectorized(const float* d_in, float* d_out, int n) {
    auto [head, quads] = split(d_in, n);
    square_quads<<<quads / 256 + 1, 256>>>(d_in, d_out, head, quads, n);
    CUDA_CHECK(cudaGetLastError());
}
