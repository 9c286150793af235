// Who is near whom, on the host, for the room that pairs need and for the plain CPU version. The oracle has a search of
// its own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace pairs {

struct Place {
    std::int64_t x, y;
};

inline bool are_near(const Place& p, const Place& q, std::int64_t radius) {
    const std::int64_t dx = q.x - p.x, dy = q.y - p.y;
    return dx * dx + dy * dy <= radius * radius;
}

// Calls each(i, j) once for every two points that are near each other, and stops when it returns false. The map is cut
// into strips as high as the radius, whose points are sorted by x. Whoever is near is in the same strip or in the next.
template <class Each>
void sweep(const std::vector<Place>& places, std::int64_t radius, Each each) {
    const std::int64_t height = std::max<std::int64_t>(radius, 1);
    const auto strip = [&](std::size_t i) { return (places[i].y + (std::int64_t{1} << 40)) / height; };
    std::vector<std::size_t> order(places.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, [&](std::size_t i, std::size_t j) {
        return std::pair(strip(i), places[i].x) < std::pair(strip(j), places[j].x);
    });
    // next: the first point of the next strip whose x is not too far to the left.
    std::size_t next = 0;
    for (std::size_t a = 0; a < order.size(); ++a) {
        const Place& p = places[order[a]];
        const std::int64_t own = strip(order[a]);
        const auto goes_on = [&](std::size_t from, std::int64_t of) {
            for (std::size_t b = from; b < order.size() && strip(order[b]) == of; ++b) {
                const Place& q = places[order[b]];
                if (q.x - p.x > radius) break;
                if (are_near(p, q, radius) && !each(order[a], order[b])) return false;
            }
            return true;
        };
        if (!goes_on(a + 1, own)) return;
        while (next < order.size() &&
               (strip(order[next]) <= own || (strip(order[next]) == own + 1 && places[order[next]].x < p.x - radius)))
            ++next;
        if (!goes_on(next, own + 1)) return;
    }
}

// How many pairs there are, or `most` + 1 if there are more than that.
inline std::int64_t count_pairs(const std::vector<Place>& places, std::int64_t radius, std::int64_t most) {
    std::int64_t count = 0;
    sweep(places, radius, [&](std::size_t, std::size_t) { return ++count <= most; });
    return count;
}

}  // namespace pairs
