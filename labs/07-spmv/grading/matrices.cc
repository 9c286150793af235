#include "matrices.h"

#include <algorithm>
#include <cmath>

namespace spmv {
namespace {

// Rows of weight 0 will be empty. There are eight ways to choose them. Where n nonzeros may fill the last block to its
// end, the last rows are empty, as they then begin beyond it.
std::vector<double> weights_with_gaps(std::int64_t n, std::int64_t rows, lab::Random& random) {
    std::vector<double> weights(static_cast<std::size_t>(rows), 1);
    if (rows == 0) return weights;
    const std::int64_t one = random.between(0, rows - 1);
    const std::int64_t how = n % 256 == 0 ? random.between(2, 3) : random.between(0, 7);
    const auto empty = [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t r = first; r < last; ++r) weights[r] = 0;
    };
    if (how == 0) empty(0, rows), weights[one] = 1;          // one row has all
    if (how == 1 || how == 3) empty(0, rows / 3);            // the first ones
    if (how == 2 || how == 3) empty(rows - rows / 3, rows);  // the last ones
    if (how == 4) weights[one] = static_cast<double>(rows);  // one row has half
    if (how == 5) {                                          // every second one
        for (std::int64_t r = one % 2; r < rows; r += 2) weights[r] = 0;
    }
    if (how == 6) {  // long stretches
        for (std::int64_t r = 0; r < rows; r += random.between(1, 900)) {
            const std::int64_t first = r;
            r += random.between(1, 900);
            empty(first, std::min(r, rows));
        }
    }
    if (how == 7) {  // here and there
        for (double& weight : weights) weight = random.one_in(2) ? 0 : random.unit();
    }
    if (std::all_of(weights.begin(), weights.end(), [](double w) { return w == 0; })) weights[one] = 1;
    return weights;
}

}  // namespace

std::int64_t Pattern::longest() const {
    std::int64_t most = 0;
    for (std::int64_t r = 0; r < rows(); ++r) most = std::max<std::int64_t>(most, row_ptr[r + 1] - row_ptr[r]);
    return most;
}

std::vector<double> weights_of(Kind kind, std::int64_t n, std::int64_t rows, bool is_even, lab::Random& random) {
    if (kind == Kind::gaps) return weights_with_gaps(n, rows, random);
    std::vector<double> weights(static_cast<std::size_t>(rows));
    for (double& weight : weights) {
        if (kind == Kind::power_law)  // Pareto's distribution: lengths above k have probability ~ k^-1.2
            weight = std::pow(1 - random.unit(), -1 / 1.2);
        else
            weight = is_even ? 1 : 0.5 + random.unit();
    }
    return weights;
}

std::vector<std::int32_t> row_pointers(std::int64_t n, const std::vector<double>& weights) {
    double total = 0, before = 0;
    for (const double weight : weights) total += weight;
    std::vector<std::int32_t> row_ptr = {0};
    for (const double weight : weights) {
        before += weight;  // added in the same order as total, so that they end equal
        row_ptr.push_back(total > 0 ? static_cast<std::int32_t>(std::floor(static_cast<double>(n) * (before / total)))
                                    : 0);
    }
    return row_ptr;
}

void place_in_columns(Pattern& pattern, lab::Random& random) {
    pattern.col.resize(static_cast<std::size_t>(pattern.row_ptr.back()));
    std::int32_t* next = pattern.col.data();
    for (std::int64_t r = 0; r < pattern.rows(); ++r) {
        const std::int64_t length = pattern.row_ptr[r + 1] - pattern.row_ptr[r];
        if (length == 0) continue;
        // The k-th of them is in [k * cols / length, (k + 1) * cols / length), without a division for each.
        const std::int64_t whole = pattern.cols / length, rest = pattern.cols % length;
        for (std::int64_t k = 0, first = 0, parts = 0; k < length; ++k) {
            std::int64_t last = first + whole;
            parts += rest;
            if (parts >= length) parts -= length, ++last;
            *next++ = static_cast<std::int32_t>(random.between(first, last - 1));
            first = last;
        }
    }
}

std::int64_t grid_for(std::int64_t n) {
    std::int64_t side = 0;
    while (5 * side * side - 4 * side < n) ++side;
    return side;
}

Pattern laplacian(std::int64_t n, std::int64_t side) {
    Pattern pattern{.cols = side * side};
    for (std::int64_t i = 0; static_cast<std::int64_t>(pattern.col.size()) < n; ++i) {
        const std::int64_t x = i % side, y = i / side;
        const std::int64_t near[] = {y > 0 ? i - side : -1, x > 0 ? i - 1 : -1, i, x < side - 1 ? i + 1 : -1,
                                     y < side - 1 ? i + side : -1};
        for (const std::int64_t j : near)
            if (j >= 0 && static_cast<std::int64_t>(pattern.col.size()) < n)
                pattern.col.push_back(static_cast<std::int32_t>(j));
        pattern.row_ptr.push_back(static_cast<std::int32_t>(pattern.col.size()));
    }
    return pattern;
}

Pattern band(std::int64_t n, std::int64_t half) {
    Pattern pattern;
    for (std::int64_t i = 0; static_cast<std::int64_t>(pattern.col.size()) < n; ++i) {
        for (std::int64_t j = std::max<std::int64_t>(i - half, 0); j <= i + half; ++j)
            if (static_cast<std::int64_t>(pattern.col.size()) < n) pattern.col.push_back(static_cast<std::int32_t>(j));
        pattern.row_ptr.push_back(static_cast<std::int32_t>(pattern.col.size()));
        pattern.cols = i + half + 1;
    }
    return pattern;
}

}  // namespace spmv
