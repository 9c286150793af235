// Elements with counts for lab 5: inputs, a plain CPU version, files. Trusted; host C++; a part of cases.cc.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <stdexcept>

#include "grading/files.h"
#include "grading/format.h"
#include "grading/problem.h"
#include "grading/random.h"
#include "variants.h"

namespace runs {

using lab::Array;
using lab::DType;
using lab::Instance;
using lab::Random;

constexpr std::int64_t kMaxN = std::int64_t{1} << 24, kTimedN = 1 << 18;
constexpr std::int64_t kMaxOutputs = std::int64_t{1} << 26, kOutputsEach = 4;

// ---- How many outputs, and whose ----

// Chosen by the seed. skewed: half have none, most of the others a few, some thousands. one: a single element has all.
// ends: only the first and the last have any. sparse: long stretches without. none: nobody has any.
enum class Kind { skewed, ones, one, ends, sparse, none, even };

inline bool is_usual(const Instance& call) { return call.seed == 0 || call.n >= kTimedN; }
inline Kind kind_of(const Instance& call) {
    using enum Kind;
    constexpr std::array kinds{skewed, one,    sparse, skewed, ends, even,   one,    sparse,
                               none,   skewed, one,    sparse, ones, skewed, sparse, ends};
    return is_usual(call) ? skewed : kinds[call.seed % kinds.size()];
}

inline std::int64_t some_outputs(const Instance& call, Random& random) {
    if (is_usual(call)) return std::min(kOutputsEach * call.n, kMaxOutputs);
    if (kind_of(call) == Kind::none) return 0;
    if (kind_of(call) == Kind::ones) return call.n;
    const std::array<std::int64_t, 6> counts = {kOutputsEach * call.n,        call.n / 10, 1, call.n - 1, call.n + 1,
                                                random.between(0, 3 * call.n)};
    return call.n == 0 ? 0 : counts[random.below(counts.size())];
}

inline void choose(Instance& call) {
    Random random(call.seed, "outputs");
    const auto outputs = call.fill_in("outputs", some_outputs(call, random));
    if (call.n == 0 && outputs > 0)
        throw std::invalid_argument("--outputs " + std::to_string(outputs) + " of no element at all");
}

inline lab::Shape shape(const Instance& call) {
    const auto n = static_cast<std::size_t>(call.n), outputs = static_cast<std::size_t>(call.scalar("outputs"));
    lab::Shape shape;
    shape.inputs = {{"d_values", DType::i32, n}, {"d_counts", DType::i32, n}};
    shape.outputs = {{"d_out", DType::i32, outputs}};
    shape.bytes = sizeof(int) * static_cast<double>(2 * n + outputs);
    return shape;
}

// ---- Inputs ----

// An element's share of the outputs, relative to the other elements.
class Shares {
  public:
    explicit Shares(const Instance& call) : kind_(kind_of(call)), n_(call.n), random_(call.seed, "shares") {
        const std::array<std::int64_t, 3> places = {0, n_ - 1, static_cast<std::int64_t>(random_.bits() >> 1)};
        if (n_ > 0) only_ = places[random_.below(3)] % n_;
    }
    std::int64_t of(std::int64_t i) {
        switch (kind_) {
            case Kind::skewed: {
                const std::uint64_t draw = random_.below(4096);
                if (draw < 2048) return 0;
                return draw == 4095 ? random_.between(1, 16384) : random_.between(1, 7);
            }
            case Kind::one:
                return i == only_ ? 1 : 0;
            case Kind::ends:
                return i == 0 || i == n_ - 1 ? 1 : 0;
            case Kind::sparse:
                return random_.one_in(1000) || i == only_ ? random_.between(1, 5) : 0;
            default:
                return 1;
        }
    }

