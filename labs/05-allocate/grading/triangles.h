// Triangles for lab 5: inputs, a plain CPU version, CSV and SVG files. Trusted; host C++; a part of cases.cc.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <vector>

#include "clip.h"
#include "grading/files.h"
#include "grading/format.h"
#include "grading/problem.h"
#include "grading/random.h"

namespace triangles {

using lab::Array;
using lab::DType;
using lab::Instance;
using lab::Random;

constexpr std::int64_t kMaxN = std::int64_t{1} << 22, kTimedN = 1 << 17;
constexpr std::size_t kNumbers = 6;  // of a triangle: x, y of each corner
constexpr std::int64_t kFarthest = 1 << 20;

inline std::span<const Triangle> triangles_of(const Array& array) {
    return {reinterpret_cast<const Triangle*>(array.as<float>().data()), array.spec.count / kNumbers};
}

inline Window window_of(const Instance& call) {
    const auto side = [&](const char* name) { return static_cast<float>(call.scalar(name)); };
    return {side("left"), side("right"), side("bottom"), side("top")};
}

// ---- Which window, how many numbers ----

// The usual input: for a person who names no seed, and for timed sizes, so that times of different seeds compare.
inline bool is_usual(const Instance& call) { return call.seed == 0 || call.n >= kTimedN; }

inline void choose(Instance& call) {
    struct Sides {
        std::int64_t left, right, bottom, top;
    };
    constexpr std::array windows{Sides{0, 1000, 0, 1000}, Sides{-3, 1, 7, 9}, Sides{-700, -500, -20, 900},
                                 Sides{0, 1, 0, 1}, Sides{-64, 64, 32, 96}};
    Random random(call.seed, "window");
    const Sides window = is_usual(call) ? windows[0] : windows[random.below(windows.size())];
    const auto left = call.fill_in("left", window.left);
    const auto right = call.fill_in("right", window.right);
    const auto bottom = call.fill_in("bottom", window.bottom);
    const auto top = call.fill_in("top", window.top);
    if (left >= right)
        throw std::invalid_argument("--left " + std::to_string(left) + " is not below --right " +
                                    std::to_string(right));
    if (bottom >= top)
        throw std::invalid_argument("--bottom " + std::to_string(bottom) + " is not below --top " +
                                    std::to_string(top));
}

inline lab::Shape shape(const Instance& call) {
    const std::size_t numbers = static_cast<std::size_t>(call.n) * kNumbers;
    lab::Shape shape;
    shape.inputs = {{"d_in", DType::f32, numbers}};
    shape.outputs = {{.name = "d_out",
                      .dtype = DType::f32,
                      .count = numbers * kMostTriangles,
                      .length_in = "d_count",
                      .length_unit = kNumbers},
                     {"d_count", DType::i32, 1}};
    // All triangles are read. Timed inputs give half as many outputs.
    shape.bytes = (is_usual(call) ? 1.5 : 1) * sizeof(float) * static_cast<double>(numbers) + sizeof(int);
    return shape;
}

// ---- Inputs ----

// Chosen by the seed. map: a mesh, half of it in the window. large: of the window's size and more. lattice: corners on
// sides and corners of the window, edges along its sides. most: 7 corners, 5 triangles. one: only one is inside.
enum class Kind { map, large, lattice, outside, inside, most, one, mixed };

inline Kind kind_of(const Instance& call) {
    using enum Kind;
    constexpr std::array kinds{map,   large,   lattice, mixed, one,     most,  mixed,  lattice,
                               mixed, outside, large,   one,   lattice, mixed, inside, most};
    return is_usual(call) ? map : kinds[call.seed % kinds.size()];
}

// Triangles in the window's own measure: from 0 to 1 in x and in y.
class Maker {
  public:
    explicit Maker(const Instance& call) : random_(call.seed, "triangles"), jitter_(call.seed, "mesh"), n_(call.n) {
        while (columns_ * columns_ * 2 < n_) ++columns_;
        const std::array<std::int64_t, 3> places = {0, n_ - 1, static_cast<std::int64_t>(random_.bits() >> 1)};
        if (n_ > 0) only_ = places[random_.below(3)] % n_;
    }

    Triangle make(Kind kind, std::int64_t i) {
        switch (kind) {
            case Kind::map:
                return of_map(i);
            case Kind::large:
                return {{anywhere(-1, 2), anywhere(-1, 2), anywhere(-1, 2)}};
            case Kind::lattice:
                return {{on_lattice(), on_lattice(), on_lattice()}};
            case Kind::outside:
                return outside();
            case Kind::inside:
                return {{anywhere(0, 1), anywhere(0, 1), anywhere(0, 1)}};
            case Kind::most:
                return with_seven_corners();
            case Kind::one:
                return make(i == only_ ? Kind::most : Kind::outside, i);
            case Kind::mixed:
                return make(static_cast<Kind>(random_.below(6)), i);
        }
        return {};
    }

  private:
    Point anywhere(double low, double high) {
        const double x = low + (high - low) * random_.unit(), y = low + (high - low) * random_.unit();
        return {static_cast<float>(x), static_cast<float>(y)};
    }

