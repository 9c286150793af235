// Boards of lab 14 in files. Trusted; host C++.
#include "board_files.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string_view>

#include "gif.h"
#include "grading/files.h"
#include "grading/format.h"
#include "grading/image.h"
#include "patterns.h"
#include "variants.h"

namespace life {
namespace {

using lab::Array;
using lab::FileError;
using lab::Instance;

constexpr std::int64_t kUsualGenerations = 100, kLeastSide = 32;
constexpr float kAlive = 100.0f;  // the temperature of a live cell, if a pattern is read for heat
constexpr std::int64_t kMostFrames = 400, kWidth = 480, kMostScale = 12;

bool is_picture(std::string_view bytes) {
    return bytes.starts_with("\x89PNG") || (bytes.size() > 1 && bytes[0] == 'P' && '1' <= bytes[1] && bytes[1] <= '7');
}

// ---- Reading ----

// The pattern in the middle of a board: of the size that the user or the file names, else with room around.
Pattern on_a_board(const Instance& asked, const std::string& path, const Pattern& pattern) {
    const std::int64_t roomy = std::max(kLeastSide, 2 * std::max(pattern.rows, pattern.columns));
    const bool has_room = roomy <= kMaxSide && roomy * roomy <= kMaxCells;
    const auto side = [&](const char* name, std::int64_t of_file, std::int64_t of_pattern) {
        const std::int64_t usual = of_file > 0 ? of_file : has_room ? roomy : of_pattern;
        const std::int64_t length = asked.scalars.contains(name) ? asked.scalar(name) : usual;
        if (length < of_pattern)
            throw FileError(path, "the pattern has " + lab::with_commas(of_pattern) + " " + name + ", the board " +
                                      lab::with_commas(length));
        return length;
    };
    Pattern board{
        side("rows", pattern.board_rows, pattern.rows), side("columns", pattern.board_columns, pattern.columns), {}};
    if (board.rows * board.columns > kMaxCells) throw FileError(path, "a board of more than 2^26 cells");
    board.cells.assign(static_cast<std::size_t>(board.rows * board.columns), 0);
    const std::int64_t top = (board.rows - pattern.rows) / 2, left = (board.columns - pattern.columns) / 2;
    for (std::int64_t y = 0; y < pattern.rows; ++y)
        std::copy_n(pattern.cells.begin() + y * pattern.columns, pattern.columns,
                    board.cells.begin() + (top + y) * board.columns + left);
    return board;
}

// Temperatures are grey levels; a dark pixel is a live cell.
Plate levels_of(const Instance& asked, const std::string& path, std::int64_t& rows, std::int64_t& columns) {
    const lab::Image image = lab::to_grey(lab::read_image(path));
    rows = static_cast<std::int64_t>(image.height), columns = static_cast<std::int64_t>(image.width);
    for (const auto& [name, length] : {std::pair{"rows", rows}, {"columns", columns}})
        if (asked.scalars.contains(name) && asked.scalar(name) != length)
            throw FileError(path, "has " + lab::with_commas(length) + " " + name + "; leave out --" + name);
    if (rows > kMaxSide || columns > kMaxSide)
        throw FileError(path, "has a side of more than " + lab::with_commas(kMaxSide) + " pixels");
    return {image.pixels.begin(), image.pixels.end()};
}

// ---- Writing ----

// Pixels as indices of a palette.
struct Look {
    std::int64_t rows, columns, scale;
    Palette palette;
    float least = 0, most = 1;  // the values of the first and the last colour

    Look(const Instance& call, std::span<const Array> inputs)
        : rows(call.scalar("rows")),
          columns(call.scalar("columns")),
          scale(std::clamp<std::int64_t>(kWidth / std::max(rows, columns), 1, kMostScale)),
          palette({{244, 244, 240}, {28, 78, 128}}) {
        if (is_heat(call)) {
            const auto plate = inputs[0].as<float>();
            const auto [low, high] = std::minmax_element(plate.begin(), plate.end());
            least = *low, most = *high;
            colour_by(128);
        } else if (is_count(call)) {
            most = 8;
            colour_by(9);
        }
    }

    // From dark blue over violet and orange to pale yellow.
    void colour_by(int count) {
        constexpr std::array<std::array<double, 3>, 5> kStops = {
            {{13, 22, 74}, {92, 31, 122}, {190, 55, 82}, {245, 140, 40}, {252, 245, 190}}};
        palette.clear();
        for (int i = 0; i < count; ++i) {
            const double at = 4.0 * i / (count - 1);
            const auto stop = static_cast<std::size_t>(std::min(at, 3.0));
            std::array<std::uint8_t, 3> colour{};
            for (std::size_t c = 0; c < 3; ++c)
                colour[c] = static_cast<std::uint8_t>(
                    std::lround(std::lerp(kStops[stop][c], kStops[stop + 1][c], at - static_cast<double>(stop))));
            palette.push_back(colour);
        }
    }

    // A NaN has the first colour.
    std::uint8_t index_of(float value) const {
        const float share = most > least ? (value - least) / (most - least) : 0.0f;
        const auto last = static_cast<float>(palette.size() - 1);
        return share > 0 ? static_cast<std::uint8_t>(std::lround(std::min(share, 1.0f) * last)) : 0;
    }

