// Lab 8's tasks as data, their inputs, and numbers in text files. Trusted; host C++; also in the runner, for --n
// without --input.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <compare>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>

#include "grading/files.h"
#include "grading/pair_values.h"
#include "grading/problem.h"
#include "grading/random.h"
#include "variants.h"

namespace {

using lab::Array;
using lab::DType;
using lab::Instance;
using lab::Random;
using networks::Order;
using networks::Variant;
using networks::variant_of;

constexpr std::int64_t kTile = 1024;  // as in networks.h
constexpr std::int64_t kTimedN = 1 << 18, kTimedBrickN = 1 << 15;

// What the elements look like, chosen by the seed. By the 0-1 principle two values are the hardest there is.
enum class Values { random, sorted, reversed, equal, two_values, organ_pipe, few, ends, quiet_first };

constexpr std::int64_t kQuietN = 33;  // nothing is to be swapped in the first phase of odd_even, and much in the next

Values values_of(const Instance& call) {
    if (call.task == "odd_even" && call.n == kQuietN) return Values::quiet_first;
    // Timed inputs are random, because the time of a program that swaps only where it must depends on the input.
    return call.n >= kTimedBrickN && call.n % kTile == 0 ? Values::random : static_cast<Values>(call.seed % 8);
}

std::int64_t span_of(const Instance& call) {
    if (call.task == "four_inputs") return 4;
    return call.task == "odd_even" || call.task == "bitonic_block" ? kTile : std::max<std::int64_t>(call.n, 1);
}

lab::Shape shape(const Instance& call) {
    const Variant& variant = variant_of(call);
    auto count = static_cast<std::size_t>(call.n) * variant.numbers();
    lab::Shape shape;
    shape.inputs = {{"d_in", variant.dtype, count}};
    shape.outputs = {{"d_out", variant.dtype, count}};
    shape.bytes = 2.0 * static_cast<double>(count * lab::size_of(variant.dtype));
    return shape;
}

// ---- Inputs ----

// An int32 or int64: its ends, and numbers of all its bits.
template <class T>
T integer(Values kind, std::int64_t i, const Instance& call, Random& random) {
    constexpr std::int64_t kUnit = sizeof(T) == 8 ? std::int64_t{1} << 32 : 1;  // keys of 64 bits need them
    auto number = [&](std::int64_t x) { return static_cast<T>(x * kUnit); };
    const std::int64_t span = span_of(call), place = i % span;
    switch (kind) {
        case Values::random:
            return static_cast<T>(random.bits());
        case Values::sorted:
            return number(i - call.n / 2);
        case Values::reversed:
            return number(call.n / 2 - i);
        case Values::equal:
            return number(-7);
        case Values::two_values:
            return number(random.one_in(2) ? 3 : call.seed / 8 % 2 == 0 ? 2 : -3);  // neighbours, or of both signs
        case Values::organ_pipe:
            return number(std::min(place, span - 1 - place));
        case Values::few:
            return number(random.between(-4, 4));
        case Values::ends: {
            const std::array<T, 3> some = {std::numeric_limits<T>::max(), std::numeric_limits<T>::min(),
                                           static_cast<T>(random.bits())};
            return some[random.below(some.size())];
        }
        case Values::quiet_first:
            return number(i % 2 - i / 2 * 2);
    }
    return 0;
}

float real(Values kind, std::int64_t i, const Instance& call, Random& random) {
    using Limits = std::numeric_limits<float>;
    if (kind == Values::random) return static_cast<float>(random.unit() - 0.5) * std::ldexp(1.0f, random.below(40));
    if (kind != Values::ends) return static_cast<float>(integer<std::int32_t>(kind, i, call, random)) / 4;
    const std::array<float, 9> some = {Limits::quiet_NaN(),
                                       -Limits::quiet_NaN(),
                                       Limits::infinity(),
                                       -Limits::infinity(),
                                       Limits::max(),
                                       Limits::lowest(),
                                       Limits::denorm_min(),
                                       -0.0f,
                                       static_cast<float>(random.unit())};
    return some[random.below(some.size())];
}

void generate(const Instance& call, std::span<const Array> inputs) {
    const Variant& variant = variant_of(call);
    const Array& in = inputs[0];
    Random random(call.seed, "values");
    lab::PairValues pair_values(call.seed);
    Values kind = values_of(call);
    for (std::int64_t i = 0; i < call.n; ++i) {
        if (variant.order == Order::by_key) {
            in.as<std::int32_t>()[2 * i] = integer<std::int32_t>(kind, i, call, random);
            in.as<std::int32_t>()[2 * i + 1] = static_cast<std::int32_t>(pair_values.next(i));
        } else if (variant.dtype == DType::f32) {
            in.as<float>()[i] = real(kind, i, call, random);
        } else if (variant.dtype == DType::i64) {
            in.as<std::int64_t>()[i] = integer<std::int64_t>(kind, i, call, random);
        } else {
            in.as<std::int32_t>()[i] = integer<std::int32_t>(kind, i, call, random);
        }
    }
}

// ---- A plain CPU version, for --cpu ----

struct Pair {
    std::int32_t key, value;
};

template <class T, class Before>
void sort_on_cpu(const Instance& call, const Array& in, const Array& out, Before before) {
    const auto* from = static_cast<const T*>(in.data);
    auto* to = static_cast<T*>(out.data);
    std::copy(from, from + call.n, to);
    for (std::int64_t first = 0; first < call.n; first += span_of(call))
        std::sort(to + first, to + std::min(first + span_of(call), call.n), before);
}

void cpu(const Instance& call, std::span<const Array> inputs, std::span<const Array> outputs) {
    const Variant& variant = variant_of(call);
    const Array &in = inputs[0], &out = outputs[0];
    if (variant.order == Order::by_key)
        return sort_on_cpu<Pair>(call, in, out, [](Pair a, Pair b) { return a.key < b.key; });
    if (variant.dtype == DType::f32)
        return sort_on_cpu<float>(
            call, in, out, [](float a, float b) { return std::strong_order(a, b) == std::strong_ordering::less; });
    if (variant.dtype == DType::i64) return sort_on_cpu<std::int64_t>(call, in, out, std::less<>());
    if (variant.order == Order::descending) return sort_on_cpu<std::int32_t>(call, in, out, std::greater<>());
    sort_on_cpu<std::int32_t>(call, in, out, std::less<>());
}

// ---- Text files: an element a line, a pair as its key and its value ----

lab::Problem read(const Instance& asked, const std::string& path) {
    lab::Problem problem{asked, {}};
    const Variant& variant = variant_of(asked);
    lab::with_type(variant.dtype, [&]<class T>(T) {
        const auto numbers = lab::read_numbers<T>(path);
        if (numbers.size() % variant.numbers() != 0) throw lab::FileError(path, "its last key has no value");
        problem.instance.n = static_cast<std::int64_t>(numbers.size() / variant.numbers());
        problem.inputs.push_back(lab::bytes_of(numbers));
    });
    return problem;
}

void write(const Instance& call, std::span<const Array>, std::span<const Array> outputs, const std::string& path) {
    const std::size_t in_a_line = variant_of(call).numbers();
    std::string text;
    lab::with_type(outputs[0].spec.dtype, [&](auto zero) {
        auto numbers = outputs[0].as<decltype(zero)>();
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            char digits[32];
            text.append(digits, std::to_chars(digits, digits + sizeof digits, numbers[i]).ptr);
            text += (i + 1) % in_a_line == 0 ? '\n' : ' ';
        }
    });
    lab::write_file(path, text);
}

}  // namespace