    Point on_lattice() {
        constexpr std::array<float, 6> lines{-0.5f, 0, 0.25f, 0.5f, 1, 1.5f};
        const float x = lines[random_.below(lines.size())];
        return {x, lines[random_.below(lines.size())]};
    }

    // All corners beyond the same side.
    Triangle outside() {
        const std::uint64_t side = random_.below(4);
        Triangle triangle;
        for (Point& corner : triangle.corner) {
            const Point p = anywhere(-1, 2);
            const float beyond = -0.01f - std::fabs(p.x);
            corner = {side < 2 ? beyond : p.x, side < 2 ? p.y : beyond};
            if (side == 1) corner.x = 1 - corner.x;
            if (side == 3) corner.y = 1 - corner.y;
        }
        return triangle;
    }

    // Every side cuts off one corner: a triangle that does so, pushed about a little, mirrored and turned.
    Triangle with_seven_corners() {
        Triangle triangle{{{-0.3f, 0.2f}, {1.2f, -0.1f}, {0.5f, 1.3f}}};
        const bool mirror_x = random_.one_in(2), mirror_y = random_.one_in(2), turn = random_.one_in(2);
        const std::uint64_t first = random_.below(3);
        for (Point& corner : triangle.corner) {
            const Point push = anywhere(-0.01, 0.01);
            corner = {corner.x + push.x, corner.y + push.y};
            if (mirror_x) corner.x = 1 - corner.x;
            if (mirror_y) corner.y = 1 - corner.y;
            if (turn) std::swap(corner.x, corner.y);
        }
        std::rotate(triangle.corner, triangle.corner + first, triangle.corner + 3);
        return triangle;
    }

    // Row by row, two triangles for each cell of a mesh whose middle is the window and which has twice its area.
    Triangle of_map(std::int64_t i) {
        const std::int64_t cell = i / 2, column = cell % columns_, row = cell / columns_;
        const auto at = static_cast<std::size_t>(row * (columns_ + 1) + column), below = at + columns_ + 1;
        while (nodes_.size() <= below + 1) nodes_.push_back(next_node());
        const Point a = nodes_[at], b = nodes_[at + 1], c = nodes_[below], d = nodes_[below + 1];
        return i % 2 == 0 ? Triangle{{a, b, c}} : Triangle{{d, c, b}};
    }

    Point next_node() {
        const double size = std::sqrt(2.0) / static_cast<double>(columns_), first = 0.5 - std::sqrt(0.5);
        const auto number = static_cast<std::int64_t>(nodes_.size());
        const auto place = [&](std::int64_t line) {
            return static_cast<float>(first + size * (static_cast<double>(line) + 0.6 * (jitter_.unit() - 0.5)));
        };
        const float x = place(number % (columns_ + 1));
        return {x, place(number / (columns_ + 1))};
    }