    template <class T>
    std::vector<std::uint8_t> pixels(const std::vector<T>& values) const {
        std::vector<std::uint8_t> pixels;
        pixels.reserve(values.size() * static_cast<std::size_t>(scale * scale));
        for (std::int64_t y = 0; y < rows * scale; ++y)
            for (std::int64_t x = 0; x < columns; ++x)
                pixels.insert(pixels.end(), static_cast<std::size_t>(scale),
                              index_of(static_cast<float>(values[y / scale * columns + x])));
        return pixels;
    }
};

std::vector<float> values_of(const Instance& call, const Array& array, bool is_output) {
    if (is_heat(call)) return {array.as<float>().begin(), array.as<float>().end()};
    if (is_output && is_count(call)) return {array.as<std::int32_t>().begin(), array.as<std::int32_t>().end()};
    const Board board = board_of(call, array);
    return {board.begin(), board.end()};
}

// The first frame is the input, and the last one, which is shown for longer, the output. Those between are computed
// here, by the plain CPU version, because a call returns its last generation only.
void write_gif(const Instance& call, std::span<const Array> inputs, std::span<const Array> outputs,
               const std::string& path) {
    const Look look(call, inputs);
    const std::int64_t generations = is_count(call) ? 1 : call.scalar("generations");
    const std::int64_t every = std::max<std::int64_t>(1, (generations + kMostFrames - 1) / kMostFrames);
    Gif gif(static_cast<int>(look.columns * look.scale), static_cast<int>(look.rows * look.scale), look.palette);
    Plate plate = values_of(call, inputs[0], false);
    Board board = is_heat(call) ? Board() : board_of(call, inputs[0]);
    for (std::int64_t g = 0; g < generations; ++g) {
        if (g % every == 0) gif.add(is_heat(call) ? look.pixels(plate) : look.pixels(board), 6);
        if (is_heat(call))
            plate = next_step(plate, look.rows, look.columns);
        else
            board = next_generation(board, look.rows, look.columns);
    }
    gif.add(look.pixels(values_of(call, outputs[0], true)), 120);
    lab::write_file(path, gif.bytes());
}

void write_picture(const Instance& call, std::span<const Array> inputs, std::span<const Array> outputs,
                   const std::string& path) {
    const Look look(call, inputs);
    lab::Image image{
        static_cast<std::size_t>(look.columns * look.scale), static_cast<std::size_t>(look.rows * look.scale), 3, {}};
    for (const std::uint8_t index : look.pixels(values_of(call, outputs[0], true)))
        image.pixels.insert(image.pixels.end(), look.palette[index].begin(), look.palette[index].end());
    lab::write_image(path, image);
}

}  // namespace

Board board_of(const Instance& call, const Array& array) {
    if (is_bits(call)) return unpacked(array.as<std::uint32_t>().data(), call.scalar("rows"), call.scalar("columns"));
    const auto cells = array.as<std::uint8_t>();
    return {cells.begin(), cells.end()};
}

std::string task_for(const std::string& path) { return is_picture(lab::read_file(path)) ? "heat" : "life"; }

lab::Problem read_board(const Instance& asked, const std::string& path) {
    const std::string bytes = lab::read_file(path);
    Instance call = asked;
    if (!is_count(call)) call.fill_in("generations", kUsualGenerations);
    std::int64_t rows = 0, columns = 0;
    Board board;
    Plate plate;
    if (is_picture(bytes)) {
        plate = levels_of(asked, path, rows, columns);
        for (const float level : plate) board.push_back(level < 128);
    } else {
        Pattern pattern = on_a_board(asked, path, read_pattern(path, bytes));
        rows = pattern.rows, columns = pattern.columns, board = std::move(pattern.cells);
        for (const std::uint8_t cell : board) plate.push_back(cell == 1 ? kAlive : 0);
    }
    call.scalars["rows"] = rows, call.scalars["columns"] = columns;
    call.n = rows * columns;
    if (is_heat(call)) return {call, {lab::bytes_of(plate)}};
    return {call, {is_bits(call) ? lab::bytes_of(packed(board, rows, columns)) : lab::bytes_of(board)}};
}

void write_board(const Instance& call, std::span<const Array> inputs, std::span<const Array> outputs,
                 const std::string& path) {
    const std::int64_t rows = call.scalar("rows"), columns = call.scalar("columns");
    if (rows * columns == 0) throw FileError(path, "not written: a board without cells");
    const bool is_rle = lab::ends_in(path, ".rle"), is_cells = lab::ends_in(path, ".cells");
    if (is_rle || is_cells) {
        if (is_heat(call) || is_count(call)) throw FileError(path, "not written: the result is no board of life");
        const Pattern board{rows, columns, board_of(call, outputs[0])};
        lab::write_file(path, is_rle ? to_rle(board) : to_cells(board));
    } else if (lab::ends_in(path, ".gif")) {
        write_gif(call, inputs, outputs, path);
    } else {
        write_picture(call, inputs, outputs, path);
    }
}

std::string output_text(const Instance& call, std::span<const Array>, std::span<const Array> outputs) {
    if (call.scalar("rows") * call.scalar("columns") == 0) return "nothing";
    const std::vector<float> values = values_of(call, outputs[0], true);
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    char text[80];
    if (is_heat(call)) {
        std::snprintf(text, sizeof text, "temperatures from %.6g to %.6g", static_cast<double>(*least),
                      static_cast<double>(*most));
        return text;
    }
    if (is_count(call)) return "at most " + lab::count_of(static_cast<std::uint64_t>(*most), "live neighbour");
    return lab::count_of(static_cast<std::uint64_t>(std::ranges::count(values, 1.0f)), "live cell");
}

}  // namespace life