  private:
    Kind kind_;
    std::int64_t n_, only_ = 0;
    Random random_;
};

inline void generate(const Instance& call, std::span<const Array> inputs) {
    const std::span<std::int32_t> values = inputs[0].as<std::int32_t>(), counts = inputs[1].as<std::int32_t>();
    Random random(call.seed, "values");
    for (std::int32_t& value : values) value = static_cast<std::int32_t>(random.bits());
    // Elements 0 to i have outputs * (sum of their shares) / (sum of all shares), rounded down; so all have `outputs`.
    Shares shares(call);
    std::vector<std::int64_t> up_to;
    up_to.reserve(static_cast<std::size_t>(call.n));
    for (std::int64_t i = 0, sum = 0; i < call.n; ++i) up_to.push_back(sum += shares.of(i));
    const std::int64_t outputs = call.scalar("outputs");
    if (outputs > 0 && up_to.back() == 0) up_to.back() = 1;
    for (std::int64_t i = 0, before = 0; i < call.n; ++i) {
        const std::int64_t end = outputs == 0 ? 0 : outputs * up_to[i] / up_to.back();
        counts[i] = static_cast<std::int32_t>(end - before);
        before = end;
    }
}

// ---- A plain CPU version, for --cpu ----

inline void cpu(const Instance& call, std::span<const Array> inputs, std::span<const Array> outputs) {
    const std::span<std::int32_t> values = inputs[0].as<std::int32_t>(), counts = inputs[1].as<std::int32_t>();
    const auto step = static_cast<std::uint32_t>(allocate::variant_of(call).step);
    std::int32_t* out = outputs[0].as<std::int32_t>().data();
    for (std::size_t i = 0; i < values.size(); ++i) {
        auto value = static_cast<std::uint32_t>(values[i]);
        for (std::int32_t k = 0; k < counts[i]; ++k, value += step) *out++ = static_cast<std::int32_t>(value);
    }
}

// ---- In words, and files ----

inline std::string input_text(const Instance& call) {
    return lab::count_of(static_cast<std::uint64_t>(call.n), "element") + " with " +
           lab::count_of(static_cast<std::uint64_t>(call.scalar("outputs")), "output");
}

// Refuses impossible counts.
inline std::int64_t total_of(std::span<const std::int32_t> counts) {
    std::int64_t total = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts[i] < 0)
            throw std::invalid_argument("element " + lab::with_commas(static_cast<std::int64_t>(i)) +
                                        " has a count below 0: " + std::to_string(counts[i]));
        total += counts[i];
    }
    if (total > kMaxOutputs)
        throw std::invalid_argument(lab::with_commas(total) + " outputs are more than " +
                                    lab::with_commas(kMaxOutputs));
    return total;
}

// The counts decide how many outputs there are; --outputs must agree.
inline void settle_outputs(Instance& call, std::span<const std::int32_t> counts) {
    call.n = static_cast<std::int64_t>(counts.size());
    const std::int64_t total = total_of(counts);
    if (call.fill_in("outputs", total) != total)
        throw std::invalid_argument("--outputs: the counts add up to " + lab::with_commas(total) + "; leave it out");
}

// Lines of a value and its count.
inline lab::Problem read(const Instance& asked, const std::string& path) {
    std::vector<std::int32_t> values, counts;
    lab::read_lines_of_numbers<std::int32_t>(path, [&](std::int64_t line, std::span<const std::int32_t> pair) {
        if (pair.size() != 2)
            throw lab::FileError(path, line,
                                 pair.size() == 1 ? "a value without a count" : "more than a value and a count");
        values.push_back(pair[0]), counts.push_back(pair[1]);
    });
    lab::Problem problem{asked, {lab::bytes_of(values), lab::bytes_of(counts)}};
    try {
        settle_outputs(problem.instance, counts);
    } catch (const std::invalid_argument& error) {
        throw lab::FileError(path, error.what());
    }
    return problem;
}

inline void write(std::span<const Array> outputs, const std::string& path) {
    std::string lines;
    for (const std::int32_t value : outputs[0].as<std::int32_t>()) lines += std::to_string(value) + "\n";
    lab::write_file(path, lines);
}

inline void from_arrays(Instance& call, std::span<const Array> given) {
    if (given.size() != 2)
        throw std::invalid_argument("task " + call.task + " takes two files: --input VALUES --input COUNTS");
    const std::span<std::int32_t> counts = given[1].as<std::int32_t>();
    if (given[0].spec.count != counts.size())
        throw std::invalid_argument(given[0].spec.name + " has " + lab::count_of(given[0].spec.count, "value") + ", " +
                                    given[1].spec.name + " " + lab::count_of(counts.size(), "count"));
    settle_outputs(call, counts);
}

}  // namespace runs
