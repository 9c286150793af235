// Lab 17's files: points as lines of text; pairs and counts as lines of text, or drawn on a map. Trusted; host C++.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "grading/files.h"
#include "grading/format.h"
#include "grading/problem.h"
#include "maps.h"

namespace pairs {

using lab::Array;

inline bool is_on_map(const Place& p) { return std::max(std::abs(p.x), std::abs(p.y)) <= kFarthest; }

inline std::vector<Place> places_in(const Array& points) {
    const auto numbers = points.as<std::int32_t>();
    std::vector<Place> places;
    for (std::size_t i = 0; i + 1 < numbers.size(); i += 2) places.push_back({numbers[i], numbers[i + 1]});
    return places;
}

// The student's count, limited to what there is room for.
inline std::size_t count_in(std::span<const Array> outputs) {
    const auto most = static_cast<std::int64_t>(outputs[0].spec.count / 2);
    return static_cast<std::size_t>(std::clamp<std::int64_t>(outputs[1].as<std::int32_t>()[0], 0, most));
}

// ---- Reading ----

// The numbers at the end of a line `x,y` or `name,x,y`. False if the line is empty, or a heading before the first
// point.
inline bool take_place(const std::string& path, std::int64_t number, std::string_view line, bool is_first,
                       Place& place) {
    line = line.substr(0, line.find('#'));
    std::vector<std::string_view> words;
    for (std::size_t at = 0; at <= line.size();) {
        const std::size_t end = std::min(line.find_first_of(",;\t", at), line.size());
        std::string_view word = line.substr(at, end - at);
        const auto is_blank = [](char c) { return c == ' ' || c == '\r'; };
        while (!word.empty() && is_blank(word.front())) word.remove_prefix(1);
        while (!word.empty() && is_blank(word.back())) word.remove_suffix(1);
        words.push_back(word);
        at = end + 1;
    }
    if (words.size() == 1 && words[0].empty()) return false;
    if (words.size() < 2 || words.size() > 3)
        throw lab::FileError(path, number, "a point is x,y or name,x,y, not " + lab::count_of(words.size(), "word"));
    if (is_first && words[words.size() - 2] == "x" && words.back() == "y") return false;
    std::int64_t* const coordinates[] = {&place.x, &place.y};
    for (std::size_t k = 0; k < 2; ++k) {
        const std::string_view word = words[words.size() - 2 + k];
        const std::errc error = lab::parse_number(word, *coordinates[k]);
        if (error != std::errc()) throw lab::FileError(path, number, lab::why_no_number(word, error, lab::DType::i64));
    }
    if (!is_on_map(place)) throw lab::FileError(path, number, "is not on the map: x and y are from -2^25 to 2^25 m");
    return true;
}

inline lab::Problem read(const Instance& asked, const std::string& path) {
    const std::string text = lab::read_file(path);
    std::vector<Place> places;
    std::vector<std::int32_t> numbers;
    std::int64_t line = 1;
    for (std::size_t at = 0, end = 0; at < text.size(); at = end + 1, ++line) {
        end = std::min(text.find('\n', at), text.size());
        Place place{};
        if (!take_place(path, line, std::string_view(text).substr(at, end - at), places.empty(), place)) continue;
        places.push_back(place);
        numbers.push_back(static_cast<std::int32_t>(place.x));
        numbers.push_back(static_cast<std::int32_t>(place.y));
    }
    lab::Problem problem{asked, {lab::bytes_of(numbers)}};
    problem.instance.n = static_cast<std::int64_t>(places.size());
    try {
        fill_in_for(problem.instance, places);
    } catch (const std::invalid_argument& error) {
        throw lab::FileError(path, error.what());
    }
    return problem;
}

// ---- Writing ----

struct Found {
    std::size_t first, second;
};

inline std::vector<Found> pairs_in(const Instance& call, std::span<const Array> outputs) {
    std::vector<Found> found;
    const auto numbers = outputs[0].as<std::int32_t>();
    const auto index = [&](std::size_t at) {  // a wrong program may have written anything
        return static_cast<std::size_t>(std::clamp<std::int64_t>(numbers[at], 0, call.n - 1));
    };
    for (std::size_t p = 0; p < count_in(outputs); ++p) found.push_back({index(2 * p), index(2 * p + 1)});
    return found;
}

inline std::string csv(const Instance& call, const std::vector<Place>& places, std::span<const Array> outputs) {
    std::string text;
    if (is_list(call)) {
        text = "first,second,metres\n";
        for (const Found& pair : pairs_in(call, outputs)) {
            const Place &p = places[pair.first], &q = places[pair.second];
            const double metres = std::hypot(static_cast<double>(p.x - q.x), static_cast<double>(p.y - q.y));
            text += std::to_string(pair.first) + "," + std::to_string(pair.second) + "," +
                    std::to_string(std::llround(metres)) + "\n";
        }
        return text;
    }
    text = "point,x,y,near\n";
    const auto counts = outputs[0].as<std::int32_t>();
    for (std::size_t i = 0; i < places.size(); ++i)
        text += std::to_string(i) + "," + std::to_string(places[i].x) + "," + std::to_string(places[i].y) + "," +
                std::to_string(counts[i]) + "\n";
    return text;
}

// A map: points as dots, larger if many others are near, and a line for each pair. North is at the top. The grid is
// drawn if its lines leave room for a map.
inline std::string svg(const Instance& call, const std::vector<Place>& places, std::span<const Array> outputs) {
    const Box box = box_around(places);
    const double width = static_cast<double>(std::max<std::int64_t>(box.right - box.left, 1)),
                 height = static_cast<double>(std::max<std::int64_t>(box.top - box.bottom, 1)),
                 size = std::max(width, height), margin = 0.03 * size, scale = 1000 / (size + 2 * margin);
    const auto x_of = [&](double x) { return (x - static_cast<double>(box.left) + margin) * scale; };
    const auto y_of = [&](double y) { return (static_cast<double>(box.top) - y + margin) * scale; };
    char line[256];
    std::snprintf(line, sizeof line,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.1f %.1f\" width=\"1000\">\n",
                  (width + 2 * margin) * scale, (height + 2 * margin) * scale);
    std::string text = line;
    text +=
        "<style>rect{fill:#fff}path{fill:none;stroke-linecap:round}.grid{stroke:#e3e7ec;stroke-width:0.8}"
        ".pair{stroke:#0072b2;stroke-width:1.2;stroke-opacity:0.5}circle{fill:#b06f00}</style>\n"
        "<rect width=\"100%\" height=\"100%\"/>\n";
    if (call.scalars.contains("side") && call.scalar("columns") <= 200 && call.scalar("rows") <= 200) {
        text += "<path class=\"grid\" d=\"";
        const auto left = static_cast<double>(call.scalar("left")), bottom = static_cast<double>(call.scalar("bottom")),
                   side = static_cast<double>(call.scalar("side")),
                   columns = static_cast<double>(call.scalar("columns")),
                   rows = static_cast<double>(call.scalar("rows"));
        const auto draw = [&](double x0, double y0, double x1, double y1) {
            std::snprintf(line, sizeof line, "M%.1f %.1fL%.1f %.1f", x_of(x0), y_of(y0), x_of(x1), y_of(y1));
            text += line;
        };
        for (double c = 0; c <= columns; ++c) draw(left + c * side, bottom, left + c * side, bottom + rows * side);
        for (double r = 0; r <= rows; ++r) draw(left, bottom + r * side, left + columns * side, bottom + r * side);
        text += "\"/>\n";
    }
    std::vector<std::int64_t> near(places.size(), 0);
    if (is_list(call)) {
        text += "<path class=\"pair\" d=\"";
        for (const Found& pair : pairs_in(call, outputs)) {
            ++near[pair.first], ++near[pair.second];
            const Place &p = places[pair.first], &q = places[pair.second];
            std::snprintf(line, sizeof line, "M%.1f %.1fL%.1f %.1f", x_of(static_cast<double>(p.x)),
                          y_of(static_cast<double>(p.y)), x_of(static_cast<double>(q.x)),
                          y_of(static_cast<double>(q.y)));
            text += line;
        }
        text += "\"/>\n";
    } else {
        std::ranges::copy(outputs[0].as<std::int32_t>(), near.begin());
    }
    for (std::size_t i = 0; i < places.size(); ++i) {
        const double radius = 1.5 + 0.6 * std::sqrt(static_cast<double>(std::clamp<std::int64_t>(near[i], 0, 100)));
        std::snprintf(line, sizeof line, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"><title>%zu</title></circle>\n",
                      x_of(static_cast<double>(places[i].x)), y_of(static_cast<double>(places[i].y)), radius, i);
        text += line;
    }
    return text + "</svg>\n";
}

inline void write(const Instance& call, std::span<const Array> inputs, std::span<const Array> outputs,
                  const std::string& path) {
    const std::vector<Place> places = places_in(inputs[0]);
    if (lab::ends_in(path, ".svg"))
        lab::write_file(path, svg(call, places, outputs));
    else if (lab::ends_in(path, ".csv"))
        lab::write_file(path, csv(call, places, outputs));
    else
        throw lab::FileError(path, "pairs and counts go to .csv, .svg, or an array: .npy, .bin, .raw");
}

}  // namespace pairs
