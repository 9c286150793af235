// Lab 13's tasks as data, their inputs, and pictures in files. Trusted; host C++; also in the runner, for --n without
// --input.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

#include "grading/files.h"
#include "grading/format.h"
#include "grading/image.h"
#include "grading/problem.h"
#include "grading/random.h"
#include "variants.h"

namespace {

using lab::Array;
using lab::DType;
using lab::Instance;
using lab::Random;
using lab::root_of;
using transpose::Form;
using transpose::is_layout;
using transpose::is_square;
using transpose::is_sum;
using transpose::variant_of;

constexpr std::int64_t kTimedN = 1 << 20, kMaxSide = 65'535;  // kMaxSide: as in transpose.h

// ---- Which shape: at most n elements ----

// How many columns the matrix of n > 0 elements has. The usual matrix, and any that is timed, is as square as can be.
// Others have any proportion, and some are a single row or column.
std::int64_t some_columns(const Instance& call, Random& random) {
    const std::int64_t least = (call.n + kMaxSide - 1) / kMaxSide, most = std::min(call.n, kMaxSide);
    if (call.seed == 0 || call.n >= kTimedN) return root_of(call.n);
    if (random.one_in(8)) return random.one_in(2) ? least : most;
    const double low = std::log(static_cast<double>(least)), high = std::log(static_cast<double>(most));
    return std::clamp(static_cast<std::int64_t>(std::exp(low + (high - low) * random.unit())), least, most);
}

void choose(Instance& call) {
    if (is_layout(call)) return;
    Random random(call.seed, "shape");
    if (is_square(call)) {
        const std::int64_t side = root_of(call.n);
        if (call.fill_in("columns", side) != side)
            throw std::invalid_argument("the matrix of this task is square: leave out --columns");
        call.scalars["rows"] = side;
    } else if (call.n == 0) {  // one side at least is 0
        const std::int64_t columns = call.fill_in("columns", random.one_in(2) ? 0 : 5);
        call.fill_in("rows", columns > 0 || random.one_in(2) ? 0 : 5);
    } else {
        const std::int64_t columns =
            call.scalars.contains("columns") ? call.scalar("columns") : some_columns(call, random);
        if (columns < 1 || call.n / columns > kMaxSide)
            throw std::invalid_argument("--columns " + std::to_string(columns) + ": " + lab::with_commas(call.n) +
                                        " elements would make more than " + lab::with_commas(kMaxSide) + " rows");
        call.scalars["columns"] = columns;
        call.scalars["rows"] = call.n / columns;
    }
}

std::size_t elements_of(const Instance& call) {
    return static_cast<std::size_t>(is_layout(call) ? call.n : call.scalar("rows") * call.scalar("columns"));
}

lab::Shape shape(const Instance& call) {
    const transpose::Variant& variant = variant_of(call);
    const std::size_t count = elements_of(call) * variant.words;
    lab::Shape shape;
    shape.inputs = {{"d_in", variant.dtype, count}};
    shape.outputs = {{"d_out", is_sum(call) ? DType::u32 : variant.dtype, count}};
    if (!is_layout(call) && variant.words == 1) {
        shape.inputs[0].columns = static_cast<std::size_t>(call.scalar("columns"));
        shape.outputs[0].columns = static_cast<std::size_t>(call.scalar(is_sum(call) ? "columns" : "rows"));
    }
    if (is_layout(call)) {
        shape.inputs[0].name = variant.form == Form::structures ? "d_structures" : "d_arrays";
        shape.outputs[0].name = variant.form == Form::structures ? "d_arrays" : "d_structures";
    }
    shape.move_each_array_once();
    return shape;
}

void from_arrays(Instance& call, std::span<const Array> given) {
    const auto count = static_cast<std::int64_t>(given[0].spec.count);
    const auto words = static_cast<std::int64_t>(variant_of(call).words);
    if (count % words != 0)
        throw std::invalid_argument(lab::with_commas(count) + " numbers do not make elements of " +
                                    std::to_string(words));
    call.n = count / words;
    if (is_layout(call)) return;
    choose(call);
    if (call.scalar("rows") * call.scalar("columns") != call.n)
        throw std::invalid_argument(lab::with_commas(call.n) + " elements do not fill " +
                                    (is_square(call) ? "a square" : "whole rows: choose --columns"));
}

// ---- Inputs ----

// Every element is another number as far as its type allows, so that one in the wrong place shows.
void generate(const Instance& call, std::span<const Array> inputs) {
    const Array& in = inputs[0];
    Random random(call.seed, "values");
    const auto fill = [&](auto values, auto value) {
        for (auto& one : values) one = value();
    };
    using Floats = std::numeric_limits<float>;
    const std::array<float, 4> odd = {-0.0f, Floats::infinity(), Floats::quiet_NaN(), Floats::denorm_min()};
    switch (in.spec.dtype) {
        case DType::u8: {
            // Pictures for the sums: any levels, or white alone, whose sums are the largest.
            const bool is_white = is_sum(call) && call.seed != 0 && random.one_in(4);
            return fill(in.as<std::uint8_t>(),
                        [&] { return is_white ? std::uint8_t{255} : static_cast<std::uint8_t>(random.bits() >> 56); });
        }
        case DType::u32:
            return fill(in.as<std::uint32_t>(), [&] { return static_cast<std::uint32_t>(random.bits() >> 32); });
        case DType::f64:
            return fill(in.as<double>(), [&] { return random.unit() - 0.5; });
        default:
            return fill(in.as<float>(), [&] {
                const std::uint64_t bits = random.bits();
                return bits % 64 == 0 ? odd[bits >> 6 & 3] : static_cast<float>(bits >> 40) * 0x1p-24f - 0.5f;
            });
    }
}

// ---- A plain CPU version, for --cpu ----

template <class T>
void transpose_words(const T* in, T* out, std::size_t rows, std::size_t columns, std::size_t words) {
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t c = 0; c < columns; ++c)
            std::copy_n(in + (r * columns + c) * words, words, out + (c * rows + r) * words);
}

