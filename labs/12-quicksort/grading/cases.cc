// Lab 12's tasks as data, and their inputs. Trusted; host C++; also in the runner, for --n without --input.
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <stdexcept>

#include "grading/files.h"
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
using quicksort::Variant;
using quicksort::variant_of;

constexpr std::int64_t kMaxN = std::int64_t{1} << 26;
constexpr std::int64_t kUsualDepth = 16, kMostDepth = 20;
constexpr std::int64_t kUsualPending = 2048, kMostPending = 1 << 16;  // CUDA's own limit at first

bool launches(const Instance& call) { return call.task == "one_thread" || call.task == "block_partition"; }

// The usual input: for a person who names no seed, and for timed sizes, so that times of different seeds compare.
bool is_usual(const Instance& call) { return call.seed == 0 || (call.n >= 1 << 14 && call.n % (1 << 14) == 0); }

// ---- Scalars: the order of the keys, and the limits ----

// Half of a quicksort's problems come from keys that are not random. organ_pipe: keys ascend, then descend, so that the
// greatest is in the middle and the least ones are at both ends. extremes: the ends of the range, which a student may
// use as padding.
enum class Keys : std::uint8_t { random, organ_pipe, equal, two_values, ascending, descending, few, extremes };
const std::vector<std::string> kKeys = {"random",    "organ_pipe", "equal", "two_values",
                                        "ascending", "descending", "few",   "extremes"};

void choose(Instance& call) {
    Random random(call.seed, "scalars");
    // From n = 2000 on, n selects the keys, so that the public sizes cover every kind. Below, the seed selects them.
    const auto kind = is_usual(call) ? 0 : (call.n >= 2000 ? static_cast<std::uint64_t>(call.n) : call.seed) % 8;
    call.fill_in("keys", static_cast<std::int64_t>(kind));
    if (!launches(call)) return;
    std::int64_t depth = kUsualDepth, pending = kUsualPending;
    if (!is_usual(call)) {
        // At every third size, launches fail. There, kernels must be allowed to launch.
        const std::array<std::int64_t, 3> few = {1, 2, 8};
        if ((call.n >= 2000 ? static_cast<std::uint64_t>(call.n) : call.seed) % 3 == 0)
            pending = few[random.below(few.size())];
        // Near depth 0, one thread sorts nearly all keys: allowed only where that is quick.
        const bool is_long = call.task == "one_thread" && call.n > 10'000;
        const std::int64_t least = is_long ? 3 : pending == kUsualPending ? 0 : 1;
        const std::array<std::int64_t, 6> depths = {0, 1, 2, 5, kUsualDepth, kMostDepth};
        depth = std::max(depths[random.below(depths.size())], least);
    }
    call.fill_in("depth", depth);
    call.fill_in("pending", pending);
}

lab::Shape shape(const Instance& call) {
    const Variant& variant = variant_of(call);
    const std::size_t count = static_cast<std::size_t>(call.n) * variant.numbers;
    lab::Shape shape;
    shape.inputs = {{"d_in", variant.dtype, count}};
    shape.outputs = {{"d_out", variant.dtype, count}};
    shape.bytes = 2.0 * static_cast<double>(count * lab::size_of(variant.dtype));
    return shape;
}

// ---- Inputs ----

// As 32-bit numbers; what a variant makes of them keeps their order.
std::int32_t key_at(Keys kind, std::int64_t i, std::int64_t n, Random& random) {
    constexpr std::array<std::int32_t, 6> kEnds = {INT32_MIN, INT32_MIN + 1, -1, 0, INT32_MAX - 1, INT32_MAX};
    switch (kind) {
        case Keys::random:
            return static_cast<std::int32_t>(random.bits());
        case Keys::organ_pipe:
            return static_cast<std::int32_t>(std::min(i, n - 1 - i));
        case Keys::equal:
            return -7;
        case Keys::two_values:
            return random.one_in(2) ? 5 : -5;
        case Keys::ascending:
            return static_cast<std::int32_t>(i - n / 2);
        case Keys::descending:
            return static_cast<std::int32_t>(n / 2 - i);
        case Keys::few:
            return static_cast<std::int32_t>(random.between(-4, 4));
        case Keys::extremes:
            return kEnds[random.below(kEnds.size())];
    }
    throw std::logic_error("unknown kind of keys");
}

