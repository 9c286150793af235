// Random numbers from a seed, the same on every machine and with every compiler (the distributions of <random>
// are not). The i-th number of a stream is a function of seed, stream and i alone.
#pragma once

#include <cstdint>
#include <string_view>

namespace lab {

// The finaliser of SplitMix64: a bijection of 64-bit words whose every output bit depends on every input bit
// (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014; constants of Stafford's mix 13).
constexpr std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
}

class Random {
  public:
    // Streams of one seed are independent: Random(seed, "values"), Random(seed, "flags").
    constexpr explicit Random(std::uint64_t seed, std::string_view stream = "") : key_(mix(seed + kGolden)) {
        for (const char c : stream) key_ = mix(key_ ^ static_cast<unsigned char>(c)) + kGolden;
    }

    // 64 random bits: the next ones, or those of draw i.
    constexpr std::uint64_t bits() { return bits_at(next_++); }
    constexpr std::uint64_t bits_at(std::uint64_t i) const { return mix(key_ + (i + 1) * kGolden); }

    // Uniform in [0, bound), bound >= 1. By a multiplication: off from uniform by bound / 2^64 at most.
    constexpr std::uint64_t below(std::uint64_t bound) {
        return static_cast<std::uint64_t>((static_cast<Wide>(bits()) * bound) >> 64);
    }

    // Uniform in [low, high], both included; not for the whole range of int64.
    constexpr std::int64_t between(std::int64_t low, std::int64_t high) {
        return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low) + 1));
    }

    // True once in `every` draws, on average.
    constexpr bool one_in(std::uint64_t every) { return below(every) == 0; }

    // Uniform in [0, 1), multiples of 2^-53.
    constexpr double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

  private:
    __extension__ using Wide = unsigned __int128;
    static constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15U;  // 2^64 / golden ratio, odd
    std::uint64_t key_, next_ = 0;
};

}  // namespace lab
