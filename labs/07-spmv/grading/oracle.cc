// Lab 7's answers. Trusted; host C++; never in the student's process.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "grading/error_bound.h"
#include "grading/problem.h"
#include "grading/sort.h"

namespace {

using lab::Array;
using lab::Expected;
using lab::Instance;

// A sum of terms: what it is, how large the terms are, how many, and whether all are whole numbers.
//
// The tolerance. A product of two floats is exact in double. The student's is rounded once, and once more in each
// addition that it passes through. k products have k - 1 additions, so none is rounded more than k times, in whatever
// order they are added. (A fused multiply-add rounds less, and adding a 0 not at all.) Let u be 2^-24. Then each
// product is changed by a factor of at most (1 + u)^k, and the sum by at most gamma(k) * size, where
//     gamma(k) = k u / (1 - k u)
// (Higham, "Accuracy and Stability of Numerical Algorithms", lemma 3.1 and section 3.1). From k u = 1/2 on, gamma(k)
// would be more than 1, and `size` itself is the tolerance.
//
// A product below 2^-126 is a subnormal float, a multiple of 2^-149, so it is off by at most 2^-150. The additions
// after it make that at most 2^-149, because (1 + u)^k < 2. (An addition does not underflow: a sum of floats is a
// multiple of 2^-149 anyway, and exact where it is subnormal.) For k products, this adds k * 2^-149.
//
// In a long row, the tolerance is more than one product, and a missing product could pass. So the inputs are often
// small whole numbers. Where size is at most 2^24, every partial sum is a whole number that a float can hold. Then
// nothing is rounded, and the sum must be exact.
//
// The reference adds in double. Its own error is at most 2^-29 of the tolerance and is ignored.
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
        return (roundings * 0x1p-24 < 0.5 ? lab::sum_error_bound<float>(roundings, size) : size) + roundings * 0x1p-149;
    }
};

Expected product(const Instance& call, std::span<const Array> inputs) {
    const auto row_ptr = inputs[0].as<std::int32_t>(), col = inputs[1].as<std::int32_t>();
    const auto value = inputs[2].as<float>(), x = inputs[3].as<float>();
    Expected y;
    y.value.reserve(row_ptr.size());
    y.tolerance.reserve(row_ptr.size());
    for (std::int64_t r = 0, rows = call.scalar("rows"); r < rows; ++r) {
        Sum sum;
        for (std::int32_t k = row_ptr[r]; k < row_ptr[r + 1]; ++k)
            sum.add(static_cast<double>(value[k]) * static_cast<double>(x[col[k]]));
        y.value.push_back(sum.value);
        y.tolerance.push_back(sum.tolerance());
    }
    return y;
}

// A matrix as it must come out: row pointers, columns and values. After the last nonzero, nothing may be touched.
struct Built {
    Expected row_ptr = {.exact = {0}};
    Expected col = {.rest = Expected::Rest::untouched};
    Expected value = {.rest = Expected::Rest::untouched};
    void add(std::int32_t c, double v, double tolerance) {
        col.exact.push_back(static_cast<std::uint64_t>(c));
        value.value.push_back(v);
        value.tolerance.push_back(tolerance);
    }
    void reserve(std::size_t count) {
        col.exact.reserve(count);
        value.value.reserve(count);
        value.tolerance.reserve(count);
    }
    void end_row() { row_ptr.exact.push_back(col.exact.size()); }
    std::vector<Expected> all() { return lab::outputs(std::move(row_ptr), std::move(col), std::move(value)); }
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
    std::vector<std::uint64_t> places(row.size());  // neither half is negative
    for (std::size_t i = 0; i < places.size(); ++i)
        places[i] = static_cast<std::uint64_t>(row[i]) << 32 | static_cast<std::uint32_t>(col[i]);
    std::vector<std::uint32_t> order(row.size());
    std::iota(order.begin(), order.end(), 0u);
    lab::sort_words(places, order);
    Built built;
    built.reserve(row.size());
    std::size_t next = 0;
    for (std::int64_t r = 0, rows = call.scalar("rows"); r < rows; ++r) {
        while (next < places.size() && static_cast<std::int64_t>(places[next] >> 32) == r) {
            const std::uint64_t here = places[next];
            Sum sum;
            for (; next < places.size() && places[next] == here; ++next)
                sum.add(static_cast<double>(value[order[next]]));
            built.add(static_cast<std::int32_t>(here), sum.value, sum.count == 1 ? 0 : sum.tolerance());
        }
        built.end_row();
    }
    return built.all();
}