void cpu(const Instance& call, std::span<const Array> inputs, std::span<const Array> outputs) {
    if (is_sum(call)) {
        const auto in = inputs[0].as<std::uint8_t>();
        const auto out = outputs[0].as<std::uint32_t>();
        const auto columns = static_cast<std::size_t>(call.scalar("columns"));
        for (std::size_t i = 0; i < in.size(); i += columns) {
            std::uint32_t row = 0;
            for (std::size_t c = 0; c < columns; ++c) {
                row += in[i + c];
                out[i + c] = row + (i > 0 ? out[i + c - columns] : 0);
            }
        }
        return;
    }
    const transpose::Variant& variant = variant_of(call);
    const bool is_words = is_layout(call);
    const auto n = static_cast<std::size_t>(call.n);
    const auto rows = is_words ? (variant.form == Form::structures ? n : variant.words)
                               : static_cast<std::size_t>(call.scalar("rows"));
    const auto columns = is_words ? (variant.form == Form::structures ? variant.words : n)
                                  : static_cast<std::size_t>(call.scalar("columns"));
    lab::with_type(variant.dtype, [&](auto zero) {
        using T = decltype(zero);
        transpose_words(inputs[0].as<T>().data(), outputs[0].as<T>().data(), rows, columns,
                        is_words ? 1 : variant.words);
    });
}

// ---- Pictures ----

constexpr std::int64_t kUsualRadius = 4;

lab::Problem read_picture(const Instance& asked, const std::string& path) {
    const lab::Image image = lab::to_grey(lab::read_image(path));
    Instance call = asked;
    if (call.task == "rectangular") call.variant = "uint8";
    if (variant_of(call).dtype != DType::u8)
        throw lab::FileError(path, "a picture is the input of the tasks rectangular and summed_area: choose --task");
    call.scalars["columns"] = static_cast<std::int64_t>(image.width);
    call.scalars["rows"] = static_cast<std::int64_t>(image.height);
    call.n = call.scalar("columns") * call.scalar("rows");
    if (call.scalar("columns") > kMaxSide || call.scalar("rows") > kMaxSide)
        throw lab::FileError(path, "has a side of more than " + lab::with_commas(kMaxSide) + " pixels");
    return {call, {lab::bytes_of(image.pixels)}};
}

// The mean of the pixels at most `radius` rows and columns away, from four sums.
std::uint8_t mean_around(std::span<const std::uint32_t> sums, std::int64_t rows, std::int64_t columns, std::int64_t r,
                         std::int64_t c, std::int64_t radius) {
    const std::int64_t top = std::max<std::int64_t>(r - radius, 0) - 1, bottom = std::min(r + radius, rows - 1);
    const std::int64_t left = std::max<std::int64_t>(c - radius, 0) - 1, right = std::min(c + radius, columns - 1);
    const auto sum = [&](std::int64_t row, std::int64_t column) {
        return row < 0 || column < 0 ? 0u : sums[row * columns + column];
    };
    const std::uint32_t total = sum(bottom, right) - sum(top, right) - sum(bottom, left) + sum(top, left);
    const auto area = static_cast<std::uint32_t>((bottom - top) * (right - left));
    return static_cast<std::uint8_t>(std::min((total + area / 2) / area, 255u));
}

