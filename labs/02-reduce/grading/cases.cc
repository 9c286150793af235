// Lab 2's tasks as data, and their inputs. Trusted; host C++; also in the runner, for --n without --input.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "grading/problem.h"
#include "grading/random.h"
#include "variants.h"

namespace {

using lab::Array;
using lab::DType;
using lab::Instance;
using lab::Random;
using reduce::Op;
using reduce::Variant;
using reduce::variant_of;

constexpr std::int64_t kTimedN = 1 << 20;  // the smallest

lab::Shape shape(const Instance& call) {
    const Variant& variant = variant_of(call);
    auto count = static_cast<std::size_t>(call.n);
    // Only the last task has to cope with a pointer that is aligned to one element and no more.
    const bool is_aligned = call.task != "vectorized" || call.seed == 0;
    const std::size_t shift = is_aligned ? 0 : Random(call.seed, "shift").below(4);
    lab::Shape shape;
    shape.inputs = {{"d_in", variant.dtype, count, shift}};
    shape.outputs = {{variant.result == DType::i64 ? "d_sum" : "d_result", variant.result, 1}};
    shape.bytes = static_cast<double>(count * lab::size_of(variant.dtype) + lab::size_of(variant.result));
    return shape;
}

// ---- Inputs: no element is 0, so that one left out shows in a sum ----

// What the values look like, chosen by the seed.
enum class Kind { random, equal, sorted, huge, alternating, overflow, negative, wide };

// Sizes that are timed get random values: a few equal or ascending ones would tell all the others.
Kind kind_of(const Instance& call) {
    const bool is_timed = call.n >= kTimedN && call.n % kTimedN == 0;
    return is_timed ? Kind::random : static_cast<Kind>(call.seed % 8);
}

// What the elements of an input depend on; each is drawn in its turn.
struct Source {
    Kind kind;
    std::int64_t n;
    Random values, signs;
    int one_sign;         // where all have the same
    std::int64_t equal;   // the value where all are equal
    std::int64_t chosen;  // the element that is huge: often where a block begins or the array ends
    int exponent;         // of exact floats
    bool rounds;          // sums of these floats do

