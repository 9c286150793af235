// Patterns of life as text, in the two formats that collections of patterns have: RLE, "run length encoded", and
// .cells, one character for each cell. https://conwaylife.com/wiki/Run_Length_Encoded and /Plaintext
#pragma once

#include <cstdint>
#include <string>

#include "simulate.h"

namespace life {

struct Pattern {
    std::int64_t rows = 0, columns = 0;
    Board cells;                                     // rows x columns, row by row
    std::int64_t board_rows = 0, board_columns = 0;  // of the torus that the file names, or 0
};

// RLE if the first line that is no comment begins with x, else .cells. The path is for messages. Throws FileError, also
// for another rule than B3/S23 and for sides of more than kMaxSide.
Pattern read_pattern(const std::string& path, const std::string& text);

std::string to_rle(const Pattern& pattern);  // as a torus of this size
std::string to_cells(const Pattern& pattern);

}  // namespace life
