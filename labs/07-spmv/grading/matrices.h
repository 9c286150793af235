// The matrices that lab 7's inputs are made of: where their nonzeros are. Trusted; host C++.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "grading/random.h"

namespace spmv {

// power_law: a few very long rows and many short ones. uniform: rows of about the same length. laplacian: the points of
// a grid, each joined to itself and its four neighbours. band: `per_row` nonzeros around the diagonal. gaps: empty
// rows, alone or in long stretches; the seed chooses which.
enum class Kind : std::int64_t { power_law, uniform, laplacian, band, gaps };
inline const std::vector<std::string> kKindNames = {"power_law", "uniform", "laplacian", "band", "gaps"};

// A matrix in CSR form without its values.
struct Pattern {
    std::int64_t cols = 0;
    std::vector<std::int32_t> row_ptr = {0}, col = {};
    std::int64_t rows() const { return static_cast<std::int64_t>(row_ptr.size()) - 1; }
    std::int64_t longest() const;  // nonzeros of the longest row
};

// For each row, a weight that decides its share of the n nonzeros. `is_even`: all rows of a uniform matrix weigh the
// same.
std::vector<double> weights_of(Kind kind, std::int64_t n, std::int64_t rows, bool is_even, lab::Random& random);

// Row pointers for n nonzeros, of which each row gets a part in proportion to its weight.
std::vector<std::int32_t> row_pointers(std::int64_t n, const std::vector<double>& weights);

// Draws the columns of each row's nonzeros, ascending: the row is cut into as many equal parts as it has nonzeros, and
// each part gets one.
void place_in_columns(Pattern& pattern, lab::Random& random);

// The side of the smallest square grid whose Laplacian has at least n nonzeros. The Laplacian has 5 side^2 - 4 side.
std::int64_t grid_for(std::int64_t n);

// The first n nonzeros, row by row, of the Laplacian of a grid of side * side points.
Pattern laplacian(std::int64_t n, std::int64_t side);

// The first n nonzeros, row by row, of an endless band: row i has the columns i - half, ..., i + half that are not
// negative.
Pattern band(std::int64_t n, std::int64_t half);

}  // namespace spmv
