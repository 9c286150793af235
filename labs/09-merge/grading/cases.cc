// Lab 9's tasks as data, and their inputs. Trusted; host C++; also in the runner, for --n without --input.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>

#include "grading/format.h"
#include "grading/pair_values.h"
#include "grading/problem.h"
#include "grading/random.h"
#include "variants.h"

namespace {

using lab::Array;
using lab::DType;
using lab::Instance;
using lab::Random;
using merge::Order;
using merge::Variant;
using merge::variant_of;

constexpr std::int64_t kMaxN = std::int64_t{1} << 26;
constexpr std::int64_t kTimedN = 1 << 20, kTimedSortN = 1 << 18;

// The usual input: for a person who names no seed, and for timed sizes, so that times of different seeds compare.
bool is_usual(const Instance& call) { return call.seed == 0 || (call.n >= kTimedSortN && call.n % kTimedSortN == 0); }

bool has_runs(const Instance& call) { return call.task == "one_thread_per_merge"; }
bool has_two_sides(const Instance& call) { return !has_runs(call) && call.task != "merge_sort"; }

// ---- How long the sides and the runs are ----

std::int64_t some_left(const Instance& call, Random& random) {
    const std::int64_t n = call.n;
    if (is_usual(call)) return n / 2;
    const std::array<std::int64_t, 8> lengths = {0, n, 1, n - 1, n / 2, n / 10, n - n / 3, random.between(0, n)};
    return std::clamp<std::int64_t>(lengths[random.below(lengths.size())], 0, n);
}

std::int64_t some_run(const Instance& call, Random& random) {
    if (is_usual(call)) return 32;
    // One thread would have to merge everything: only where that is quick.
    if (call.n < 5000 && random.one_in(3)) {
        const std::array<std::int64_t, 4> lengths = {call.n, call.n - 1, (call.n + 1) / 2, kMaxN};
        return std::max<std::int64_t>(lengths[random.below(lengths.size())], 1);
    }
    const std::array<std::int64_t, 8> lengths = {1, 2, 3, 31, 32, 33, 256, random.between(1, 300)};
    return lengths[random.below(lengths.size())];
}

void choose(Instance& call) {
    Random random(call.seed, "scalars");
    if (has_runs(call)) call.fill_in("run", some_run(call, random));
    if (!has_two_sides(call)) return;
    const auto left = call.fill_in("left", some_left(call, random));
    if (left > call.n)
        throw std::invalid_argument("--left " + std::to_string(left) +
                                    " is more than all n = " + std::to_string(call.n) + " elements");
}

lab::Shape shape(const Instance& call) {
    const Variant& variant = variant_of(call);
    const DType dtype = variant.dtype;
    const std::size_t count = static_cast<std::size_t>(call.n) * variant.numbers();
    lab::Shape shape;
    if (has_two_sides(call)) {
        const std::size_t left = static_cast<std::size_t>(call.scalar("left")) * variant.numbers();
        shape.inputs = {{"d_a", dtype, left}, {"d_b", dtype, count - left}};
    } else {
        shape.inputs = {{"d_in", dtype, count}};
    }
    shape.outputs = {{"d_out", dtype, count}};
    shape.bytes = 2.0 * static_cast<double>(count * lab::size_of(dtype));
    return shape;
}

// ---- Keys, as 32-bit numbers; what a variant makes of them keeps their order ----

// Chosen by the seed. a_first: every key of a comes before every key of b. in_turn: one of a, one of b, ... ends: the
// ends of the range, many times each; padding has to stay behind those that are its equals.
enum class Values { random, few, equal, a_first, b_first, in_turn, ends };

Values values_of(const Instance& call) { return is_usual(call) ? Values::random : static_cast<Values>(call.seed % 7); }

// Ascending keys of one side, or of one run; side 0 or 1.
std::vector<std::int32_t> sorted_keys(Values kind, std::int64_t count, int side, Random& random) {
    constexpr std::int64_t kLow = INT32_MIN, kHigh = INT32_MAX;
    std::vector<std::int32_t> keys(static_cast<std::size_t>(count));
    // Steps of random length, which take a walk from one end of its range about to the other.
    auto walk = [&](std::int64_t from, std::int64_t to) {
        std::int64_t at = from;
        const std::int64_t longest = 2 * ((to - from) / std::max<std::int64_t>(count, 1));
        for (std::int32_t& key : keys) {
            at = std::min(at + random.between(0, longest), to);
            key = static_cast<std::int32_t>(at);
        }
    };
    std::int32_t value = -4;
    switch (kind) {
        case Values::random:
            walk(kLow, kHigh);
            break;
        case Values::few:
            for (std::int32_t& key : keys) key = value += random.one_in(static_cast<std::uint64_t>(count) / 8 + 1);
            break;
        case Values::equal:
            std::fill(keys.begin(), keys.end(), -7);
            break;
        case Values::a_first:
        case Values::b_first:
            if ((side == 0) == (kind == Values::a_first))
                walk(kLow, -1);
            else
                walk(0, kHigh);
            break;
        case Values::in_turn:
            for (std::int64_t i = 0; i < count; ++i) keys[i] = static_cast<std::int32_t>(2 * i + side);
            break;
        case Values::ends: {
            const std::int64_t low = random.between(0, count), high = random.between(low, count);
            std::fill(keys.begin(), keys.begin() + low, INT32_MIN);
            std::fill(keys.begin() + high, keys.end(), INT32_MAX);
            break;
        }
    }
    return keys;
}

// Keys in any order, for the sort. a_first is sorted input, b_first reversed, in_turn an organ pipe.
std::vector<std::int32_t> unsorted_keys(Values kind, std::int64_t count, Random& random) {
    std::vector<std::int32_t> keys(static_cast<std::size_t>(count));
    const std::array<std::int32_t, 3> ends = {INT32_MIN, INT32_MAX, 5};
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t from_end = count - 1 - i;
        std::int64_t key = 0;
        if (kind == Values::random) key = static_cast<std::int32_t>(random.bits());
        if (kind == Values::few) key = random.between(-4, 4);
        if (kind == Values::equal) key = -7;
        if (kind == Values::a_first) key = i - count / 2;
        if (kind == Values::b_first) key = from_end - count / 2;
        if (kind == Values::in_turn) key = std::min(i, from_end);
        if (kind == Values::ends) key = ends[random.below(ends.size())];
        keys[i] = static_cast<std::int32_t>(key);
    }
    return keys;
}

