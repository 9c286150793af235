// Lab 17's maps: which kind a call has, its radius and grid, its points. Trusted; host C++.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "grading/format.h"
#include "grading/problem.h"
#include "grading/random.h"
#include "search.h"

namespace pairs {

using lab::Instance;
using lab::Random;

constexpr std::int64_t kFarthest = std::int64_t{1} << 25, kMaxColumns = 65'535;  // as in pairs.h
constexpr std::int64_t kMaxPairs = std::int64_t{1} << 26;

inline bool is_quadratic(const Instance& call) { return call.task == "all_pairs" || call.task == "tiled"; }
inline bool has_grid(const Instance& call) { return !is_quadratic(call); }
inline bool is_list(const Instance& call) { return call.task == "pairs_out"; }
// Tasks whose grid may have many more cells than there are points.
inline bool is_sorted(const Instance& call) { return call.task == "sorted_cells" || is_list(call); }

inline std::int64_t timed_n(const Instance& call) { return is_quadratic(call) ? 2'048 : 8'192; }
inline bool is_usual(const Instance& call) { return call.seed == 0 || call.n >= timed_n(call); }

// ---- Which map ----

// towns: half of all points in small towns. even: everywhere alike. lattice: distances that are the radius exactly, or
// a metre more. cities: everybody in three cities, far apart. The usual map is towns; for tasks 4 and 5, cities. place:
// everybody at one place. all: everybody near everybody. shared: radius 0, several at each place. far: to the ends of
// the map. line: one column, or one row.
enum class Kind : std::uint8_t { towns, even, lattice, cities, place, all, shared, far, line };

constexpr std::int64_t kFewEnough = 1'100;  // for a map on which all are near each other

inline Kind kind_of(const Instance& call) {
    using enum Kind;
    if (is_usual(call)) return is_sorted(call) ? cities : towns;
    constexpr std::array kinds{lattice, towns, cities, all, line, lattice, shared, far, even, place, lattice, all};
    const Kind kind = kinds[call.seed % kinds.size()];
    if (kind == place || kind == all) return call.n <= kFewEnough ? kind : cities;
    return kind;
}

// A rectangle with its corners.
struct Box {
    std::int64_t left, bottom, right, top;
};

struct Map {
    Box box;
    std::int64_t radius;
};

// The map of a kind. Radii fit the number of points, so that a point has a few neighbours, however many there are.
inline Map map_of(const Instance& call) {
    Random random(call.seed, "map");
    const double each = 1e6 / std::sqrt(static_cast<double>(std::max<std::int64_t>(call.n, 1)));  // metres
    const auto usual = static_cast<std::int64_t>(1.4 * each);
    const auto push = [&] { return random.between(-9'000'000, 9'000'000); };
    const std::int64_t x = push(), y = push();
    switch (kind_of(call)) {
        case Kind::towns:
            return {{-500'000, -500'000, 500'000, 500'000}, usual};
        case Kind::even:
        case Kind::shared:
            return {{x, y, x + 1'000'000, y + 700'000}, kind_of(call) == Kind::even ? usual : 0};
        case Kind::lattice: {
            // 5 spacings of a lattice that has ten places for each point.
            const std::int64_t spacing = random.between(1, 20'000);
            const auto side = spacing * (2 + static_cast<std::int64_t>(std::sqrt(10 * static_cast<double>(call.n))));
            return {{x, y, x + side, y + side}, 5 * spacing};
        }
        case Kind::cities:
            return {{-30'000'000, -25'000'000, 31'000'000, 20'000'000},
                    is_usual(call) ? 2'000 : random.between(300, 40'000)};
        case Kind::place:
            return {{x, y, x, y}, random.between(0, 1'000)};
        case Kind::all:
            return {{x, y, x + 2'000, y + 3'000}, 2 * kFarthest};
        case Kind::far:
            return {{-kFarthest, -kFarthest, kFarthest, kFarthest}, std::min(66 * usual, 2 * kFarthest)};
        case Kind::line:
            return {random.one_in(2) ? Box{x, y, x, y + 1'000'000} : Box{x, y, x + 1'000'000, y},
                    3'000'000 / std::max<std::int64_t>(call.n, 1) + 1};
    }
    return {};
}

// ---- Points ----

class Maker {
  public:
    Maker(const Instance& call, const Map& map)
        : random_(call.seed, "points"), kind_(kind_of(call)), map_(map), n_(call.n) {
        const std::int64_t spread = 2 * map.radius;
        const std::int64_t towns = kind_ == Kind::cities ? 3 : std::max<std::int64_t>(n_ / 64, 1);
        // A city has room for n / 3 points with 8 of them in a square of the radius.
        spread_ =
            kind_ == Kind::cities
                ? static_cast<std::int64_t>(static_cast<double>(map.radius) * std::sqrt(static_cast<double>(n_) / 24))
                : spread;
        spread_ = std::max<std::int64_t>(spread_, 1);
        for (std::int64_t t = 0; t < towns; ++t) {
            Box box = map.box;
            if (kind_ == Kind::cities) {  // each in a third of the map of its own
                const std::int64_t third = (box.right - box.left) / towns;
                box = {box.left + t * third, box.bottom, box.left + (t + 1) * third, box.top};
            }
            const std::int64_t x = random_.between(box.left, box.right);
            towns_.push_back(
                {away(x, box.left, box.right), away(random_.between(box.bottom, box.top), box.bottom, box.top)});
        }
    }

    Place next() {
        switch (kind_) {
            case Kind::towns:
                return random_.one_in(2) ? anywhere() : in_town();
            case Kind::cities:
                return in_town();
            case Kind::lattice: {
                const std::int64_t spacing = std::max<std::int64_t>(map_.radius / 5, 1);
                const auto on = [&](std::int64_t low, std::int64_t high) {
                    const std::int64_t at = low + spacing * random_.between(0, (high - low) / spacing);
                    return std::clamp(at + (random_.one_in(8) ? random_.between(-1, 1) : 0), low, high);
                };
                const std::int64_t x = on(map_.box.left, map_.box.right);
                return {x, on(map_.box.bottom, map_.box.top)};
            }
            case Kind::shared:
                return random_.one_in(2) ? anywhere() : towns_[random_.below(towns_.size())];
            case Kind::far:
                return random_.one_in(16) ? corner() : anywhere();
            default:
                return anywhere();
        }
    }

  private:
    Place anywhere() {
        const std::int64_t x = random_.between(map_.box.left, map_.box.right);
        return {x, random_.between(map_.box.bottom, map_.box.top)};
    }
    // So far from both ends that a whole town has room, if it can be.
    std::int64_t away(std::int64_t at, std::int64_t low, std::int64_t high) const {
        const std::int64_t middle = (low + high) / 2;
        return std::clamp(at, std::min(low + spread_, middle), std::max(high - spread_, middle));
    }
    Place corner() {
        const std::int64_t x = random_.one_in(2) ? map_.box.left : map_.box.right;
        return {x, random_.one_in(2) ? map_.box.bottom : map_.box.top};
    }
    // More of them in the middle: the mean of two.
    Place in_town() {
        const Place town = towns_[random_.below(towns_.size())];
        const auto off = [&] { return (random_.between(-spread_, spread_) + random_.between(-spread_, spread_)) / 2; };
        const std::int64_t x = town.x + off(), y = town.y + off();
        return {std::clamp(x, map_.box.left, map_.box.right), std::clamp(y, map_.box.bottom, map_.box.top)};
    }

    Random random_;
    Kind kind_;
    Map map_;
    std::int64_t n_, spread_;
    std::vector<Place> towns_;
};

inline std::vector<Place> places_of(const Instance& call) {
    Map map = map_of(call);
    map.radius = call.scalar("radius");
    Maker maker(call, map);
    std::vector<Place> places;
    for (std::int64_t i = 0; i < call.n; ++i) places.push_back(maker.next());
    return places;
}

// ---- The scalars of a call ----

// Cells of at least `radius` metres, and few enough: 4 n + 64 of them for an array of all cells, else as the contract
// says.
inline void fill_in_grid(Instance& call, const Box& box) {
    const std::int64_t width = box.right - box.left + 1, height = box.top - box.bottom + 1;
    const auto cells = [](std::int64_t length, std::int64_t side) { return (length + side - 1) / side; };
    const auto fits = [&](std::int64_t side) {
        const std::int64_t columns = cells(width, side), rows = cells(height, side);
        if (columns > kMaxColumns || rows > kMaxColumns) return false;
        return call.task != "binned" || columns * rows <= 4 * call.n + 64;
    };
    // The least side that fits: the more metres, the fewer cells.
    std::int64_t low = std::max<std::int64_t>(call.scalar("radius"), 1), high = std::max(low, 2 * kFarthest + 1);
    while (low < high) {
        const std::int64_t middle = (low + high) / 2;
        fits(middle) ? high = middle : low = middle + 1;
    }
    call.scalars["left"] = box.left;
    call.scalars["bottom"] = box.bottom;
    call.scalars["side"] = low;
    call.scalars["columns"] = cells(width, low);
    call.scalars["rows"] = cells(height, low);
}

// Room for the pairs: 8 n, or twice as many as often as need be. So times of different seeds compare.
inline void fill_in_room(Instance& call, const std::vector<Place>& places) {
    const std::int64_t radius = call.scalar("radius"), pairs = count_pairs(places, radius, kMaxPairs);
    if (pairs > kMaxPairs)
        throw std::invalid_argument("more than " + lab::with_commas(kMaxPairs) + " pairs within " +
                                    lab::with_commas(radius) + " m: choose a smaller --radius");
    std::int64_t room = 8 * call.n;
    while (room < pairs) room *= 2;
    call.scalars["room"] = std::min(room, kMaxPairs);
}

inline Box box_around(const std::vector<Place>& places) {
    if (places.empty()) return {0, 0, 0, 0};
    Box box{kFarthest, kFarthest, -kFarthest, -kFarthest};
    for (const Place& p : places)
        box = {std::min(box.left, p.x), std::min(box.bottom, p.y), std::max(box.right, p.x), std::max(box.top, p.y)};
    return box;
}

// Grid and room of points that somebody else has chosen.
inline void fill_in_for(Instance& call, const std::vector<Place>& places) {
    call.fill_in("radius", 50'000);
    if (has_grid(call)) fill_in_grid(call, box_around(places));
    if (is_list(call)) fill_in_room(call, places);
}

inline void choose(Instance& call) {
    const Map map = map_of(call);
    call.fill_in("radius", map.radius);
    if (has_grid(call) && !call.scalars.contains("side")) fill_in_grid(call, map.box);
    if (is_list(call) && !call.scalars.contains("room")) fill_in_room(call, places_of(call));
}

}  // namespace pairs
