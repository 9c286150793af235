// Lab 14's answers. Trusted; host C++; never in the student's process. Counts and cells are exact; for heat, each cell
// has an error bound.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "grading/error_bound.h"
#include "grading/problem.h"
#include "variants.h"

namespace {

using lab::Array;
using lab::Expected;
using lab::Instance;

struct Size {
    std::int64_t rows, columns;
};

// A board with its torus around it: a row more above and below, a column more to the left and right.
class Torus {
  public:
    explicit Torus(Size size) : size_(size), pitch_(size.columns + 2), cells_((size.rows + 2) * pitch_, 0) {}

    std::uint8_t& at(std::int64_t y, std::int64_t x) { return cells_[(y + 1) * pitch_ + x + 1]; }

    void wrap() {
        for (std::int64_t y = 0; y < size_.rows; ++y) {
            at(y, -1) = at(y, size_.columns - 1);
            at(y, size_.columns) = at(y, 0);
        }
        std::copy_n(&at(size_.rows - 1, -1), pitch_, &at(-1, -1));
        std::copy_n(&at(0, -1), pitch_, &at(size_.rows, -1));
    }

    int around(std::int64_t y, std::int64_t x) {
        int sum = -at(y, x);
        for (std::int64_t dy = -1; dy <= 1; ++dy) sum += at(y + dy, x - 1) + at(y + dy, x) + at(y + dy, x + 1);
        return sum;
    }

    void advance() {
        wrap();
        std::vector<std::uint8_t> next = cells_;
        for (std::int64_t y = 0; y < size_.rows; ++y)
            for (std::int64_t x = 0; x < size_.columns; ++x) {
                const int count = around(y, x);
                next[(y + 1) * pitch_ + x + 1] = count == 3 || (count == 2 && at(y, x) == 1);
            }
        cells_.swap(next);
    }

  private:
    Size size_;
    std::int64_t pitch_;
    std::vector<std::uint8_t> cells_;
};

// Calls each(y, x) for all cells, row by row.
template <class Each>
void for_cells(Size size, Each each) {
    for (std::int64_t y = 0; y < size.rows; ++y)
        for (std::int64_t x = 0; x < size.columns; ++x) each(y, x);
}

Torus torus_of(const Instance& call, Size size, const Array& in) {
    Torus torus(size);
    if (life::is_bits(call)) {
        const auto words = in.as<std::uint32_t>();
        const std::int64_t width = life::words_in_row(size.columns);
        for_cells(size, [&](auto y, auto x) { torus.at(y, x) = words[y * width + x / 32] >> x % 32 & 1; });
    } else {
        const auto cells = in.as<std::uint8_t>();
        for_cells(size, [&](auto y, auto x) { torus.at(y, x) = cells[y * size.columns + x]; });
    }
    return torus;
}

Expected cells_after(const Instance& call, Size size, Torus torus) {
    Expected out;
    for (std::int64_t g = 0; g < call.scalar("generations"); ++g) torus.advance();
    if (!life::is_bits(call)) {
        for_cells(size, [&](auto y, auto x) { out.exact.push_back(torus.at(y, x)); });
        return out;
    }
    const std::int64_t width = life::words_in_row(size.columns);
    out.exact.assign(static_cast<std::size_t>(size.rows * width), 0);
    for_cells(size, [&](auto y, auto x) { out.exact[y * width + x / 32] |= std::uint64_t{torus.at(y, x)} << x % 32; });
    return out;
}

// The tolerance. One step computes t + r (a + b + c + d - 4 t), a sum of products. 4 t is exact. However the terms are
// ordered and the products distributed, each of them is rounded at most seven times: as a product (1), as the factor
// 1 - 4 r or as another product (1), and in up to five additions. So the rounding errors of a step are at most
//     gamma(8) (|t| + r (|a| + |b| + |c| + |d| + 4 |t|)),
// of the values that were computed, which are those of the exact solution with their errors. (Higham, "Accuracy and
// Stability of Numerical Algorithms", lemma 3.1 and section 3.1. A fused multiply-add rounds less.) Errors that were
// there before are passed on as the values are: with the weights 1 - 4 r and r, which are not negative for r <= 1/4 and
// add up to 1. So after k steps the error is at most about 8 k u 2.6 times the largest value: for 8 steps and
// temperatures below 1 that is 1e-5, and a neighbour that is left out in one step changes a cell by at least r / 2 =
// 0.1, of which later steps leave 0.2 ^ 7 = 1.3e-5 at least in the cell, and more in those around.
Expected heat_after(const Instance& call, Size size, std::span<const float> in) {
    constexpr double kStepRoundings = 8;
    const double rate = life::kRate;
    std::vector<double> value(in.begin(), in.end()), error(in.size(), 0);
    for (std::int64_t step = 0; step < call.scalar("generations"); ++step) {
        std::vector<double> next = value, next_error = error;
        for (std::int64_t y = 1; y + 1 < size.rows; ++y) {
            for (std::int64_t x = 1; x + 1 < size.columns; ++x) {
                const std::int64_t i = y * size.columns + x;
                const std::array<std::int64_t, 4> around = {i - size.columns, i + size.columns, i - 1, i + 1};
                double sum = -4 * value[i], errors = -4 * error[i], size_of_sum = 4 * (std::abs(value[i]) + error[i]);
                for (const std::int64_t j : around) {
                    sum += value[j];
                    errors += error[j];
                    size_of_sum += std::abs(value[j]) + error[j];
                }
                next[i] = value[i] + rate * sum;
                next_error[i] =
                    error[i] + rate * errors +
                    lab::sum_error_bound<float>(kStepRoundings, std::abs(value[i]) + error[i] + rate * size_of_sum);
            }
        }
        value.swap(next);
        error.swap(next_error);
    }
    Expected out;
    out.value = std::move(value);
    out.tolerance = std::move(error);
    return out;
}

}  // namespace

std::vector<Expected> life_expect(const Instance& call, std::span<const Array> inputs) {
    const Size size{call.scalar("rows"), call.scalar("columns")};
    if (size.rows * size.columns == 0) return lab::outputs(Expected{});
    if (life::is_heat(call)) return lab::outputs(heat_after(call, size, inputs[0].as<float>()));
    Torus torus = torus_of(call, size, inputs[0]);
    if (!life::is_count(call)) return lab::outputs(cells_after(call, size, std::move(torus)));
    Expected counts;
    torus.wrap();
    for_cells(size, [&](auto y, auto x) { counts.exact.push_back(static_cast<std::uint64_t>(torus.around(y, x))); });
    return lab::outputs(std::move(counts));
}