    explicit Source(const Instance& call)
        : kind(kind_of(call)), n(call.n), values(call.seed, "values"), signs(call.seed, "signs") {
        Random random(call.seed, "parameters");
        one_sign = random.one_in(2) ? -1 : 1;
        equal = one_sign * random.between(1, 9);
        std::int64_t last = std::max<std::int64_t>(n - 1, 0);
        const std::int64_t places[] = {0, last, last / 256 * 256, random.between(0, last)};
        chosen = places[random.below(4)];
        exponent = static_cast<int>(random.between(-10, 3));
        rounds = n <= (1 << 16) + 1 ? !random.one_in(4) : n > 1 << 24;
    }
    int sign() { return signs.one_in(2) ? -1 : 1; }
};

std::int64_t int32_value(Source& s, std::int64_t i) {
    switch (s.kind) {
        case Kind::random: {
            const std::int64_t value = s.values.between(-1000, 999);
            return value < 0 ? value : value + 1;
        }
        case Kind::equal:
            return s.equal;
        case Kind::sorted:
            return 2 * (i - s.n / 3) + 1;
        case Kind::huge:
            return s.one_sign * (i == s.chosen ? INT32_MAX : s.values.between(1, 9));
        case Kind::alternating:
            return (i % 2 == 0 ? 1 : -1) * s.values.between(1, 1000);
        case Kind::overflow:
            return s.values.between(1 << 30, INT32_MAX);
        case Kind::negative:
            return s.values.between(-1'000'000, -1);
        case Kind::wide:
            return static_cast<std::int32_t>(s.values.bits()) | 1;
    }
    return 1;
}

// Floats for a maximum or minimum: nothing rounds, so anything goes.
float any_float(Source& s, std::int64_t i) {
    const float x = 1 + static_cast<float>(s.values.below(1 << 23)) * 0x1p-23F;
    switch (s.kind) {
        case Kind::overflow:
            return 1e38F * x;  // a sum would be infinite
        case Kind::wide:
            return std::ldexp(static_cast<float>(s.sign()) * x, static_cast<int>(s.values.between(-60, 60)));
        default:
            return static_cast<float>(int32_value(s, i)) / 8;
    }
}

// Magnitudes 1, 2, 1, 4, 1, 2, 1, 8, ... like the marks of a ruler, with a mean of at most `most`: of n numbers, n /
// 2^k are multiples of 2^k, so that with marks up to 2^levels the sum is at most n (levels + 2) / 2.
std::int64_t ruler_mark(std::int64_t i, std::int64_t n, std::int64_t most) {
    const std::int64_t longest = std::bit_width(static_cast<std::uint64_t>(n)) - 1;
    const std::int64_t levels = std::clamp<std::int64_t>(2 * most - 2, 0, longest);
    return std::int64_t{1} << std::min<std::int64_t>(levels, std::countr_zero(static_cast<std::uint64_t>(i + 1)));
}

// Floats for a sum. A single element left out must show at any n up to 2^24, though sums are rounded:
//   - Rounded sums, in most seeds for n up to 2^16 + 1: 0.5 <= |x| < 1 with all 24 digits. What the oracle tolerates is
//     less than any one of them: gamma(32 + n / 4096) * sum of |x| < 49 * 2^-24 * (2^16 + 1) = 0.19.
//   - Exact sums: multiples of a power of two, so small that every sum of some of them is a float again, whatever the
//     order. The oracle sees that and tolerates nothing.
// Beyond 2^24, a float sum cannot notice a single element.
float float_to_add(Source& s, std::int64_t i) {
    int sign = s.sign();
    if (s.kind == Kind::equal || s.kind == Kind::overflow) sign = s.one_sign;
    if (s.kind == Kind::negative || s.kind == Kind::sorted) sign = -1;
    if (s.kind == Kind::alternating) sign = i % 2 == 0 ? 1 : -1;
    if (s.rounds) return static_cast<float>(sign) * (0.5F + static_cast<float>(s.values.below(1 << 23)) * 0x1p-24F);

    const std::int64_t most = (1 << 24) / s.n;  // the mean magnitude that every sum of some of them can bear
    std::int64_t magnitude = 1;
    switch (s.kind) {
        case Kind::huge:
            magnitude = i == s.chosen ? (1 << 24) - s.n + 1 : 1;
            break;
        case Kind::wide:
            magnitude = ruler_mark(i, s.n, most);
            break;
        case Kind::equal:
            magnitude = std::min(most, std::abs(s.equal));
            break;
        default:
            magnitude = s.values.between(1, std::min<std::int64_t>(most, 1000));
    }
    return std::ldexp(static_cast<float>(sign * magnitude), s.exponent);
}

void generate(const Instance& call, std::span<const Array> inputs) {
    const Variant& variant = variant_of(call);
    Source s(call);
    if (variant.dtype == DType::f32) {
        const auto value = variant.op == Op::sum ? float_to_add : any_float;
        std::span<float> in = inputs[0].as<float>();
        for (std::int64_t i = 0; i < call.n; ++i) in[static_cast<std::size_t>(i)] = value(s, i);
    } else {
        std::span<std::int32_t> in = inputs[0].as<std::int32_t>();
        for (std::int64_t i = 0; i < call.n; ++i) {
            in[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(int32_value(s, i));
        }
    }
}

// ---- A plain CPU version, for --cpu ----

template <class T, class Result, class Op>
void reduce_on_cpu(std::span<const T> in, Result& out, auto value, Op op) {
    for (T x : in) value = op(value, x);
    out = static_cast<Result>(value);
}

template <class T>
void largest_or_smallest(bool largest, std::span<const T> in, T& out) {
    using Limits = std::numeric_limits<T>;
    constexpr T high = Limits::has_infinity ? Limits::infinity() : Limits::max();
    constexpr T low = Limits::has_infinity ? -Limits::infinity() : Limits::min();
    if (largest)
        reduce_on_cpu(in, out, low, [](T a, T b) { return std::max(a, b); });
    else
        reduce_on_cpu(in, out, high, [](T a, T b) { return std::min(a, b); });
}

void cpu(const Instance& call, std::span<const Array> inputs, std::span<const Array> outputs) {
    const Variant& variant = variant_of(call);
    const Array &in = inputs[0], &out = outputs[0];
    const bool is_float = variant.dtype == DType::f32, largest = variant.op == Op::max;
    auto sum = [](auto a, auto b) { return a + b; };
    if (variant.op == Op::sum && is_float) {
        reduce_on_cpu<float>(in.as<float>(), out.as<float>()[0], 0.0, sum);  // in double: one by one, floats drift
    } else if (variant.op == Op::sum) {
        reduce_on_cpu<std::int32_t>(in.as<std::int32_t>(), out.as<std::int64_t>()[0], std::int64_t{0}, sum);
    } else if (is_float) {
        largest_or_smallest<float>(largest, in.as<float>(), out.as<float>()[0]);
    } else {
        largest_or_smallest<std::int32_t>(largest, in.as<std::int32_t>(), out.as<std::int32_t>()[0]);
    }
}

}  // namespace

lab::Lab reduce_lab() {
    // The last one takes more than 1024 blocks, however large they are.
    const std::vector<std::int64_t> sizes = {0,    1,    31,   32,    33,    255,   256,       257,
                                             1023, 1024, 1025, 65535, 65536, 65537, 1'000'003, 1'048'577};
    const std::vector<std::string> sum = {"sum_int32"};
    const std::vector<std::string> all = lab::names_of(reduce::kVariants);
    const std::int64_t max_n = std::int64_t{1} << 26, small = kTimedN, large = 4 * kTimedN;
    lab::Lab lab;
    lab.number = 2;
    lab.name = "reduce";
    lab.title = "Reduce";
    lab.tasks = {
        {"global_memory", "a launch for each level of the tree, partial sums in global memory", sum, max_n, sizes,
         small},
        {"interleaved", "eight levels of the tree in shared memory; the threads that add lie 2, 4, 8, ... apart", sum,
         max_n, sizes, small},
        {"sequential", "the threads that add are the first ones, and neighbours read neighbours", sum, max_n, sizes,
         small},
        {"grid_stride", "a fixed grid: each thread adds many elements before the tree begins; any operator", all, max_n,
         sizes, large},
        {"warp_shuffle", "the lanes of a warp read each other's registers: one barrier instead of eight", all, max_n,
         sizes, large},
        {"vectorized", "loads of 16 bytes, four in flight in each thread; as many blocks as the GPU holds at once", all,
         max_n, sizes, large},
    };
    lab.shape = shape;
    lab.generate = generate;
    lab.cpu = cpu;
    return lab;
}
