// Life and heat on the CPU. Trusted; host C++.
#include "simulate.h"

#include "variants.h"

namespace life {

std::vector<std::int32_t> neighbours_of(const Board& board, std::int64_t rows, std::int64_t columns) {
    std::vector<std::int32_t> counts(board.size(), 0);
    for (std::int64_t y = 0; y < rows; ++y) {
        const std::int64_t above = (y + rows - 1) % rows * columns, here = y * columns;
        const std::int64_t below = (y + 1) % rows * columns;
        for (std::int64_t x = 0; x < columns; ++x) {
            const std::int64_t left = x > 0 ? x - 1 : columns - 1, right = x + 1 < columns ? x + 1 : 0;
            counts[here + x] = board[above + left] + board[above + x] + board[above + right] + board[here + left] +
                               board[here + right] + board[below + left] + board[below + x] + board[below + right];
        }
    }
    return counts;
}

Board next_generation(const Board& board, std::int64_t rows, std::int64_t columns) {
    const std::vector<std::int32_t> counts = neighbours_of(board, rows, columns);
    Board next(board.size());
    for (std::size_t i = 0; i < board.size(); ++i) next[i] = counts[i] == 3 || (counts[i] == 2 && board[i] == 1);
    return next;
}

Plate next_step(const Plate& plate, std::int64_t rows, std::int64_t columns) {
    Plate next = plate;
    for (std::int64_t y = 1; y + 1 < rows; ++y) {
        for (std::int64_t x = 1; x + 1 < columns; ++x) {
            const float* t = plate.data() + y * columns + x;
            next[y * columns + x] = *t + kRate * (t[-columns] + t[columns] + t[-1] + t[1] - 4 * *t);
        }
    }
    return next;
}

std::vector<std::uint32_t> packed(const Board& board, std::int64_t rows, std::int64_t columns) {
    const std::int64_t width = words_in_row(columns);
    std::vector<std::uint32_t> words(static_cast<std::size_t>(rows * width), 0);
    for (std::int64_t y = 0; y < rows; ++y)
        for (std::int64_t x = 0; x < columns; ++x)
            words[y * width + x / 32] |= std::uint32_t{board[y * columns + x]} << x % 32;
    return words;
}

Board unpacked(const std::uint32_t* words, std::int64_t rows, std::int64_t columns) {
    Board board;
    board.reserve(static_cast<std::size_t>(rows * columns));
    for (std::int64_t y = 0; y < rows; ++y)
        for (std::int64_t x = 0; x < columns; ++x)
            board.push_back(words[y * words_in_row(columns) + x / 32] >> x % 32 & 1);
    return board;
}

}  // namespace life