    Random random_, jitter_;
    std::int64_t n_, columns_ = 1, only_ = 0;
    std::vector<Point> nodes_;  // of the mesh, row by row, as far as they are known
};

inline void generate(const Instance& call, std::span<const Array> inputs) {
    const std::span<float> numbers = inputs[0].as<float>();
    const Window window = window_of(call);
    Maker maker(call);
    for (std::int64_t i = 0; i < call.n; ++i) {
        const Triangle triangle = maker.make(kind_of(call), i);
        float* out = numbers.data() + i * static_cast<std::int64_t>(kNumbers);
        for (const Point corner : triangle.corner) {
            *out++ = window.left + (window.right - window.left) * corner.x;
            *out++ = window.bottom + (window.top - window.bottom) * corner.y;
        }
    }
}

// ---- A plain CPU version, for --cpu ----

inline void cpu(const Instance& call, std::span<const Array> inputs, std::span<const Array> outputs) {
    const Window window = window_of(call);
    auto* out = reinterpret_cast<Triangle*>(outputs[0].as<float>().data());
    std::int32_t count = 0;
    for (const Triangle& triangle : triangles_of(inputs[0])) {
        Polygon polygon;
        const int found = clip(triangle, window, polygon);
        for (int k = 0; k < found; ++k) out[count++] = fan(polygon, k);
    }
    outputs[1].as<std::int32_t>()[0] = count;
}

// ---- In words ----

inline std::string input_text(const Instance& call) {
    const auto side = [&](const char* name) { return std::to_string(call.scalar(name)); };
    return lab::count_of(static_cast<std::uint64_t>(call.n), "triangle") + ", window " + side("left") + ".." +
           side("right") + " x " + side("bottom") + ".." + side("top");
}

// The student's count, limited to what there is room for.
inline std::size_t count_in(std::span<const Array> outputs) {
    const std::int64_t most = static_cast<std::int64_t>(outputs[0].spec.count / kNumbers);
    return static_cast<std::size_t>(std::clamp<std::int64_t>(outputs[1].as<std::int32_t>()[0], 0, most));
}

// For max_slots, also what the slots cost: all of them, and the empty ones.
inline std::string output_text(const Instance& call, std::span<const Array> outputs) {
    const std::size_t count = count_in(outputs), slots = static_cast<std::size_t>(call.n) * kMostTriangles;
    std::string text = lab::count_of(count, "triangle");
    if (call.task != "max_slots" || slots == 0) return text;
    const std::size_t empty = slots - count;
    char share[8];
    std::snprintf(share, sizeof share, "%.0f", 100 * static_cast<double>(empty) / static_cast<double>(slots));
    return text + " in " + lab::with_commas(static_cast<std::int64_t>(slots)) + " slots: " + share + " % empty, " +
           lab::format_bytes(empty * sizeof(Triangle)) + " wasted";
}

// ---- Files ----

// Lines of six numbers, with commas, semicolons or blanks between them.
inline lab::Problem read(const Instance& asked, const std::string& path) {
    std::vector<float> numbers;
    lab::read_lines_of_numbers<float>(path, [&](std::int64_t line, std::span<const float> six) {
        const auto fail = [&](const std::string& what) { throw lab::FileError(path, line, what); };
        if (six.size() != kNumbers)
            fail("six numbers make a triangle, x and y of each corner; here are " + std::to_string(six.size()));
        for (std::size_t k = 0; k < kNumbers; ++k)
            if (!(std::fabs(six[k]) <= static_cast<float>(kFarthest)))
                fail("number " + std::to_string(k + 1) + " is not from -2^20 to 2^20");
        numbers.insert(numbers.end(), six.begin(), six.end());
    });
    lab::Problem problem{asked, {lab::bytes_of(numbers)}};
    problem.instance.n = static_cast<std::int64_t>(numbers.size() / kNumbers);
    return problem;
}

inline std::string csv(std::span<const Triangle> found) {
    std::string text = "# x0, y0, x1, y1, x2, y2\n";
    char line[128];
    for (const auto& [c] : found) {
        std::snprintf(line, sizeof line, "%.9g,%.9g,%.9g,%.9g,%.9g,%.9g\n", static_cast<double>(c[0].x),
                      static_cast<double>(c[0].y), static_cast<double>(c[1].x), static_cast<double>(c[1].y),
                      static_cast<double>(c[2].x), static_cast<double>(c[2].y));
        text += line;
    }
    return text;
}

// The input's outlines, the window, and what was found in it; y grows upwards.
inline std::string svg(const Window& window, std::span<const Triangle> in, std::span<const Triangle> found) {
    const double width = static_cast<double>(window.right) - window.left,
                 height = static_cast<double>(window.top) - window.bottom, margin = 0.25 * std::max(width, height),
                 line = 0.002 * std::max(width, height);
    char text[512];
    std::snprintf(text, sizeof text,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"%g %g %g %g\" width=\"800\">\n"
                  "<style>path{stroke-width:%g;stroke-linejoin:round}.in{fill:none;stroke:#b0b8c0}"
                  ".out{fill:#cfe6fa;stroke:#0072b2}</style>\n"
                  "<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" fill=\"none\" stroke=\"#b06f00\" "
                  "stroke-width=\"%g\"/>\n",
                  window.left - margin, -window.top - margin, width + 2 * margin, height + 2 * margin, line,
                  static_cast<double>(window.left), -static_cast<double>(window.top), width, height, 2 * line);
    std::string picture = text;
    const auto draw = [&](std::span<const Triangle> triangles, const char* kind) {
        for (const auto& [c] : triangles) {
            std::snprintf(text, sizeof text, "<path class=\"%s\" d=\"M%.7g %.7gL%.7g %.7gL%.7g %.7gZ\"/>\n", kind,
                          static_cast<double>(c[0].x), -static_cast<double>(c[0].y), static_cast<double>(c[1].x),
                          -static_cast<double>(c[1].y), static_cast<double>(c[2].x), -static_cast<double>(c[2].y));
            picture += text;
        }
    };
    draw(in, "in");
    draw(found, "out");
    return picture + "</svg>\n";
}

inline void write(const Instance& call, std::span<const Array> inputs, std::span<const Array> outputs,
                  const std::string& path) {
    const std::span<const Triangle> found = triangles_of(outputs[0]).first(count_in(outputs));
    if (lab::ends_in(path, ".svg"))
        lab::write_file(path, svg(window_of(call), triangles_of(inputs[0]), found));
    else if (lab::ends_in(path, ".csv"))
        lab::write_file(path, csv(found));
    else
        throw lab::FileError(path, "triangles go to .svg, .csv, or an array: .npy, .bin, .raw");
}

inline void from_arrays(Instance& call, std::span<const Array> given) {
    const std::span<float> numbers = given[0].as<float>();
    if (numbers.size() % kNumbers != 0)
        throw std::invalid_argument(given[0].spec.name + " has " + lab::count_of(numbers.size(), "number") +
                                    ", which do not make triangles of six");
    for (const float number : numbers)
        if (!(std::fabs(number) <= static_cast<float>(kFarthest)))
            throw std::invalid_argument(given[0].spec.name + " has a corner beyond 2^20, or none: NaN");
    call.n = static_cast<std::int64_t>(numbers.size() / kNumbers);
}

}  // namespace triangles
