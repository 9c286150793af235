#include "virtual_gpu/counters/access_cost.h"

#include <algorithm>
#include <bit>

namespace vgpu {
namespace {

constexpr int kLanes = 32;

// Values of the active lanes; the others repeat the first active one, which adds nothing to a set.
template <class T, class From>
T* fill(T to[kLanes], const From from[kLanes], std::uint32_t mask, int shift) {
    const T first = static_cast<T>(from[std::countr_zero(mask)] >> shift);
    for (int lane = 0; lane < kLanes; ++lane) to[lane] = mask >> lane & 1 ? static_cast<T>(from[lane] >> shift) : first;
    return to;
}

// A set of at most 64 numbers with how often each was added.
class SmallSet {
  public:
    int add(std::uint64_t value) {  // how often it is in the set now
        auto slot = static_cast<unsigned>((value * 0x9e3779b97f4a7c15) >> 57);
        for (;; slot = (slot + 1) & 127) {
            if (!(used_[slot >> 6] >> (slot & 63) & 1)) {
                used_[slot >> 6] |= std::uint64_t{1} << (slot & 63);
                values_[slot] = value;
                return counts_[slot] = 1;
            }
            if (values_[slot] == value) return ++counts_[slot];
        }
    }
    int size() const { return std::popcount(used_[0]) + std::popcount(used_[1]); }

  private:
    std::uint64_t used_[2] = {};
    std::uint64_t values_[128];
    int counts_[128];
};

// Distinct numbers among 32.
int distinct(const std::uint64_t values[kLanes]) {
    // Close to each other: a bit each.
    const std::uint64_t base = values[0] - 32;
    std::uint64_t bits = 0, outside = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
        const std::uint64_t distance = values[lane] - base;
        outside |= distance;
        bits |= std::uint64_t{1} << (distance & 63);
    }
    if (outside < 64) return std::popcount(bits);
    // In order: count the steps.
    int steps = 1, descents = 0;
    for (int lane = 1; lane < kLanes; ++lane) {
        steps += values[lane] != values[lane - 1];
        descents += values[lane] < values[lane - 1];
    }
    if (descents == 0) return steps;
    SmallSet set;
    for (int lane = 0; lane < kLanes; ++lane) set.add(values[lane]);
    return set.size();
}

// Largest number of distinct units in one of `banks` banks, over the lanes of one phase.
int phase_cost(const std::uint32_t* units, int lanes, std::uint32_t mask, std::uint32_t banks) {
    std::uint32_t used = 0, before = 0;
    for (int lane = 0; lane < lanes; ++lane) used |= (mask >> lane & 1) << (units[lane] & (banks - 1));
    if (std::popcount(used) == std::popcount(mask)) return 1;  // a bank for each
    // While units only grow, a new one cannot be an old one.
    int counts[kLanes] = {}, worst = 0;
    std::uint32_t rest = mask;
    for (bool any = false; rest != 0; rest &= rest - 1, any = true) {
        const std::uint32_t unit = units[std::countr_zero(rest)];
        if (any && unit < before) break;
        if (!any || unit != before) worst = std::max(worst, ++counts[unit & (banks - 1)]);
        before = unit;
    }
    if (rest == 0) return worst;
    // Else each bank has a list of its units.
    int at_bank[kLanes], next[kLanes], depth[kLanes] = {};
    std::fill_n(at_bank, kLanes, -1);
    worst = 0;
    for (rest = mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const std::uint32_t bank = units[lane] & (banks - 1);
        int other = at_bank[bank];
        while (other >= 0 && units[other] != units[lane]) other = next[other];
        if (other >= 0) continue;
        next[lane] = at_bank[bank];
        at_bank[bank] = lane;
        worst = std::max(worst, ++depth[bank]);
    }
    return worst;
}

}  // namespace

int sectors(const std::uint64_t addresses[32], std::uint32_t mask, int bytes) {
    if (mask == 0) return 0;
    const auto width = static_cast<std::uint64_t>(bytes);
    std::uint64_t low_bits = 0;
    std::uint64_t values[kLanes];
    fill(values, addresses, mask, 0);
    for (int lane = 0; lane < kLanes; ++lane) {
        low_bits |= values[lane] & (width - 1);
        values[lane] >>= 5;
    }
    if (low_bits == 0) return distinct(values);
    SmallSet set;  // misaligned: an access may stand in two sectors
    for (int lane = 0; lane < kLanes; ++lane) {
        if (!(mask >> lane & 1)) continue;
        set.add(addresses[lane] >> 5);
        set.add((addresses[lane] + width - 1) >> 5);
    }
    return set.size();
}

