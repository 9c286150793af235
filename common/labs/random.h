// Random numbers from a seed, the same on every machine: element i of a stream is a function of seed, stream
// and i alone, so that generators need no state, can run in any order, and data of size n is not a prefix of
// data of size n + 1 unless one wants that.
#pragma once

#include <cstdint>
#include <string_view>

namespace labs {

// The finaliser of SplitMix64: a bijection of 64-bit words whose every output bit depends on every input bit
// (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014; constants of Stafford's mix 13).
constexpr std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
}

class Random {
public:
    // Streams of one seed are independent: "values", "flags".
    constexpr explicit Random(std::uint64_t seed, std::string_view stream = "") : key_(mix(seed + kGolden)) {
        for (const char c : stream) key_ = mix(key_ ^ static_cast<unsigned char>(c)) + kGolden;
    }

    // 64 random bits.
    constexpr std::uint64_t bits(std::uint64_t i) const { return mix(key_ + (i + 1) * kGolden); }

    // Uniform in [0, bound), bound >= 1 (multiply and shift; off by at most bound / 2^32 from uniform).
    constexpr std::uint32_t below(std::uint64_t i, std::uint32_t bound) const {
        return static_cast<std::uint32_t>(((bits(i) >> 32) * bound) >> 32);
    }

    // Uniform in [low, high], both included.
    constexpr std::int32_t between(std::uint64_t i, std::int32_t low, std::int32_t high) const {
        const auto width = static_cast<std::uint64_t>(static_cast<std::int64_t>(high) - low) + 1;
        return static_cast<std::int32_t>(low + static_cast<std::int64_t>(((bits(i) >> 32) * width) >> 32));
    }

    // Uniform in [0, 1): multiples of 2^-24 as float, of 2^-53 as double.
    constexpr float uniform(std::uint64_t i) const { return static_cast<float>(bits(i) >> 40) * 0x1p-24F; }
    constexpr double uniform_double(std::uint64_t i) const { return static_cast<double>(bits(i) >> 11) * 0x1p-53; }

    // Uniform in [low, high).
    constexpr float uniform(std::uint64_t i, float low, float high) const { return low + (high - low) * uniform(i); }

    // True with probability 1 / every.
    constexpr bool one_in(std::uint64_t i, std::uint32_t every) const { return below(i, every) == 0; }

private:
    static constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15U;  // 2^64 / golden ratio, odd
    std::uint64_t key_;
};

}  // namespace labs
