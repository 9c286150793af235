// Matrix Market files: a matrix as text, as described by Boisvert, Pozo and Remington, "The Matrix Market exchange
// formats", 1996. Trusted; host C++.
//
//     %%MatrixMarket matrix coordinate real general
//     % comments, blank lines
//     3 3 4                 rows, columns, entries
//     1 1  1.5              row and column from 1, value
//     ...
//
// The reader takes coordinate and array (all elements, column by column); real, integer and pattern (no value: 1);
// general, symmetric and skew-symmetric (the lower triangle stands for both).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace spmv {

// A matrix as entries in any order. Rows and columns count from 0; several entries may have the same place.
struct Entries {
    std::int64_t rows = 0, cols = 0;
    std::vector<std::int32_t> row, col;
    std::vector<float> value;
    std::size_t count() const { return row.size(); }
    void add(std::int64_t r, std::int64_t c, float v) {
        row.push_back(static_cast<std::int32_t>(r));
        col.push_back(static_cast<std::int32_t>(c));
        value.push_back(v);
    }
};

// `path` is for messages. Refuses more than `most` rows, columns or entries. Throws lab::FileError with the line's
// number and what to do.
Entries read_matrix_market(const std::string& path, const std::string& text, std::int64_t most);

// Throws lab::FileError if the entries of one place, in some order, may add up to more than a float can hold: if the
// sum of their magnitudes does.
void need_finite_sums(const Entries& entries, const std::string& path);

// The shortest text that reads back as the same float.
std::string number_text(float value);

}  // namespace spmv