void write_picture(const Instance& call, std::span<const Array>, std::span<const Array> outputs,
                   const std::string& path) {
    if (outputs[0].spec.count == 0) throw lab::FileError(path, "not written: an image without pixels");
    const std::int64_t rows = call.scalar("rows"), columns = call.scalar("columns");
    lab::Image image;
    if (is_sum(call)) {
        const std::int64_t radius = call.scalars.contains("radius") ? call.scalar("radius") : kUsualRadius;
        image = {static_cast<std::size_t>(columns), static_cast<std::size_t>(rows), 1, {}};
        for (std::int64_t r = 0; r < rows; ++r)
            for (std::int64_t c = 0; c < columns; ++c)
                image.pixels.push_back(mean_around(outputs[0].as<std::uint32_t>(), rows, columns, r, c, radius));
    } else if (outputs[0].spec.dtype == DType::u8) {
        const auto pixels = outputs[0].as<std::uint8_t>();
        image = {static_cast<std::size_t>(rows), static_cast<std::size_t>(columns), 1, {pixels.begin(), pixels.end()}};
    } else {
        throw lab::FileError(path, "not written: only bytes and sums of bytes make a picture");
    }
    lab::write_image(path, image);
}

std::string input_text(const Instance& call) {
    const transpose::Variant& variant = variant_of(call);
    if (is_layout(call)) return lab::with_commas(call.n) + " structures of " + std::to_string(variant.words) + " words";
    const std::string words = variant.words > 1 ? std::to_string(variant.words) + " x " : "";
    return lab::with_commas(call.scalar("rows")) + " x " + lab::with_commas(call.scalar("columns")) + " elements of " +
           words + lab::name_of(variant.dtype);
}

}  // namespace

lab::Lab transpose_lab() {
    const std::int64_t max_n = std::int64_t{1} << 26;
    // Sides of 1, 2, 5, 31 to 33, 63 to 65, 100, 256, 257, 511, 512 and 1000; 1056 makes 32 x 33, too.
    const std::vector<std::int64_t> sizes = {0,    1,    2,    4,      26,     961,    1024,    1056,    1089,
                                             3969, 4096, 4225, 10'000, 65'536, 66'049, 262'143, 262'144, 1'000'003};
    const std::vector<std::int64_t> structures = {0,   1,    2,    31,   32,     33,     255,    256,
                                                  257, 1023, 1024, 1025, 65'535, 65'536, 65'537, 100'003};
    lab::Lab lab;
    lab.number = 13;
    lab.name = "transpose";
    lab.title = "Transpose";
    lab.tasks = {
        {"naive", "a thread for each element: loads are coalesced, stores are not", {}, max_n, sizes, kTimedN},
        {"tile", "a block turns a tile round in shared memory", {}, max_n, sizes, kTimedN},
        {"padded", "an unused column keeps the lanes of a warp on different banks", {}, max_n, sizes, kTimedN},
        {"swizzled", "no unused column: each row of the tile is permuted", {}, max_n, sizes, kTimedN},
        {"rectangular", "any rows and columns, elements of 1 to 16 bytes, in place if square",
         lab::names_of(transpose::kTypes), max_n, sizes, kTimedN},
        {"layouts", "an array of structures becomes a structure of arrays, and back",
         lab::names_of(transpose::kLayouts), std::int64_t{1} << 22, structures, 1 << 18},
        {"summed_area", "sums over rows, then over columns as rows of the transpose", {}, max_n, sizes, kTimedN},
    };
    lab.choose = choose;
    lab.shape = shape;
    lab.generate = generate;
    lab.cpu = cpu;
    lab.settings = {
        {"columns", "of the matrix; default: as many as rows", 1, kMaxSide},
        {"radius", "summed_area: how far the blur of a picture reaches; default 4", 0, kMaxSide},
    };
    lab.from_arrays = from_arrays;
    lab.files = {"a picture: PGM, PPM or PNG. rectangular turns it round, summed_area blurs it", read_picture,
                 write_picture};
    lab.input_text = input_text;
    return lab;
}
