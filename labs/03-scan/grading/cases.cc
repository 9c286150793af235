// Lab 3's tasks as data, and their inputs. Trusted; host C++; also in the runner, for --n without --input.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "grading/problem.h"
#include "grading/random.h"
#include "variants.h"

namespace {

using lab::Array;
using lab::DType;
using lab::Instance;
using lab::Random;
using scan::Op;
using scan::Variant;
using scan::variant_of;

constexpr std::int64_t kTile = 1024;  // as in scan.h
constexpr std::int64_t kTimedN = 1 << 20;

// What the values look like, chosen by the seed.
enum class Values { random, equal, rising, wrapping, sparse };
// Where segments begin.
enum class Heads { random, none, all, every_7th, last };

// Sizes that are timed get random ones: a few elements of another kind would tell all the others.
bool is_timed(const Instance& call) { return call.n >= kTimedN && call.n % kTimedN == 0; }
Values values_of(const Instance& call) { return is_timed(call) ? Values::random : static_cast<Values>(call.seed % 5); }
Heads heads_of(const Instance& call) {
    return is_timed(call) ? Heads::random : static_cast<Heads>((call.seed + call.seed / 5) % 5);
}

lab::Shape shape(const Instance& call) {
    const Variant& variant = variant_of(call);
    auto count = static_cast<std::size_t>(call.n) * variant.numbers;
    lab::Shape shape;
    shape.inputs = {{"d_in", variant.dtype, count}};
    shape.outputs = {{"d_out", variant.dtype, count}};
    shape.bytes = 2.0 * static_cast<double>(count * lab::size_of(variant.dtype));
    return shape;
}

// ---- Inputs ----

// Everything that element i of an input depends on.
struct Source {
    Values kind;
    Heads heads;
    std::int64_t n;
    Random random, signs, places;
    std::int64_t equal;  // the value where all are equal

    explicit Source(const Instance& call)
        : kind(values_of(call)),
          heads(heads_of(call)),
          n(call.n),
          random(call.seed, "values"),
          signs(call.seed, "signs"),
          places(call.seed, "heads"),
          equal(Random(call.seed, "equal").between(1, 9)) {}
};

// A value of 32 bits.
std::int64_t int32_value(Source& s, std::int64_t i) {
    switch (s.kind) {
        case Values::random:
            return s.random.between(-100, 100);
        case Values::equal:
            return s.equal;
        case Values::rising:
            return i - s.n;  // all negative: a maximum that starts at 0 shows
        case Values::wrapping:
            return static_cast<std::int32_t>(s.random.bits());
        case Values::sparse:
            return s.signs.one_in(64) ? s.random.between(-100, 100) : 0;
    }
    return 0;
}

// An element left out must show up to n = 2^24, though sums are rounded. So a float is
//   - up to n = 2^16, in two seeds of five, any of 0.5 <= |x| < 1, with all its digits: the tolerance at element i is
//     gamma(64 + i / 1024) * (i + 1) < 128 * 2^-24 * 2^16 = 0.5, less than any one of them;
//   - else a multiple of 1/8, never 0, and so small that every sum of any of them is a float, whatever the order: the
//     tolerance is 0 (oracle.cc).
float float_value(Source& s) {
    float sign = s.signs.one_in(2) ? -1.0f : 1.0f;
    bool digits = s.kind == Values::random || s.kind == Values::wrapping;
    if (digits && s.n <= 1 << 16)
        return sign * static_cast<float>(0.5 + std::floor(s.random.unit() * 0x1p23) * 0x1p-24);
    std::int64_t most = std::clamp<std::int64_t>((1 << 24) / s.n, 1, 1000);
    if (s.kind == Values::equal) return static_cast<float>(std::min(s.equal, most)) / 8;
    return sign * static_cast<float>(s.random.between(1, most)) / 8;
}

std::int32_t head(Source& s, std::int64_t i) {
    switch (s.heads) {
        case Heads::random:
            return s.places.one_in(100);
        case Heads::none:
            return 0;
        case Heads::all:
            return 1;
        case Heads::every_7th:
            return i % 7 == 0;
        case Heads::last:
            return i == s.n - 1;
    }
    return 0;
}

void set_map(Source& s, std::int64_t i, std::uint32_t& a, std::uint32_t& b) {
    a = static_cast<std::uint32_t>(s.random.bits()) | 1u;  // odd, or the products would soon be 0
    b = static_cast<std::uint32_t>(s.signs.bits());
    if (s.kind == Values::equal) a = 5, b = 3;
    if (s.kind == Values::rising) a = 1, b = static_cast<std::uint32_t>(i);
    if (s.kind == Values::sparse && i % 64 != 0) a = 1, b = 0;
}

void generate(const Instance& call, std::span<const Array> inputs) {
    const Variant& variant = variant_of(call);
    Source s(call);
    const Array& in = inputs[0];
    for (std::int64_t i = 0; i < call.n; ++i) {
        if (variant.op == Op::compose) {
            auto numbers = in.as<std::uint32_t>();
            set_map(s, i, numbers[2 * i], numbers[2 * i + 1]);
        } else if (variant.op == Op::segmented_sum) {
            auto numbers = in.as<std::int32_t>();
            numbers[2 * i] = static_cast<std::int32_t>(int32_value(s, i));
            numbers[2 * i + 1] = head(s, i);
        } else if (variant.dtype == DType::f32) {
            in.as<float>()[i] = float_value(s);
        } else if (variant.dtype == DType::i64) {
            in.as<std::int64_t>()[i] = int32_value(s, i) * 1024 + (s.equal << 32);  // no sum fits into 32 bits
        } else {
            in.as<std::int32_t>()[i] = static_cast<std::int32_t>(int32_value(s, i));
        }
    }
}

// ---- A plain CPU version, for --cpu ----

template <class T, class Sum, class Op>
void scan_on_cpu(std::span<const T> in, std::span<T> out, std::int64_t tile, bool exclusive, Sum identity, Op op) {
    Sum sum = identity;
    for (std::size_t i = 0; i < in.size(); ++i) {
        if (static_cast<std::int64_t>(i) % tile == 0) sum = identity;
        Sum next = op(sum, in[i]);
        out[i] = static_cast<T>(exclusive ? sum : next);
        sum = next;
    }
}

template <class T>
struct Two {
    T first, second;
};

template <class T>
std::span<Two<T>> in_pairs(std::span<T> numbers) {
    return {reinterpret_cast<Two<T>*>(numbers.data()), numbers.size() / 2};
}

void cpu(const Instance& call, std::span<const Array> inputs, std::span<const Array> outputs) {
    const Variant& variant = variant_of(call);
    bool exclusive = variant.kind == scan::Kind::exclusive;
    bool tiles = call.task == "hillis_steele" || call.task == "blelloch";
    std::int64_t tile = tiles ? kTile : std::max<std::int64_t>(call.n, 1);
    auto scan = [&]<class T>(std::span<T> in, std::span<T> out, auto identity, auto op) {
        scan_on_cpu<T>(in, out, tile, exclusive, identity, op);
    };
    auto sum = [](auto a, auto b) { return a + b; };
    // Unsigned, so that sums may wrap around.
    auto wrapping = [](int a, int b) { return static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b)); };
    const Array &in = inputs[0], &out = outputs[0];
    if (variant.op == Op::compose) {
        using Map = Two<std::uint32_t>;
        scan(in_pairs(in.as<std::uint32_t>()), in_pairs(out.as<std::uint32_t>()), Map{1, 0}, [](Map f, Map g) {
            return Map{g.first * f.first, g.first * f.second + g.second};
        });
    } else if (variant.op == Op::segmented_sum) {
        using Pair = Two<std::int32_t>;
        scan(in_pairs(in.as<std::int32_t>()), in_pairs(out.as<std::int32_t>()), Pair{0, 0}, [&](Pair a, Pair b) {
            return Pair{b.second ? b.first : wrapping(a.first, b.first), a.second | b.second};
        });
    } else if (variant.dtype == DType::f32) {
        scan(in.as<float>(), out.as<float>(), 0.0, sum);  // in double: one after the other, floats drift
    } else if (variant.dtype == DType::i64) {
        scan(in.as<std::int64_t>(), out.as<std::int64_t>(), std::int64_t{0}, sum);
    } else if (variant.op == Op::max) {
        scan(in.as<std::int32_t>(), out.as<std::int32_t>(), INT32_MIN, [](int a, int b) { return std::max(a, b); });
    } else {
        scan(in.as<std::int32_t>(), out.as<std::int32_t>(), 0, wrapping);
    }
}

}  // namespace

