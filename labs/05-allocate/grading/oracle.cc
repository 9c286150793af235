// Lab 5's answers. Trusted; host C++; never in the student's process.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "clip.h"
#include "grading/error_bound.h"
#include "grading/problem.h"
#include "variants.h"

namespace {

using lab::Array;
using lab::Expected;
using lab::Instance;

// ---- Triangles ----

// A corner as clip() computes it, and how far a computed one may be from the exact one.
struct Corner {
    Point at;
    double error_x = 0, error_y = 0;
};

// The tolerance of a cut. Let the edge go from (x0, y0) to (x1, y1), where x is the coordinate that is fixed along the
// cutting side. The edge is cut at y0 + t (y1 - y0), t = (side - x0) / (x1 - x0) with 0 < t <= 1. There are two errors.
//
// Rounding. Both differences in t have a relative error of u = 2^-24, and so have their quotient, the factor y1 - y0,
// the product and the sum. So y0 and y1 pass through at most 6 roundings each; the same holds for (1 - t) y0 + t y1,
// and if everything is multiplied first. 8 leave room: |error| <= gamma(8) (|y0| + |y1|), gamma(k) = k u / (1 - k u)
// (Higham, "Accuracy and Stability of Numerical Algorithms", section 3.1).
//
// The ends. An end that was made by an earlier cut has an error of its own. Errors of the ends in y move the cut by
// their mean, weighted with 1 - t and t. Errors in x move it by their mean times the slope.
//
// clip() keeps every cut between the edge's ends, so the error never exceeds the edge's extent in y.
double error_of_cut(double y0, double y1, double error0, double error1, double t, double side0, double side1,
                    double sideways0, double sideways1) {
    const double slope = std::abs((y1 - y0) / (side1 - side0));
    const double rounding = lab::gamma<float>(8) * (std::abs(y0) + std::abs(y1));
    const double moved = (1 - t) * error0 + t * error1 + slope * ((1 - t) * sideways0 + t * sideways1);
    return std::min(rounding + moved, std::abs(y1 - y0) + std::max(error0, error1));
}

Corner cut_of(const Corner& inner, const Corner& outer, const Window& window, int side) {
    Corner corner{cut(inner.at, outer.at, window, side)};
    const Point p = inner.at, q = outer.at;
    const double inside = std::abs(static_cast<double>(depth(p, window, side)));
    const double t = inside / (inside + std::abs(static_cast<double>(depth(q, window, side))));
    if (side < 2)
        corner.error_y =
            error_of_cut(p.y, q.y, inner.error_y, outer.error_y, t, p.x, q.x, inner.error_x, outer.error_x);
    else
        corner.error_x =
            error_of_cut(p.x, q.x, inner.error_x, outer.error_x, t, p.y, q.y, inner.error_y, outer.error_y);
    return corner;
}

using Corners = std::vector<Corner>;

// As clip(), written once more, and with errors. `kept` is memory to work in: millions of triangles share it.
void clip_with_errors(const Triangle& triangle, const Window& window, Corners& polygon, Corners& kept) {
    polygon.clear();
    for (const Point& corner : triangle.corner) polygon.push_back({corner});
    for (int side = 0; side < 4 && !polygon.empty(); ++side) {
        kept.clear();
        const auto is_in = [&](const Corner& c) { return !(depth(c.at, window, side) < 0); };
        const auto is_on = [&](const Corner& c) { return depth(c.at, window, side) == 0; };
        for (std::size_t k = 0; k < polygon.size(); ++k) {
            const Corner &here = polygon[k], &next = polygon[(k + 1) % polygon.size()];
            if (is_in(here)) kept.push_back(here);
            if (is_in(here) == is_in(next) || is_on(here) || is_on(next)) continue;
            kept.push_back(is_in(here) ? cut_of(here, next, window, side) : cut_of(next, here, window, side));
        }
        if (kept.size() < 3) kept.clear();
        std::swap(polygon, kept);
    }
}

std::vector<Expected> triangles(const Instance& call, std::span<const Array> inputs) {
    const auto side = [&](const char* name) { return static_cast<float>(call.scalar(name)); };
    const Window window{side("left"), side("right"), side("bottom"), side("top")};
    const std::span<float> numbers = inputs[0].as<float>();
    const std::span<const Triangle> in(reinterpret_cast<const Triangle*>(numbers.data()), numbers.size() / 6);
    Expected out, count;
    out.rest = Expected::Rest::untouched;
    const auto add = [&](const Corner& corner) {
        out.value.insert(out.value.end(), {corner.at.x, corner.at.y});
        out.tolerance.insert(out.tolerance.end(), {corner.error_x, corner.error_y});
    };
    Corners polygon, kept;
    for (const Triangle& triangle : in) {
        clip_with_errors(triangle, window, polygon, kept);
        for (std::size_t k = 2; k < polygon.size(); ++k) add(polygon[0]), add(polygon[k - 1]), add(polygon[k]);
    }
    count.exact = {out.value.size() / 6};
    return lab::outputs(std::move(out), std::move(count));
}

// ---- Words ----

// By a list of the blanks, not by ranges of their codes.
std::vector<Expected> words(std::span<const std::uint8_t> text) {
    constexpr std::string_view blanks = " \t\n\v\f\r";
    const std::string_view all(reinterpret_cast<const char*>(text.data()), text.size());
    Expected offsets, lengths, count;
    offsets.rest = lengths.rest = Expected::Rest::untouched;
    for (std::size_t begin = all.find_first_not_of(blanks); begin < all.size();) {
        const std::size_t end = std::min(all.find_first_of(blanks, begin), all.size());
        offsets.exact.push_back(begin);
        lengths.exact.push_back(end - begin);
        begin = all.find_first_not_of(blanks, end);
    }
    count.exact = {offsets.exact.size()};
    return lab::outputs(std::move(offsets), std::move(lengths), std::move(count));
}

// ---- Elements with counts ----

std::vector<Expected> expanded(const Instance& call, std::span<const Array> inputs) {
    const std::span<std::int32_t> values = inputs[0].as<std::int32_t>(), counts = inputs[1].as<std::int32_t>();
    const std::int64_t step = allocate::variant_of(call).step;
    Expected out;
    std::size_t size = 0;
    for (const std::int32_t count : counts) size += static_cast<std::size_t>(std::max(count, 0));
    out.exact.reserve(size);
    for (std::size_t i = 0; i < values.size(); ++i) {
        for (std::int64_t k = 0; k < counts[i]; ++k) {
            const std::int64_t value = values[i] + step * k;
            out.exact.push_back(lab::bits_of(static_cast<std::int32_t>(value)));  // wraps around
        }
    }
    return lab::outputs(std::move(out));
}

}  // namespace

std::vector<Expected> allocate_expect(const Instance& call, std::span<const Array> inputs) {
    if (call.task == "words") return words(inputs[0].as<std::uint8_t>());
    if (call.task == "max_slots" || call.task == "count_scan_scatter") return triangles(call, inputs);
    return expanded(call, inputs);
}