// Keys of 64 bits that do not fit into 32.
std::int64_t wide(std::int32_t key) {
    if (key == INT32_MAX) return INT64_MAX;
    return key == INT32_MIN ? INT64_MIN : std::int64_t{key} * (1 << 24) + 77;
}

float real(std::int32_t key) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    if (key == INT32_MAX) return kInfinity;
    return key == INT32_MIN ? -kInfinity : static_cast<float>(key) * 0x1p-10f;
}

// ---- Inputs ----

// Fills elements `first`, `first` + 1, ... of an input with keys and values. `before`: elements in other inputs, for
// the place of a pair.
void put(const Instance& call, const Array& in, std::vector<std::int32_t> keys, std::int64_t first, std::int64_t before,
         lab::PairValues& values) {
    const Variant& variant = variant_of(call);
    if (variant.order == Order::descending) std::reverse(keys.begin(), keys.end());
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const std::size_t at = static_cast<std::size_t>(first) + i;
        if (variant.order == Order::by_key) {
            const std::int64_t place = before + static_cast<std::int64_t>(at);
            in.as<std::int32_t>()[2 * at] = keys[i];
            in.as<std::int32_t>()[2 * at + 1] = static_cast<std::int32_t>(values.next(place));
        } else if (variant.dtype == DType::i64) {
            in.as<std::int64_t>()[at] = wide(keys[i]);
        } else if (variant.dtype == DType::f32) {
            in.as<float>()[at] = real(keys[i]);
        } else {
            in.as<std::int32_t>()[at] = keys[i];
        }
    }
}

