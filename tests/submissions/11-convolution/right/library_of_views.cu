// Style: what libcu++ offers: mdspan views of the image and the filter, array, optional and variant in device code,
// cuda::std::visit over the kinds of border, cuda::ceil_div, special registers by cuda::ptx.
#include <cuda/cmath>
#include <cuda/ptx>
#include <cuda/std/array>
#include <cuda/std/mdspan>
#include <cuda/std/optional>
#include <cuda/std/variant>

#include "convolution.h"

namespace cs = cuda::std;
using Image = cs::mdspan<const float, cs::dextents<int, 2>>;
using Result = cs::mdspan<float, cs::dextents<int, 2>>;

struct Zero {
    __device__ cs::optional<int> operator()(int, int) const { return cs::nullopt; }
};
struct Clamp {
    __device__ cs::optional<int> operator()(int i, int length) const { return max(0, min(i, length - 1)); }
};
struct Wrap {
    __device__ cs::optional<int> operator()(int i, int length) const {
        int rest = i % length;
        return rest < 0 ? rest + length : rest;
    }
};
using Outside = cs::variant<Zero, Clamp, Wrap>;

__device__ float pixel(Image image, cs::array<int, 2> at, const Outside& outside) {
    for (int d = 0; d < 2; ++d) {
        if (at[d] >= 0 && at[d] < image.extent(d)) continue;
        auto place = cs::visit([&](auto kind) { return kind(at[d], image.extent(d)); }, outside);
        if (!place) return 0.0f;
        at[d] = *place;
    }
    return image(at[0], at[1]);
}

__global__ void convolve(Image image, Image filter, Result result, Outside outside) {
    int x =
        static_cast<int>(cuda::ptx::get_sreg_ctaid_x() * cuda::ptx::get_sreg_ntid_x() + cuda::ptx::get_sreg_tid_x());
    int y =
        static_cast<int>(cuda::ptx::get_sreg_ctaid_y() * cuda::ptx::get_sreg_ntid_y() + cuda::ptx::get_sreg_tid_y());
    if (y >= result.extent(0) || x >= result.extent(1)) return;
    int radius = filter.extent(0) / 2;
    float sum = 0;
    for (int j = 0; j < filter.extent(0); ++j)
        for (int i = 0; i < filter.extent(1); ++i)
            sum += filter(j, i) * pixel(image, {y + radius - j, x + radius - i}, outside);
    result(y, x) = sum;
}

void naive(const float* d_in, float* d_out, int width, int height, const float* d_filter, int radius, Border border,
           Workspace&) {
    if (width == 0 || height == 0) return;
    Outside outside = Zero{};
    if (border == Border::clamp) outside = Clamp{};
    if (border == Border::wrap) outside = Wrap{};
    dim3 block(32, 8), grid(cuda::ceil_div(width, 32), cuda::ceil_div(height, 8));
    convolve<<<grid, block>>>(Image(d_in, height, width), Image(d_filter, 2 * radius + 1, 2 * radius + 1),
                              Result(d_out, height, width), outside);
    CUDA_CHECK(cudaGetLastError());
}