lab::Lab scan_lab() {
    // 10'241: two of the solution's largest tiles, in every variant (from 2^15 on the grader runs one variant a size).
    // The last one takes more than 1024 tiles, and one element of one more.
    const std::vector<std::int64_t> sizes = {0,    1,    31,     32,    33,    255,   256,       257,      1023,
                                             1024, 1025, 10'241, 65535, 65536, 65537, 1'000'003, 1'049'601};
    const std::int64_t max_n = std::int64_t{1} << 26, timed_n = kTimedN;
    lab::Lab lab;
    lab.number = 3;
    lab.name = "scan";
    lab.title = "Scan";
    lab.tasks = {
        {"naive",
         "a launch for each step: add the neighbour at distance 1, 2, 4, ...",
         {"inclusive_sum_int32"},
         max_n,
         sizes,
         timed_n},
        {"hillis_steele", "all steps of a tile in shared memory", {"inclusive_sum_int32"}, max_n, sizes, timed_n},
        {"blelloch",
         "up a tree and down again: two additions an element; padded against bank conflicts",
         {"exclusive_sum_int32"},
         max_n,
         sizes,
         timed_n},
        {"block_sums",
         "scan the tiles, scan their totals, add; any associative operator",
         {"exclusive_sum_int32", "inclusive_sum_int32", "exclusive_max_int32", "inclusive_sum_float32",
          "inclusive_affine_uint32", "segmented_sum_int32"},
         max_n,
         sizes,
         timed_n},
        {"reduce_then_scan",
         "the totals first, then each tile once more: a tile in registers, scanned by shuffles",
         {"exclusive_sum_int32", "inclusive_sum_int32", "exclusive_sum_int64", "inclusive_affine_uint32"},
         max_n,
         sizes,
         timed_n},
        {"look_back",
         "one launch: tiles look back at what earlier ones have published",
         {"exclusive_sum_int32", "inclusive_sum_int32", "exclusive_max_int32", "exclusive_sum_int64",
          "inclusive_sum_float32", "inclusive_affine_uint32", "segmented_sum_int32"},
         max_n,
         sizes,
         timed_n},
        {"pipelined",
         "a block publishes its next tile before it finishes the one it holds",
         {"exclusive_sum_int32", "inclusive_sum_int32", "exclusive_sum_int64", "inclusive_affine_uint32"},
         max_n,
         sizes,
         timed_n},
    };
    lab.shape = shape;
    lab.generate = generate;
    lab.cpu = cpu;
    return lab;
}