lab::Lab networks_lab() {
    const std::vector<std::int64_t> few = {0,   1,   2,    3,    4,    5,    31,   32,   33,   255,
                                           256, 257, 1023, 1024, 1025, 2049, 8191, 8193, 32769};
    std::vector<std::int64_t> sizes = few;  // and sizes that take odd_even too long, the last one more than 2^k
    sizes.insert(sizes.end(), {65535, 65536, 65537, kTimedN / 2 + 1});
    const std::int64_t max_n = std::int64_t{1} << 26;
    lab::Lab lab;
    lab.number = 8;
    lab.name = "networks";
    lab.title = "Sorting networks";
    lab.tasks = {
        {"four_inputs",
         "a table of comparators; a thread sorts four elements in its registers",
         {"ascending_int32"},
         max_n,
         sizes,
         kTimedN},
        {"odd_even",
         "neighbours, in as many phases as a tile has elements; in shared memory",
         {"ascending_int32", "early_exit_int32"},
         max_n,
         few,
         kTimedBrickN},
        {"bitonic_block",
         "merge ascending with descending runs: log2 n (log2 n + 1) / 2 steps for a tile of n",
         {"ascending_int32", "descending_int32"},
         max_n,
         sizes,
         kTimedN},
        {"bitonic_global",
         "any n: a launch for each far stride in global memory, near strides in shared memory",
         {"ascending_int32", "descending_int32", "ascending_float32", "pairs_int32"},
         max_n,
         sizes,
         kTimedN},
        {"bitonic_registers",
         "16 elements a thread: four strides between registers for each access to memory",
         {"ascending_int32", "descending_int32", "ascending_int64", "ascending_float32", "pairs_int32"},
         max_n,
         sizes,
         kTimedN},
    };
    lab.shape = shape;
    lab.generate = generate;
    lab.cpu = cpu;
    lab.files = {"text, a number a line", read, write};
    return lab;
}
