// Lab 14's tasks as data, and their inputs. Trusted; host C++; also in the runner, for --n without --input.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "board_files.h"
#include "grading/files.h"
#include "grading/format.h"
#include "grading/problem.h"
#include "grading/random.h"
#include "simulate.h"
#include "variants.h"

namespace {

using lab::Array;
using lab::DType;
using lab::Instance;
using lab::Random;
using lab::root_of;
using life::is_bits;
using life::is_count;
using life::is_heat;
using life::is_small;
using life::kMaxSide;
using life::kMaxSmall;

constexpr std::int64_t kTimedN = 1 << 18, kMaxGenerations = 1 << 20;

// ---- Which board: at most n cells ----

// Times of different seeds must be comparable.
bool is_usual(const Instance& call) { return call.seed == 0 || call.n >= (is_small(call) ? kMaxSmall : kTimedN); }

// How many columns the board of n > 0 cells has. The usual board is as square as can be. Small ones have any
// proportion, and some are a single row or column, or two. In large ones the longer side is at most 64 times the
// shorter: tiles that reach far beyond the board take long on the virtual GPU. Of bits, some rows fill their words.
std::int64_t some_columns(const Instance& call, Random& random) {
    if (is_usual(call)) return root_of(call.n);
    const bool is_large = call.n >= 1 << 13;
    const std::int64_t least = is_large ? root_of(call.n) / 8 : 1, most = is_large ? 8 * root_of(call.n) : call.n;
    if (!is_large && random.one_in(8)) return random.one_in(2) ? least : most;
    if (!is_large && random.one_in(8)) return random.one_in(2) ? std::min<std::int64_t>(2, most) : (most + 1) / 2;
    const double low = std::log(static_cast<double>(least)), high = std::log(static_cast<double>(most));
    const auto columns =
        std::clamp(static_cast<std::int64_t>(std::exp(low + (high - low) * random.unit())), least, most);
    return is_bits(call) && columns >= 32 && random.one_in(4) ? columns - columns % 32 : columns;
}

// Few generations of a large board, for the sake of the virtual GPU. None for some small boards: of a larger one, the
// grader expects that a kernel works on it.
std::int64_t some_generations(const Instance& call, Random& random) {
    if (is_usual(call)) return is_small(call) ? 32 : 8;
    if (call.n < 256 && random.one_in(3)) return 0;
    return random.between(1, std::clamp<std::int64_t>((1 << 17) / std::max<std::int64_t>(call.n, 1), 2, 13));
}

void choose(Instance& call) {
    Random random(call.seed, "shape");
    if (!is_count(call)) call.fill_in("generations", some_generations(call, random));
    if (call.n == 0) {  // one side at least is 0
        const std::int64_t columns = call.fill_in("columns", random.one_in(2) ? 0 : 5);
        call.fill_in("rows", columns > 0 || random.one_in(2) ? 0 : 5);
        return;
    }
    const bool has_rows = call.scalars.contains("rows");
    std::int64_t columns =
        has_rows ? call.n / std::max<std::int64_t>(call.scalar("rows"), 1) : some_columns(call, random);
    if (call.scalars.contains("columns")) columns = call.scalar("columns");
    const std::int64_t rows = has_rows ? call.scalar("rows") : columns > 0 ? call.n / columns : 0;
    const auto told = [&] { return lab::with_commas(rows) + " rows and " + lab::with_commas(columns) + " columns"; };
    if (columns < 1 || rows < 1 || columns > kMaxSide || rows > kMaxSide)
        throw std::invalid_argument("no board of " + lab::with_commas(call.n) + " cells: " + told() +
                                    "; a side has 1 to " + lab::with_commas(kMaxSide) + " cells");
    if (rows * columns > call.n)
        throw std::invalid_argument(told() + " are more than " + lab::with_commas(call.n) + " cells: choose --n " +
                                    std::to_string(rows * columns));
    call.scalars["columns"] = columns;
    call.scalars["rows"] = rows;
}

std::int64_t cells_of(const Instance& call) { return call.scalar("rows") * call.scalar("columns"); }

DType dtype_of(const Instance& call) { return is_heat(call) ? DType::f32 : is_bits(call) ? DType::u32 : DType::u8; }

// Every generation reads and writes each cell at least once; without one, a copy does.
lab::Shape shape(const Instance& call) {
    const std::int64_t width = is_bits(call) ? life::words_in_row(call.scalar("columns")) : call.scalar("columns");
    const auto count = static_cast<std::size_t>(call.scalar("rows") * width);
    lab::Shape shape;
    shape.inputs = {{"d_in", dtype_of(call), count}};
    shape.outputs = {{is_count(call) ? "d_counts" : "d_out", is_count(call) ? DType::i32 : dtype_of(call), count}};
    shape.inputs[0].columns = shape.outputs[0].columns = static_cast<std::size_t>(width);
    const double once = static_cast<double>(count * (size_of(shape.inputs[0].dtype) + size_of(shape.outputs[0].dtype)));
    const bool in_place = is_count(call) || is_small(call);  // no generation leaves the block in task 3
    shape.bytes = once * (in_place ? 1.0 : static_cast<double>(std::max<std::int64_t>(call.scalar("generations"), 1)));
    return shape;
}

void from_arrays(Instance& call, std::span<const Array> given) {
    const auto count = static_cast<std::int64_t>(given[0].spec.count);
    call.n = count;
    if (is_bits(call) && count > 0) {
        const std::int64_t columns = call.fill_in("columns", std::min(32 * count, kMaxSide / 32 * 32));
        const std::int64_t width = life::words_in_row(columns);
        if (width < 1 || count % width != 0)
            throw std::invalid_argument(lab::with_commas(count) + " words do not fill rows of " +
                                        lab::with_commas(columns) + " cells: choose --columns");
        call.n = count / width * columns;
    }
    choose(call);
    if (cells_of(call) != call.n)
        throw std::invalid_argument(lab::with_commas(call.n) + " cells do not fill whole rows: choose --columns");
}

// ---- Inputs ----

// The seed chooses the kind of board: usually a third of its cells is alive.
life::Board some_board(const Instance& call) {
    Random random(call.seed, "cells");
    const std::int64_t rows = call.scalar("rows"), columns = call.scalar("columns");
    life::Board board(static_cast<std::size_t>(rows * columns), 0);
    const std::uint64_t kind = is_usual(call) ? 3 : random.below(8);
    if (kind == 0) {  // all alive: the counts are the largest
        std::ranges::fill(board, 1);
    } else if (kind == 1) {  // the edges alone
        for (std::int64_t y = 0; y < rows; ++y)
            for (std::int64_t x = 0; x < columns; ++x)
                board[y * columns + x] = y == 0 || x == 0 || y == rows - 1 || x == columns - 1;
    } else {
        const std::uint64_t every = kind == 2 ? 16 : kind == 4 ? 2 : 3;
        for (auto& cell : board) cell = random.one_in(every);
    }
    return board;
}

// Temperatures of -1 to -1/2 and 1/2 to 1 with all digits of a float, so that none is too small to be missed; or one
// hot cell, or a hot edge.
void fill_plate(const Instance& call, std::span<float> plate) {
    Random random(call.seed, "temperatures");
    const std::uint64_t kind = is_usual(call) || plate.empty() ? 3 : random.below(6);
    if (kind == 0) {
        std::ranges::fill(plate, 20.0f);
        plate[random.below(plate.size())] = 100.0f;
    } else if (kind == 1) {
        std::ranges::fill(plate, 0.0f);
        std::fill_n(plate.begin(), call.scalar("columns"), 100.0f);
    } else {
        for (float& t : plate) {
            const std::uint64_t draw = random.bits();
            const float size = 0.5f + static_cast<float>(draw >> 41) * 0x1p-24f;
            t = (draw & 1) == 0 ? size : -size;
        }
    }
}

void generate(const Instance& call, std::span<const Array> inputs) {
    if (is_heat(call)) return fill_plate(call, inputs[0].as<float>());
    const life::Board board = some_board(call);
    if (is_bits(call))
        std::ranges::copy(life::packed(board, call.scalar("rows"), call.scalar("columns")),
                          inputs[0].as<std::uint32_t>().begin());
    else
        std::ranges::copy(board, inputs[0].as<std::uint8_t>().begin());
}

// ---- A plain CPU version, for --cpu ----

void cpu(const Instance& call, std::span<const Array> inputs, std::span<const Array> outputs) {
    const std::int64_t rows = call.scalar("rows"), columns = call.scalar("columns");
    if (is_count(call)) {
        const auto cells = inputs[0].as<std::uint8_t>();
        const auto counts = life::neighbours_of({cells.begin(), cells.end()}, rows, columns);
        std::ranges::copy(counts, outputs[0].as<std::int32_t>().begin());
    } else if (is_heat(call)) {
        const auto in = inputs[0].as<float>();
        life::Plate plate(in.begin(), in.end());
        for (std::int64_t step = 0; step < call.scalar("generations"); ++step)
            plate = life::next_step(plate, rows, columns);
        std::ranges::copy(plate, outputs[0].as<float>().begin());
    } else {
        life::Board board = life::board_of(call, inputs[0]);
        for (std::int64_t g = 0; g < call.scalar("generations"); ++g)
            board = life::next_generation(board, rows, columns);
        if (is_bits(call))
            std::ranges::copy(life::packed(board, rows, columns), outputs[0].as<std::uint32_t>().begin());
        else
            std::ranges::copy(board, outputs[0].as<std::uint8_t>().begin());
    }
}

std::string input_text(const Instance& call) {
    std::string text =
        lab::with_commas(call.scalar("rows")) + " x " + lab::with_commas(call.scalar("columns")) + " cells";
    if (is_count(call)) return text;
    const auto generations = static_cast<std::uint64_t>(call.scalar("generations"));
    return text + ", " + lab::count_of(generations, is_heat(call) ? "step" : "generation");
}

}  // namespace

