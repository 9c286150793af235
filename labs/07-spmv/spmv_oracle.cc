// Lab 7's answers. Trusted; host C++; never in the student's process.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "labs/error_bound.h"
#include "labs/problem.h"

namespace {

using lab::Array;
using lab::Expected;
using lab::Instance;

// A sum of terms: what it is, how large the terms are, how many, and whether all are whole numbers.
//
// The tolerance: a product of two floats is exact in double; the student's is rounded once, and once more in each
// addition that it passes through. k products have k - 1 additions, so none is rounded more than k times, in whatever
// order they are added (a fused multiply-add rounds less, and adding a 0 not at all): each is changed by a factor of at
// most (1 + u)^k, u = 2^-24, and so the sum by at most gamma(k) * size, gamma(k) = k u / (1 - k u) (Higham, "Accuracy
// and Stability of Numerical Algorithms", lemma 3.1 and section 3.1).
//
// In a long row that is more than one product. So the inputs often are small whole numbers: where size is at most 2^24,
// every partial sum is a whole number that a float holds, nothing is ever rounded, and the sum must be exact.
//
// The reference's own additions, in double, err by at most gamma_64(k) * size, 2^-29 of the tolerance: nothing.
struct Sum {
    double value = 0, size = 0;
    std::int64_t count = 0;
    bool is_whole = true;
    void add(double term) {
        value += term;
        size += std::fabs(term);
        ++count;
        is_whole = is_whole && term == std::floor(term);
    }
    double tolerance() const {
        if (is_whole && size <= 0x1p24) return 0;
        const auto roundings = static_cast<double>(count);
        return roundings * 0x1p-24 < 0.5 ? lab::sum_error_bound<float>(roundings, size) : size;
    }
};

Expected product(const Instance& call, std::span<const Array> inputs) {
    const auto row_ptr = inputs[0].as<std::int32_t>(), col = inputs[1].as<std::int32_t>();
    const auto value = inputs[2].as<float>(), x = inputs[3].as<float>();
    Expected y;
    for (std::int64_t r = 0; r < call.scalar("rows"); ++r) {
        Sum sum;
        for (std::int32_t k = row_ptr[r]; k < row_ptr[r + 1]; ++k)
            sum.add(static_cast<double>(value[k]) * static_cast<double>(x[col[k]]));
        y.value.push_back(sum.value);
        y.tolerance.push_back(sum.tolerance());
    }
    return y;
}

// Row pointers, columns, values; behind the last nonzero nothing may be touched.
struct Built {
    Expected row_ptr = {.exact = {0}};
    Expected col = {.rest = Expected::Rest::untouched};
    Expected value = {.rest = Expected::Rest::untouched};
    void add(std::int32_t c, double v, double tolerance) {
        col.exact.push_back(static_cast<std::uint64_t>(c));
        value.value.push_back(v);
        value.tolerance.push_back(tolerance);
    }
    void end_row() { row_ptr.exact.push_back(col.exact.size()); }
    std::vector<Expected> all() { return {std::move(row_ptr), std::move(col), std::move(value)}; }
};

std::vector<Expected> from_dense(const Instance& call, std::span<const float> dense) {
    const std::int64_t rows = call.scalar("rows"), cols = call.scalar("cols");
    Built built;
    for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t c = 0; c < cols; ++c) {
            const float v = dense[r * cols + c];
            if (v != 0) built.add(static_cast<std::int32_t>(c), static_cast<double>(v), 0);  // a copy has no rounding
        }
        built.end_row();
    }
    return built.all();
}

// Entries of one place are terms of a sum, with one rounding less than products have.
std::vector<Expected> from_coo(const Instance& call, std::span<const Array> inputs) {
    const auto row = inputs[0].as<std::int32_t>(), col = inputs[1].as<std::int32_t>();
    const auto value = inputs[2].as<float>();
    const auto place = [&](std::int64_t i) { return std::pair(row[i], col[i]); };
    std::vector<std::int64_t> order(row.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](auto i, auto j) { return place(i) < place(j); });
    Built built;
    auto next = order.begin();
    for (std::int64_t r = 0; r < call.scalar("rows"); ++r) {
        while (next != order.end() && row[*next] == r) {
            const auto here = place(*next);
            Sum sum;
            for (; next != order.end() && place(*next) == here; ++next) sum.add(static_cast<double>(value[*next]));
            built.add(here.second, sum.value, sum.count == 1 ? 0 : sum.tolerance());
        }
        built.end_row();
    }
    return built.all();
}

// The rank, and how far a float computation that keeps to the contract can be from it. error[i] bounds |got - rank| of
// page i; all terms are positive, so a term's size is the term itself.
//   y:  the errors of the ranks that are added, and gamma(k) of what is added then.
//   s:  all errors of y, and gamma(100) of the sum.
//   r': kDamping * y + (1 - kDamping * s) / n; its own roundings, at most 8, of terms not larger than
//       kDamping * y + (1 + kDamping * s) / n.
Expected ranks(const Instance& call, std::span<const Array> inputs) {
    const auto row_ptr = inputs[0].as<std::int32_t>(), col = inputs[1].as<std::int32_t>();
    const auto value = inputs[2].as<float>();
    const auto pages = static_cast<std::size_t>(call.scalar("rows"));
    constexpr auto kDamping = static_cast<double>(0.85f);
    const auto n = static_cast<double>(pages);
    std::vector<double> rank(pages, 1 / n), error(pages, lab::gamma<float>(1) / n), y(pages), y_error(pages);
    for (std::int64_t step = 0; step < call.scalar("steps"); ++step) {
        double s = 0, s_error = 0;
        for (std::size_t i = 0; i < pages; ++i) {
            double carried = 0;
            y[i] = 0;
            for (std::int32_t k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                y[i] += static_cast<double>(value[k]) * rank[col[k]];
                carried += static_cast<double>(value[k]) * error[col[k]];
            }
            y_error[i] = carried + lab::gamma<float>(row_ptr[i + 1] - row_ptr[i]) * (y[i] + carried);
            s += y[i];
            s_error += y_error[i];
        }
        s_error += lab::gamma<float>(100) * (s + s_error);
        for (std::size_t i = 0; i < pages; ++i) {
            rank[i] = kDamping * y[i] + (1 - kDamping * s) / n;
            const double carried = kDamping * y_error[i] + kDamping * s_error / n;
            const double size = kDamping * y[i] + (1 + kDamping * s) / n + carried;
            error[i] = carried + lab::gamma<float>(8) * size;
        }
    }
    return {.value = rank, .tolerance = error};
}

}  // namespace

std::vector<Expected> spmv_expect(const Instance& call, std::span<const Array> inputs) {
    if (call.task == "csr_from_dense") return from_dense(call, inputs[0].as<float>());
    if (call.task == "csr_from_coo") return from_coo(call, inputs);
    if (call.task == "pagerank") return {ranks(call, inputs)};
    return {product(call, inputs)};
}
