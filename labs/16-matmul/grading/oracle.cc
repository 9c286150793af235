// Lab 16's answers. Trusted; host C++; never in the student's process.
#include <cmath>
#include <vector>

#include "grading/error_bound.h"
#include "grading/problem.h"
#include "variants.h"

namespace {

using lab::Array;
using lab::DType;
using lab::Expected;
using lab::Half;
using lab::Instance;

// A matrix in double, by rows.
std::vector<double> by_rows(const Array& in, bool by_columns, std::int64_t rows, std::int64_t columns) {
    const matmul::Layout layout = matmul::layout_of(by_columns, rows, columns);
    std::vector<double> out;
    out.reserve(in.spec.count);
    for (std::int64_t row = 0; row < rows; ++row) {
        for (std::int64_t column = 0; column < columns; ++column) {
            const auto at = static_cast<std::size_t>(layout.at(row, column));
            out.push_back(in.spec.dtype == DType::f16 ? lab::to_double(in.as<Half>()[at])
                                                      : static_cast<double>(in.as<float>()[at]));
        }
    }
    return out;
}

// The tolerance of a sum of `inner` products whose magnitudes add up to `size`.
//
// Floats. A product is rounded once, and once more in each addition that it passes through. A sum of k products has
// k - 1 additions, so no product is rounded more than k times, in whatever order they are added. (A fused multiply-add
// rounds less, adding a 0 not at all, and a product of two halves, of 22 bits, is exact.) Let u be 2^-24. Then the sum
// is changed by at most gamma(k) * size, with gamma(k) = k u / (1 - k u) (Higham, "Accuracy and Stability of Numerical
// Algorithms", lemma 3.1 and section 3.1).
//
// Tensor cores. Products are exact, but a step adds up to 16 of them and the sum before at once: all are cut to a
// multiple of a unit, which is at most 2 u times the largest of them, and so is the result. Each of the 17 terms and
// the result loses less than that unit, so a step loses at most 18 * 2 u * size. With k / 16 steps that is less than
// 2.25 k u * size; steps of 4 or 8 products lose 6 or 10 units each: at most 3 k u. PTX promises "at least single
// precision" for the sums, and no order. So 4 k roundings are allowed, which is below 2^-10 for every k of the grader:
// sums in half, with u = 2^-11, are further off.
//
// A missing product shows if the tolerance is less than the smallest product. Often, cases.cc makes all elements at
// least 1/2 and at most 1 in magnitude. Then products are between 1/4 and 1, size is at most k, and the tolerance of
// floats is k^2 u < 1/4 up to k = 2,000. Tensor cores reach 1/4 at k = 1,000, the most that a seed chooses. And often
// all elements are small whole numbers: where size is at most 2^24, nothing is rounded or cut, and the sum must be
// exact.
//
// The reference adds in double. Its own error is at most 2^-29 of the tolerance and is ignored.
double tolerance(double inner, double size, bool is_whole, bool on_tensor_cores) {
    if (is_whole && size <= 0x1p24) return 0;
    return lab::sum_error_bound<float>((on_tensor_cores ? 4 : 1) * inner, size);
}

bool are_whole(const std::vector<double>& values) {
    for (const double value : values)
        if (value != std::floor(value)) return false;
    return true;
}

}  // namespace

std::vector<Expected> matmul_expect(const Instance& call, std::span<const Array> inputs) {
    const std::int64_t rows = call.scalar("rows"), columns = call.scalar("columns"), inner = call.scalar("inner");
    const matmul::Orders& orders = matmul::orders_of(call);
    const std::vector<double> a = by_rows(inputs[0], orders.a_by_columns, rows, inner);
    const std::vector<double> b = by_rows(inputs[1], orders.b_by_columns, inner, columns);
    const bool is_whole = are_whole(a) && are_whole(b);
    Expected c;
    c.value.assign(static_cast<std::size_t>(rows * columns), 0.0);
    std::vector<double> size(static_cast<std::size_t>(columns));
    c.tolerance.reserve(c.value.size());
    for (std::int64_t row = 0; row < rows; ++row) {
        std::fill(size.begin(), size.end(), 0.0);
        double* sums = c.value.data() + row * columns;
        for (std::int64_t k = 0; k < inner; ++k) {
            const double factor = a[row * inner + k];
            const double* from = b.data() + k * columns;
            for (std::int64_t column = 0; column < columns; ++column) {  // none waits for another
                const double product = factor * from[column];
                sums[column] += product;
                size[column] += std::fabs(product);
            }
        }
        for (const double magnitude : size)
            c.tolerance.push_back(
                tolerance(static_cast<double>(inner), magnitude, is_whole, call.task == "tensor_cores"));
    }
    return lab::outputs(std::move(c));
}
