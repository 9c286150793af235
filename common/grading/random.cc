#include "grading/random.h"

#include <cstring>
#include <stdexcept>
#include <string>

// The compiler makes a version for newer CPUs, too, and the program chooses when it starts.
#if defined(__x86_64__) && defined(__gnu_linux__)
#define LABS_FOR_EACH_CPU __attribute__((target_clones("avx2", "default")))
#else
#define LABS_FOR_EACH_CPU
#endif

namespace lab {
namespace {

constexpr std::array<std::uint32_t, 4> kConstants = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
constexpr int kDoubleRounds = 4;

template <class T>
[[gnu::always_inline]] inline void rotate(T& x, int by) {
    x = x << by | x >> (32 - by);
}

template <class T>
[[gnu::always_inline]] inline void quarter_round(T& a, T& b, T& c, T& d) {
    a += b, d ^= a, rotate(d, 16);
    c += d, b ^= c, rotate(b, 12);
    a += b, d ^= a, rotate(d, 8);
    c += d, b ^= c, rotate(b, 7);
}

// T: a word of one block, or the same word of several blocks.
template <class T>
[[gnu::always_inline]] inline void rounds(T (&x)[16]) {
    for (int round = 0; round < kDoubleRounds; ++round) {  // without inner loops, so that x stays in registers
        quarter_round(x[0], x[4], x[8], x[12]);
        quarter_round(x[1], x[5], x[9], x[13]);
        quarter_round(x[2], x[6], x[10], x[14]);
        quarter_round(x[3], x[7], x[11], x[15]);
        quarter_round(x[0], x[5], x[10], x[15]);
        quarter_round(x[1], x[6], x[11], x[12]);
        quarter_round(x[2], x[7], x[8], x[13]);
        quarter_round(x[3], x[4], x[9], x[14]);
    }
}

using Lanes = std::uint32_t __attribute__((vector_size(4 * ChaCha8::kBlocks)));
using Pairs = std::uint64_t __attribute__((vector_size(32)));

// Four rows of four words to four columns, the columns kWords words apart.
[[gnu::always_inline]] inline void transpose(const Pairs* row, std::uint64_t* words) {
    const Pairs a = __builtin_shufflevector(row[0], row[1], 0, 4, 2, 6),
                b = __builtin_shufflevector(row[0], row[1], 1, 5, 3, 7);
    const Pairs c = __builtin_shufflevector(row[2], row[3], 0, 4, 2, 6),
                d = __builtin_shufflevector(row[2], row[3], 1, 5, 3, 7);
    const Pairs column[4] = {__builtin_shufflevector(a, c, 0, 1, 4, 5), __builtin_shufflevector(b, d, 0, 1, 4, 5),
                             __builtin_shufflevector(a, c, 2, 3, 6, 7), __builtin_shufflevector(b, d, 2, 3, 6, 7)};
    for (int i = 0; i < 4; ++i) std::memcpy(words + ChaCha8::kWords * i, &column[i], sizeof column[i]);
}

std::uint64_t joined(std::uint32_t low, std::uint32_t high) { return low | std::uint64_t{high} << 32; }

// A function of its own, because a member cannot have several versions with every compiler.
LABS_FOR_EACH_CPU void make_batch(const std::uint32_t* key, std::uint64_t first, std::uint64_t* words) {
    Lanes start[16], x[16];
    for (std::size_t i = 0; i < 4; ++i) start[i] = Lanes{} + kConstants[i];
    for (std::size_t i = 0; i < 8; ++i) start[4 + i] = Lanes{} + key[i];
    for (std::size_t lane = 0; lane < ChaCha8::kBlocks; ++lane) {
        start[12][lane] = static_cast<std::uint32_t>(first + lane);
        start[13][lane] = static_cast<std::uint32_t>((first + lane) >> 32);
    }
    start[14] = start[15] = Lanes{};
    for (int i = 0; i < 16; ++i) x[i] = start[i];
    rounds(x);
    for (int i = 0; i < 16; ++i) x[i] += start[i];
    // Words 2 i and 2 i + 1 of all blocks, side by side.
    Pairs pairs[2][8];  // of blocks 0 to 3, of blocks 4 to 7
    for (int i = 0; i < 8; ++i) {
        pairs[0][i] = (Pairs)__builtin_shufflevector(x[2 * i], x[2 * i + 1], 0, 8, 1, 9, 2, 10, 3, 11);
        pairs[1][i] = (Pairs)__builtin_shufflevector(x[2 * i], x[2 * i + 1], 4, 12, 5, 13, 6, 14, 7, 15);
    }
    for (int half = 0; half < 2; ++half)
        for (int first = 0; first < 8; first += 4) transpose(pairs[half] + first, words + 32 * half + first);
}

}  // namespace

std::uint64_t ChaCha8::word(std::uint64_t i) const {
    const std::uint64_t block = i / kWords;
    std::uint32_t start[16] = {}, x[16];
    for (std::size_t k = 0; k < 4; ++k) start[k] = kConstants[k];
    for (std::size_t k = 0; k < 8; ++k) start[4 + k] = key[k];
    start[12] = static_cast<std::uint32_t>(block), start[13] = static_cast<std::uint32_t>(block >> 32);
    for (int k = 0; k < 16; ++k) x[k] = start[k];
    rounds(x);
    const std::size_t at = 2 * (i % kWords);
    return joined(x[at] + start[at], x[at + 1] + start[at + 1]);
}

void ChaCha8::batch(std::uint64_t number, std::uint64_t* words) const {
    make_batch(key.data(), number * kBlocks, words);
}

Random::Random(std::uint64_t seed, std::string_view stream) : cipher_{} {
    constexpr std::size_t kBytes = 4;
    cipher_.key[0] = static_cast<std::uint32_t>(seed), cipher_.key[1] = static_cast<std::uint32_t>(seed >> 32);
    if (stream.size() > kBytes * (cipher_.key.size() - 2))
        throw std::length_error("the name of a stream of random numbers is too long: " + std::string(stream));
    for (std::size_t i = 0; i < stream.size(); ++i)
        cipher_.key[2 + i / kBytes] |= std::uint32_t{static_cast<unsigned char>(stream[i])} << (8 * (i % kBytes));
}

void Random::refill() {
    cipher_.batch(batch_++, words_.data());
    at_ = 0;
}

}  // namespace lab
