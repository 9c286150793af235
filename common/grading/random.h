// Random numbers from a seed, the same on every machine and with every compiler (the distributions of <random>
// are not). The i-th number of a stream is a function of seed, stream and i alone. Whoever sees some of the numbers
// cannot compute the others, nor the seed: they are the key stream of a cipher, ChaCha with 8 rounds, whose key is the
// seed and the stream's name.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lab {

// ChaCha with 8 rounds, a counter of 64 bits and a nonce of 0 (Bernstein: ChaCha, a variant of Salsa20, 2008).
struct ChaCha8 {
    static constexpr std::size_t kWords = 8;   // 64-bit words in a block of its key stream
    static constexpr std::size_t kBlocks = 8;  // computed at once, one in each lane of the CPU's vectors
    static constexpr std::size_t kBatch = kWords * kBlocks;

    std::array<std::uint32_t, 8> key;

    // Word i of the key stream: the bytes 8 i to 8 i + 7, the lowest first.
    std::uint64_t word(std::uint64_t i) const;
    // The words from kBatch * number on.
    void batch(std::uint64_t number, std::uint64_t* words) const;
};

class Random {
  public:
    // Streams of one seed are independent: Random(seed, "values"), Random(seed, "flags"). Names have at most 24 bytes.
    explicit Random(std::uint64_t seed, std::string_view stream = "");

    // 64 random bits: the next ones, or those of draw i.
    std::uint64_t bits() {
        if (at_ == words_.size()) refill();
        return words_[at_++];
    }
    std::uint64_t bits_at(std::uint64_t i) const { return cipher_.word(i); }

    // Uniform in [0, bound), bound >= 1. By a multiplication: off from uniform by bound / 2^64 at most.
    std::uint64_t below(std::uint64_t bound) {
        return static_cast<std::uint64_t>((static_cast<Wide>(bits()) * bound) >> 64);
    }

    // Uniform in [low, high], both included; not for the whole range of int64.
    std::int64_t between(std::int64_t low, std::int64_t high) {
        return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low) + 1));
    }

    // True once in `every` draws, on average.
    bool one_in(std::uint64_t every) { return below(every) == 0; }

    // Uniform in [0, 1), multiples of 2^-53.
    double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

  private:
    __extension__ using Wide = unsigned __int128;
    void refill();

    ChaCha8 cipher_;
    std::uint64_t batch_ = 0;  // the next one
    std::size_t at_ = ChaCha8::kBatch;
    std::array<std::uint64_t, ChaCha8::kBatch> words_;
};

}  // namespace lab