lab::Lab life_lab() {
    const std::int64_t max_n = life::kMaxCells;
    // Boards of 1 x 1, 2 x 1, 2 x 2, 3 x 3, 5 x 5, 31 to 33, 63 to 65, 100, 129, 181 and 511 cells a side; 1056 makes
    // 33 x 32.
    const std::vector<std::int64_t> sizes = {0,    1,    2,    4,    9,    26,     961,    1024,   1056,
                                             1089, 3969, 4096, 4225, 6480, 10'000, 16'641, 32'767, kTimedN - 1};
    const std::vector<std::int64_t> small = {0,    1,    2,    4,    9,    26,     961,      1024,
                                             1056, 1089, 3969, 4096, 4225, 10'000, kMaxSmall};
    lab::Lab lab;
    lab.number = 14;
    lab.name = "life";
    lab.title = "Life";
    lab.tasks = {
        {"scatter_and_gather", "each live cell adds to its neighbours by atomics, or each cell asks its neighbours",
         lab::names_of(life::kWays), max_n, sizes, kTimedN},
        {"life", "a thread for each cell, a launch for each generation", {}, max_n, sizes, kTimedN},
        {"in_one_block", "the board in shared memory, a barrier for each generation", {}, kMaxSmall, small, kMaxSmall},
        {"tile", "a tile and its halo in shared memory", {}, max_n, sizes, kTimedN},
        {"bits", "32 cells a word, counted by bitwise adders", {}, max_n, sizes, kTimedN},
        {"temporal", "several generations a launch, in a tile with a wider halo", {}, max_n, sizes, kTimedN},
        {"heat",
         "a stencil of floats: a warp walks down its columns, neighbours by shuffles",
         {},
         max_n,
         sizes,
         kTimedN},
    };
    lab.choose = choose;
    lab.shape = shape;
    lab.generate = generate;
    lab.cpu = cpu;
    lab.settings = {
        {"rows", "of the board; default: as many as columns", 1, kMaxSide},
        {"columns", "of the board; default: as many as rows", 1, kMaxSide},
        {"generations", "or steps of heat; default 8, in task in_one_block 32, with a file 100", 0, kMaxGenerations},
    };
    lab.from_arrays = from_arrays;
    lab.files = {"a pattern of life (RLE or .cells) or a picture; writes PNG, an animated GIF, RLE or .cells",
                 life::read_board, life::write_board, life::task_for};
    lab.input_text = input_text;
    lab.output_text = life::output_text;
    return lab;
}