void generate(const Instance& call, std::span<const Array> inputs) {
    Random random(call.seed, "keys");
    lab::PairValues values(call.seed);
    const Values kind = values_of(call);
    if (has_two_sides(call)) {
        const std::int64_t left = call.scalar("left");
        put(call, inputs[0], sorted_keys(kind, left, 0, random), 0, 0, values);
        put(call, inputs[1], sorted_keys(kind, call.n - left, 1, random), 0, left, values);
    } else if (has_runs(call)) {
        const std::int64_t run = call.scalar("run");
        for (std::int64_t first = 0; first < call.n; first += run) {
            const std::int64_t count = std::min(run, call.n - first);
            put(call, inputs[0], sorted_keys(kind, count, static_cast<int>(first / run % 2), random), first, 0, values);
        }
    } else {
        put(call, inputs[0], unsorted_keys(kind, call.n, random), 0, 0, values);
    }
}

// ---- A plain CPU version, for --cpu ----

struct Pair {
    std::int32_t key, value;
};

template <class T, class Before>
void on_cpu(const Instance& call, std::span<const Array> inputs, const Array& output, Before before) {
    const auto* in = static_cast<const T*>(inputs[0].data);
    auto* out = static_cast<T*>(output.data);
    if (has_two_sides(call)) {
        const std::int64_t left = call.scalar("left");
        const auto* b = static_cast<const T*>(inputs[1].data);
        std::merge(in, in + left, b, b + (call.n - left), out, before);
    } else if (has_runs(call)) {
        const std::int64_t run = call.scalar("run");
        for (std::int64_t first = 0; first < call.n; first += 2 * run) {
            const auto* middle = in + std::min(first + run, call.n);
            std::merge(in + first, middle, middle, in + std::min(first + 2 * run, call.n), out + first, before);
        }
    } else {
        std::copy(in, in + call.n, out);
        std::stable_sort(out, out + call.n, before);
    }
}

void cpu(const Instance& call, std::span<const Array> inputs, std::span<const Array> outputs) {
    const Variant& variant = variant_of(call);
    const Array& out = outputs[0];
    if (variant.order == Order::by_key)
        return on_cpu<Pair>(call, inputs, out, [](Pair a, Pair b) { return a.key < b.key; });
    if (variant.dtype == DType::i64) return on_cpu<std::int64_t>(call, inputs, out, std::less<>());
    if (variant.dtype == DType::f32) return on_cpu<float>(call, inputs, out, std::less<>());
    if (variant.order == Order::descending) return on_cpu<std::int32_t>(call, inputs, out, std::greater<>());
    on_cpu<std::int32_t>(call, inputs, out, std::less<>());
}

// ---- Arrays from files ----

// Refuses what is not in order between places first and last.
template <class T>
void need_order(const Variant& variant, const Array& array, std::size_t first, std::size_t last) {
    auto key = [&](std::size_t i) { return array.as<T>()[i * variant.numbers()]; };
    for (std::size_t i = first + 1; i < last; ++i) {
        const bool in_order = variant.order == Order::descending ? key(i - 1) >= key(i) : key(i - 1) <= key(i);
        if (!in_order)
            throw std::invalid_argument(array.spec.name + " is not sorted: element " +
                                        lab::with_commas(static_cast<std::int64_t>(i)) +
                                        " comes before the one in front of it");
    }
}

