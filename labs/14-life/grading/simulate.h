// Life and heat on the CPU, for --cpu and for the pictures between the first and the last. The oracle has its own.
#pragma once

#include <cstdint>
#include <vector>

namespace life {

using Board = std::vector<std::uint8_t>;  // rows x columns cells, row by row: 1 is alive
using Plate = std::vector<float>;

// How many of the eight neighbours of each cell are alive, on a torus.
std::vector<std::int32_t> neighbours_of(const Board& board, std::int64_t rows, std::int64_t columns);

Board next_generation(const Board& board, std::int64_t rows, std::int64_t columns);
Plate next_step(const Plate& plate, std::int64_t rows, std::int64_t columns);

// 32 cells a word, as task 5 has them, and back.
std::vector<std::uint32_t> packed(const Board& board, std::int64_t rows, std::int64_t columns);
Board unpacked(const std::uint32_t* words, std::int64_t rows, std::int64_t columns);

}  // namespace life