SharedCost shared_cost(const std::uint32_t offsets[32], std::uint32_t mask, int bytes, bool is_load) {
    SharedCost cost;
    if (mask == 0) return cost;
    // All accesses are as wide and aligned, so wide ones behave as fewer, wider banks.
    const int shift = bytes <= 4 ? 2 : bytes == 8 ? 3 : 4;
    const std::uint32_t banks = 128u >> shift;
    int lanes = static_cast<int>(banks);  // of a phase

    std::uint32_t units[kLanes];
    fill(units, offsets, mask, shift);
    std::uint32_t differences = 0, used = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
        differences |= units[lane] ^ units[0];
        used |= 1u << (units[lane] & 31);
    }
    if (is_load && shift > 2) {
        // Lanes n and n^1 with equal addresses, wherever both are active: two phases become one.
        std::uint32_t unequal = 0;
        for (int lane = 0; lane < kLanes; lane += 2)
            if ((mask >> lane & 3) == 3) unequal |= units[lane] ^ units[lane + 1];
        if (unequal == 0) lanes *= 2;
    }
    const bool is_broadcast = differences == 0;
    const bool is_free = shift == 2 && std::popcount(used) == std::popcount(mask);
    for (int first = 0; first < kLanes; first += lanes) {
        const std::uint32_t active = mask >> first & (lanes == 32 ? ~0u : (1u << lanes) - 1);
        if (active == 0) continue;
        ++cost.ideal;
        cost.wavefronts += is_broadcast || is_free ? 1 : phase_cost(units + first, lanes, active, banks);
    }
    cost.conflicts = cost.wavefronts - cost.ideal;
    return cost;
}

int distinct_addresses(const std::uint64_t addresses[32], std::uint32_t mask) {
    std::uint64_t values[kLanes];
    return mask == 0 ? 0 : distinct(fill(values, addresses, mask, 0));
}

SharedCost shared_atomic_cost(const std::uint32_t offsets[32], std::uint32_t mask, int bytes, int passes) {
    const std::uint32_t width = bytes <= 4 ? 4 : 8;
    int lanes[32] = {}, most = 0;
    for (int lane = 0; lane < kLanes; ++lane)
        if ((mask >> lane & 1) != 0) most = std::max(most, ++lanes[offsets[lane] % 128 / width]);
    SharedCost cost;
    if (most == 0) return cost;
    cost.wavefronts = passes * most;
    cost.ideal = passes;
    cost.conflicts = most - 1;
    return cost;
}

int most_lanes_on_one_address(const std::uint64_t addresses[32], std::uint32_t mask) {
    if (mask == 0) return 0;
    std::uint64_t differences = 0, values[kLanes];
    fill(values, addresses, mask, 0);
    for (int lane = 0; lane < kLanes; ++lane) differences |= values[lane] ^ values[0];
    if (differences == 0) return std::popcount(mask);
    if (differences >> 32 == 0) {  // as those of shared memory and of small arrays: each compared with all others
        std::uint32_t low[2 * kLanes], same[kLanes] = {};
        for (int lane = 0; lane < kLanes; ++lane)
            low[lane] = low[lane + kLanes] = static_cast<std::uint32_t>(values[lane] ^ values[0]);
        for (int apart = 0; apart < kLanes; ++apart)
            for (int lane = 0; lane < kLanes; ++lane) same[lane] += low[lane] == low[lane + apart] ? 1 : 0;
        // Inactive lanes have the address of the lowest active one.
        const int lowest = std::countr_zero(mask), inactive = kLanes - std::popcount(mask);
        std::uint32_t most = 0;
        for (int lane = 0; lane < kLanes; ++lane)
            most = std::max(most, same[lane] - (low[lane] == low[lowest] ? static_cast<std::uint32_t>(inactive) : 0));
        return static_cast<int>(most);
    }
    int most = 1;
    SmallSet set;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1)
        most = std::max(most, set.add(addresses[std::countr_zero(rest)]));
    return most;
}

void add_atomic(const std::uint64_t addresses[32], std::uint32_t mask,
                std::unordered_map<std::uint64_t, std::uint64_t>& lines) {
    struct Line {
        std::uint64_t number;
        unsigned sectors, lanes;
    } found[kLanes];
    int count = 0;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const std::uint64_t address = addresses[std::countr_zero(rest)], number = address / 128;
        int at = count - 1;
        while (at >= 0 && found[at].number != number) --at;
        if (at < 0) found[at = count++] = {number, 0, 0};
        found[at].sectors |= 1u << (address / 32 & 3);
        ++found[at].lanes;
    }
    for (int i = 0; i < count; ++i)
        lines[found[i].number] += std::max(4u * static_cast<unsigned>(std::popcount(found[i].sectors)), found[i].lanes);
}

}  // namespace vgpu