void from_arrays(Instance& call, std::span<const Array> given) {
    const std::size_t inputs = has_two_sides(call) ? 2 : 1;
    if (given.size() != inputs)
        throw std::invalid_argument("task " + call.task + " merges two files: --input A --input B");
    const Variant& variant = variant_of(call);
    call.n = 0;
    for (const Array& array : given) {
        if (array.spec.count % variant.numbers() != 0)
            throw std::invalid_argument(array.spec.name + " has " + lab::count_of(array.spec.count, "number") +
                                        ", which do not make pairs of key and value");
        call.n += static_cast<std::int64_t>(array.spec.count / variant.numbers());
    }
    if (inputs == 2) {
        const auto left = static_cast<std::int64_t>(given[0].spec.count / variant.numbers());
        if (call.fill_in("left", left) != left)
            throw std::invalid_argument("--left: " + given[0].spec.name + " has " + lab::count_of(left, "element"));
    }
    if (has_runs(call)) call.fill_in("run", 32);
    for (const Array& array : given) {
        const auto count = static_cast<std::int64_t>(array.spec.count / variant.numbers());
        const std::int64_t run = has_runs(call) ? call.scalars["run"] : std::max<std::int64_t>(count, 1);
        if (array.spec.dtype == DType::f32 &&
            std::ranges::any_of(array.as<float>(), [](float x) { return std::isnan(x); }))
            throw std::invalid_argument(array.spec.name + " has a NaN, which has no place in an order");
        if (call.task == "merge_sort") continue;
        for (std::int64_t first = 0; first < count; first += run) {
            const std::int64_t last = std::min(first + run, count);
            lab::with_type(array.spec.dtype,
                           [&](auto zero) { need_order<decltype(zero)>(variant, array, first, last); });
        }
    }
}

std::string input_text(const Instance& call) {
    const Variant& variant = variant_of(call);
    const std::string type =
        (variant.order == Order::by_key ? "pairs of " : "") + std::string(lab::name_of(variant.dtype));
    if (has_two_sides(call)) {
        const std::int64_t left = call.scalar("left");
        return lab::with_commas(left) + " and " + lab::with_commas(call.n - left) + " " + type;
    }
    const std::string text = lab::with_commas(call.n) + " " + type;
    return has_runs(call) ? text + " in runs of " + lab::with_commas(call.scalar("run")) : text;
}

}  // namespace

lab::Lab merge_lab() {
    // The edges of warps and blocks; more than 2^16; and sizes that no power of two divides; a
    // tile of 256 threads with 11 elements each, and one element more.
    const std::vector<std::int64_t> sizes = {0,    1,      2,     31,    32,    33,       64,   65,
                                             255,  256,    257,   1023,  1024,  1025,     2816, 2817,
                                             5000, 20'000, 65535, 65536, 65537, 1'000'003};
    lab::Lab lab;
    lab.number = 9;
    lab.name = "merge";
    lab.title = "Merge";
    lab.tasks = {
        {"one_thread_per_merge",
         "many small merges: a thread walks through each pair of runs",
         {"ascending_int32", "pairs_int32"},
         kMaxN,
         sizes,
         kTimedN},
        {"rank_by_search",
         "a thread for each element; its place is its index plus its rank in the other array",
         {"ascending_int32", "descending_int32", "pairs_int32"},
         kMaxN,
         sizes,
         kTimedN},
        {"splitters",
         "every k-th element cuts both arrays; a block merges each piece in shared memory",
         {"ascending_int32", "descending_int32", "pairs_int32"},
         kMaxN,
         sizes,
         kTimedN},
        {"merge_path",
         "every k-th place of the output is a cut; equal work for all threads",
         {"ascending_int32", "ascending_int64", "ascending_float32", "pairs_int32"},
         kMaxN,
         sizes,
         kTimedN},
        {"merge_sort",
         "a network in registers, then merges within a block, then merges along the path",
         {"ascending_int32", "descending_int32", "ascending_float32", "pairs_int32"},
         kMaxN,
         sizes,
         kTimedSortN},
    };
    lab.choose = choose;
    lab.shape = shape;
    lab.generate = generate;
    lab.cpu = cpu;
    lab.from_arrays = from_arrays;
    lab.settings = {{"left", "tasks 2 to 4: how many of the n elements are in the first array; default half", 0, kMaxN},
                    {"run", "task 1: how long the sorted runs are; default 32", 1, kMaxN}};
    lab.input_text = input_text;
    return lab;
}