// Keys of 64 bits that do not fit into 32, and differ in their lower halves too.
std::int64_t wide(std::int32_t key) {
    if (key == INT32_MAX) return INT64_MAX;
    return key == INT32_MIN ? INT64_MIN : std::int64_t{key} * 1'000'000'007;
}

void generate(const Instance& call, std::span<const Array> inputs) {
    const Variant& variant = variant_of(call);
    Random random(call.seed, "keys");
    const auto kind = static_cast<Keys>(call.scalar("keys"));
    const std::int64_t n = call.n;
    lab::PairValues values(call.seed);
    for (std::int64_t i = 0; i < n; ++i) {
        const std::int32_t key = key_at(kind, i, n, random);
        const auto at = static_cast<std::size_t>(i);
        if (variant.dtype == DType::i64) {
            inputs[0].as<std::int64_t>()[at] = wide(key);
        } else if (variant.is_pairs()) {
            inputs[0].as<std::int32_t>()[2 * at] = key;
            inputs[0].as<std::int32_t>()[2 * at + 1] = static_cast<std::int32_t>(values.next(i));
        } else {
            inputs[0].as<std::int32_t>()[at] = key;
        }
    }
}

// ---- A plain CPU version, for --cpu ----

template <class T, class Less>
void on_cpu(const Instance& call, const Array& in, const Array& out, Less less) {
    const auto* from = static_cast<const T*>(in.data);
    auto* to = static_cast<T*>(out.data);
    std::copy(from, from + call.n, to);
    std::sort(to, to + call.n, less);
}

void cpu(const Instance& call, std::span<const Array> inputs, std::span<const Array> outputs) {
    using Pair = std::array<std::int32_t, 2>;
    const Variant& variant = variant_of(call);
    if (variant.is_pairs())
        return on_cpu<Pair>(call, inputs[0], outputs[0], [](const Pair& a, const Pair& b) { return a[0] < b[0]; });
    if (variant.dtype == DType::i64) return on_cpu<std::int64_t>(call, inputs[0], outputs[0], std::less<>());
    on_cpu<std::int32_t>(call, inputs[0], outputs[0], std::less<>());
}

// ---- Files: .npy and the like, and text ----

void from_arrays(Instance& call, std::span<const Array> given) {
    const std::size_t count = given[0].spec.count, numbers = variant_of(call).numbers;
    if (count % numbers != 0)
        throw std::invalid_argument(given[0].spec.name + " has " + lab::count_of(count, "number") +
                                    ", which do not make pairs of key and value");
    call.n = static_cast<std::int64_t>(count / numbers);
}

lab::Problem read_numbers(const Instance& asked, const std::string& path) {
    const Variant& variant = variant_of(asked);
    lab::Problem problem{asked, {}};
    std::size_t count = 0;
    lab::with_type(variant.dtype, [&]<class T>(T) {
        const char* larger = sizeof(T) == 4 ? "; --task sample_partition --variant int64 has room" : "";
        const auto numbers = lab::read_numbers<T>(path, larger);
        count = numbers.size();
        problem.inputs.push_back(lab::bytes_of(numbers));
    });
    if (count % variant.numbers != 0)
        throw lab::FileError(path, lab::count_of(count, "number") + ", which do not make pairs of key and value");
    problem.instance.n = static_cast<std::int64_t>(count / variant.numbers);
    return problem;
}