// The ranks r, and for each a bound of |e|, where e is the error of a float computation that keeps to the contract. All
// terms are positive, so a term is its own magnitude. Let A be the links, d be kDamping, and h be what the roundings of
// one step add. Then a step turns e into
//     e' = d A e - (d / n) sum(A e) + h.
// Let c[j] be the sum of A's column j: 1, or 0 for a page without links. Then
//     sum(A e) = sum(e) - sum of (1 - c[j]) e[j].
// The errors of all pages nearly cancel, because the share loses what the product gains: sum(e') = sum(h). So
//     |e'| <= d A |e| + (d / n) (sum of |1 - c[j]| |e[j]| + |sum(h) of the step before|) + |h|,
// which stays bounded. It would not if the errors of y and s were treated as independent. In one step, h has three
// parts:
//     y is rounded by at most gamma(k) y, for k nonzeros in its row. This changes d y and, through the sum, the share.
//     s is rounded by at most gamma(100) s. This changes the share only.
//     All the rest is rounded by at most gamma(8) (d y + (1 + d s) / n).
// In sum(h), the roundings of y cancel.
Expected ranks(const Instance& call, std::span<const Array> inputs) {
    const auto row_ptr = inputs[0].as<std::int32_t>(), col = inputs[1].as<std::int32_t>();
    const auto value = inputs[2].as<float>();
    const auto pages = static_cast<std::size_t>(call.scalar("rows"));
    constexpr auto d = static_cast<double>(0.85f);
    const auto n = static_cast<double>(pages);
    struct Rank {  // side by side: most of the time goes into fetching them
        double value, error;
    };
    std::vector<Rank> rank(pages, {1 / n, lab::gamma<float>(1) / n});
    std::vector<double> unlinked(pages, 1);  // 1 - c[j]
    for (std::size_t k = 0; k < value.size(); ++k) unlinked[col[k]] -= static_cast<double>(value[k]);
    std::vector<double> y(pages), carried(pages), rounded(pages);  // carried: A |e|; rounded: the rounding of y
    double sum_of_errors = lab::gamma<float>(1);
    for (std::int64_t step = 0; step < call.scalar("steps"); ++step) {
        double s = 0, all_rounded = 0, share_error = sum_of_errors;
        for (std::size_t i = 0; i < pages; ++i) {
            y[i] = carried[i] = 0;
            for (std::int32_t k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                const Rank& from = rank[col[k]];
                y[i] += static_cast<double>(value[k]) * from.value;
                carried[i] += static_cast<double>(value[k]) * from.error;
            }
            rounded[i] = lab::gamma<float>(row_ptr[i + 1] - row_ptr[i]) * (y[i] + carried[i]);
            all_rounded += rounded[i];
            s += y[i];
            share_error += std::fabs(unlinked[i]) * rank[i].error;
        }
        share_error += all_rounded + lab::gamma<float>(100) * (s + all_rounded);
        for (std::size_t i = 0; i < pages; ++i) {
            rank[i].value = d * y[i] + (1 - d * s) / n;
            const double size = d * (y[i] + carried[i]) + (1 + d * s) / n;
            rank[i].error = d * (carried[i] + rounded[i] + share_error / n) + lab::gamma<float>(8) * size;
        }
        sum_of_errors = d * lab::gamma<float>(100) * (s + all_rounded) + lab::gamma<float>(8) * (1 + 2 * d * s);
    }
    Expected expected;
    expected.value.reserve(pages);
    expected.tolerance.reserve(pages);
    for (const Rank& page : rank) {
        expected.value.push_back(page.value);
        expected.tolerance.push_back(page.error);
    }
    return expected;
}

}  // namespace

std::vector<Expected> spmv_expect(const Instance& call, std::span<const Array> inputs) {
    if (call.task == "csr_from_dense") return from_dense(call, inputs[0].as<float>());
    if (call.task == "csr_from_coo") return from_coo(call, inputs);
    if (call.task == "pagerank") return lab::outputs(ranks(call, inputs));
    return lab::outputs(product(call, inputs));
}
