// Lab 11's answers. Trusted; host C++; never in the student's process.
#include <algorithm>
#include <cmath>
#include <vector>

#include "grading/error_bound.h"
#include "grading/problem.h"

namespace {

using lab::Array;
using lab::Expected;
using lab::Instance;

// A row (or column) of the image, extended by `radius` places on either side: for each place, which place of the image
// it stands for, or -1 for none. Borders have the numbers of convolution.h: 0 is zero, 1 clamp, 2 wrap.
std::vector<std::int64_t> extended(std::int64_t length, std::int64_t radius, std::int64_t border) {
    std::vector<std::int64_t> places;
    for (std::int64_t at = -radius; at < length + radius; ++at) {
        if (border == 0) places.push_back(at < 0 || at >= length ? -1 : at);
        if (border == 1) places.push_back(std::clamp<std::int64_t>(at, 0, length - 1));
        if (border == 2) places.push_back((at + (radius / length + 1) * length) % length);
    }
    return places;
}

struct Picture {
    std::int64_t width, height, radius;
    std::vector<double> pixels;  // (width + 2 radius) x (height + 2 radius): with all that lies around the image

    Picture(const Instance& call, std::span<const float> in)
        : width(call.scalar("width")), height(call.scalar("height")), radius(call.scalar("radius")) {
        if (in.empty()) return;
        const auto columns = extended(width, radius, call.scalar("border"));
        pixels.reserve(static_cast<std::size_t>((width + 2 * radius) * (height + 2 * radius)));
        for (const std::int64_t y : extended(height, radius, call.scalar("border")))
            for (const std::int64_t x : columns)
                pixels.push_back(x < 0 || y < 0 ? 0 : static_cast<double>(in[y * width + x]));
    }
};

// The sums of products of a row of pixels, and the sums of their magnitudes.
struct Sums {
    std::vector<double> value, size;
    explicit Sums(std::int64_t count) : value(count), size(count) {}

    // Adds weight * from[x] to each pixel x. No addition has to wait for another, as it would if each pixel added up
    // all of its products at once.
    void add(double weight, const double* from) {
        for (std::size_t x = 0; x < value.size(); ++x) {
            const double product = weight * from[x];
            value[x] += product;
            size[x] += std::abs(product);
        }
    }
};

// The result, row by row: add(sums, y) adds the products of row y to `sums`, which begin at 0.
//
// The tolerance. A product is rounded once, and once more in each addition that it passes through. A sum of k products
// has k - 1 additions, so no product is rounded more than k times, in whatever order they are added. (A fused
// multiply-add rounds less.) Let u be 2^-24. Then each product is changed by a factor of at most (1 + u)^k, and the sum
// by at most gamma(k) * size, where
//     gamma(k) = k u / (1 - k u)
// (Higham, "Accuracy and Stability of Numerical Algorithms", lemma 3.1 and section 3.1). In two passes of 2 radius + 1
// products each, a pixel is rounded no more than 2 (2 radius + 1) times.
//
// A missing product shows if the tolerance is less than the smallest product. Often, cases.cc makes all pixels and
// weights at least 1/2 and less than 1 in magnitude. Then products are between 1/4 and 1, so that size is at most 4 k
// times the smallest one, and the tolerance is gamma(k) * 4 k < 1/4 of it, even for k = 31^2.
template <class Add>
Expected expected(const Picture& picture, double roundings, Add add) {
    Expected result;
    result.value.reserve(static_cast<std::size_t>(picture.width * picture.height));
    result.tolerance.reserve(result.value.capacity());
    for (std::int64_t y = 0; y < picture.height; ++y) {
        Sums sums(picture.width);
        add(sums, y);
        result.value.insert(result.value.end(), sums.value.begin(), sums.value.end());
        for (const double size : sums.size) result.tolerance.push_back(lab::sum_error_bound<float>(roundings, size));
    }
    return result;
}

// Turned by half a turn, the filter is laid over the image: its last weight meets the pixel at the upper left.
Expected with_filter(const Picture& picture, std::span<const float> filter) {
    const std::int64_t size = 2 * picture.radius + 1, pitch = picture.width + 2 * picture.radius;
    const std::vector<double> turned(filter.rbegin(), filter.rend());
    return expected(picture, static_cast<double>(size * size), [&](Sums& sums, std::int64_t y) {
        for (std::int64_t j = 0; j < size; ++j)
            for (std::int64_t i = 0; i < size; ++i)
                sums.add(turned[j * size + i], picture.pixels.data() + (y + j) * pitch + i);
    });
}

// The same for a row and a column. Both passes are in double.
Expected with_row_and_column(const Picture& picture, std::span<const float> row, std::span<const float> column) {
    const std::int64_t size = 2 * picture.radius + 1, pitch = picture.width + 2 * picture.radius;
    std::vector<Sums> rows;  // the first pass: for each row of `pixels`
    for (std::int64_t y = 0; y * pitch < std::ssize(picture.pixels); ++y) {
        rows.emplace_back(picture.width);
        for (std::int64_t i = 0; i < size; ++i)
            rows.back().add(static_cast<double>(row[size - 1 - i]), picture.pixels.data() + y * pitch + i);
    }
    return expected(picture, static_cast<double>(2 * size), [&](Sums& sums, std::int64_t y) {
        for (std::int64_t j = 0; j < size; ++j) {
            const double weight = column[size - 1 - j];
            for (std::int64_t x = 0; x < picture.width; ++x) {
                sums.value[x] += weight * rows[y + j].value[x];
                sums.size[x] += std::abs(weight) * rows[y + j].size[x];
            }
        }
    });
}

}  // namespace

std::vector<Expected> convolution_expect(const Instance& call, std::span<const Array> inputs) {
    const Picture picture(call, inputs[0].as<float>());
    if (call.task == "separable")
        return lab::outputs(with_row_and_column(picture, inputs[1].as<float>(), inputs[2].as<float>()));
    return lab::outputs(with_filter(picture, inputs[1].as<float>()));
}