void write_numbers(const Instance& call, std::span<const Array>, std::span<const Array> outputs,
                   const std::string& path) {
    const Variant& variant = variant_of(call);
    std::string text;
    lab::with_type(variant.dtype, [&]<class T>(T) {
        const auto numbers = outputs[0].as<T>();
        for (std::size_t i = 0; i < numbers.size(); ++i)
            text += std::to_string(numbers[i]) + ((i + 1) % variant.numbers == 0 ? "\n" : " ");
    });
    lab::write_file(path, text);
}

std::string input_text(const Instance& call) {
    const Variant& variant = variant_of(call);
    std::string text =
        lab::with_commas(call.n) + (variant.is_pairs() ? " pairs of " : " ") + lab::name_of(variant.dtype);
    if (const auto kind = call.scalar("keys"); kind != 0) text += ", " + kKeys.at(static_cast<std::size_t>(kind));
    if (!launches(call)) return text;
    text += ", depth " + std::to_string(call.scalar("depth"));
    const std::int64_t pending = call.scalar("pending");
    return pending == kUsualPending ? text : text + ", pending " + std::to_string(pending);
}

std::string output_text(const Instance& call, std::span<const Array>, std::span<const Array> outputs) {
    if (call.n == 0) return "nothing to sort";
    const Variant& variant = variant_of(call);
    auto ends = [&](const auto& keys) {
        return "from " + lab::with_commas(keys[0]) + " to " + lab::with_commas(keys[keys.size() - variant.numbers]);
    };
    return variant.dtype == DType::i64 ? ends(outputs[0].as<std::int64_t>()) : ends(outputs[0].as<std::int32_t>());
}

}  // namespace

lab::Lab quicksort_lab() {
    // The edges of warps, blocks and of what may be sorted without a partition; from 2000 on n % 8 is the kind of keys.
    const std::vector<std::int64_t> sizes = {0,    1,    2,    3,    31,   32,   33,     64,     255,   256,  257,
                                             1000, 1023, 1024, 1025, 2047, 2048, 2049,   4095,   4096,  4097, 5002,
                                             5003, 5004, 5005, 5006, 5008, 8193, 20'002, 20'004, 65'537};
    // Descending keys. A solution of this lab once took 5,052 rounds for them: all segments with the same end had
    // pivots at the same places, however bad.
    std::vector<std::int64_t> rounds = sizes;
    rounds.insert(rounds.end() - 1, 20'469);
    std::vector<std::int64_t> medium = sizes;
    medium.insert(medium.end() - 1, {65'535, 65'536});
    std::vector<std::int64_t> large = medium;
    large.insert(large.end(), {300'000, 300'001, 600'000});
    lab::Lab lab;
    lab.number = 12;
    lab.name = "quicksort";
    lab.title = "Quicksort";
    lab.tasks = {
        {"one_thread",
         "a thread partitions a range and launches a child for either side",
         {"int32"},
         kMaxN,
         sizes,
         1 << 15},
        {"block_partition",
         "a block partitions a range; small ranges are sorted in shared memory",
         {"int32"},
         kMaxN,
         medium,
         1 << 16},
        {"segmented_scan",
         "no recursion: every round partitions all ranges at once, by segmented scans",
         {"int32"},
         kMaxN,
         rounds,
         1 << 15},
        {"sample_partition", "many ways at once, between splitters from a sample; equal keys are done",
         lab::names_of(quicksort::kVariants), kMaxN, large, 1 << 18},
    };
    lab.choose = choose;
    lab.settings = {
        {"keys", "what the keys are; default random", 0, 0, kKeys},
        {"depth", "tasks 1 and 2: how deep kernels may be nested; default 16", 0, kMostDepth},
        {"pending", "tasks 1 and 2: how many launches from the device may wait; default 2048", 1, kMostPending}};
    lab.shape = shape;
    lab.generate = generate;
    lab.cpu = cpu;
    lab.from_arrays = from_arrays;
    lab.files = {"a text of whole numbers", read_numbers, write_numbers};
    lab.input_text = input_text;
    lab.output_text = output_text;
    return lab;
}
