// Lab 10's tasks as data, and their inputs. Trusted; host C++; also in the runner, for --n without --input.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "grading/format.h"
#include "grading/pair_values.h"
#include "grading/problem.h"
#include "grading/random.h"
#include "order.h"
#include "variants.h"

namespace {

using lab::Array;
using lab::DType;
using lab::Instance;
using lab::Random;
using radix::Element;
using radix::kRecordWords;
using radix::Variant;
using radix::variant_of;

constexpr std::int64_t kTimedN = 1 << 18;

bool has_values(const Instance& call) { return variant_of(call).element == Element::pair; }
bool is_record(const Instance& call) { return variant_of(call).element == Element::record; }

// Timed and explained sizes get random keys and all bits, so that times and counters compare from seed to seed.
bool is_measured(const Instance& call) { return call.n >= 1 << 14 && call.n % (1 << 14) == 0; }

// ---- Which bits decide ----

void choose(Instance& call) {
    Random random(call.seed, "bits");
    const Variant& variant = variant_of(call);
    const int width = 8 * static_cast<int>(lab::size_of(variant.dtype));
    int begin = 0, end = width;
    if (variant.element == Element::packed) {
        begin = 32;  // the key lies above its value
    } else if (variant.any_bits && call.seed != 0 && !is_measured(call) && random.one_in(2)) {
        // Any bits; half of the time an odd number of them, from the lowest on.
        begin = random.one_in(2) ? 0 : static_cast<int>(random.below(width));
        end = begin + 1 + static_cast<int>(random.below(width - begin));
    }
    begin = static_cast<int>(call.fill_in("begin", begin));
    end = static_cast<int>(call.fill_in("end", end));
    if (end > width || begin >= end)
        throw std::invalid_argument("bits " + std::to_string(begin) + " to " + std::to_string(end) + " of a key of " +
                                    std::to_string(width) + " bits: choose --begin below --end, and --end up to " +
                                    std::to_string(width));
    if (is_record(call) && (begin != 0 || end != width))
        throw std::invalid_argument("records are sorted by the whole key: leave --begin and --end out");
}

lab::Shape shape(const Instance& call) {
    const auto count = static_cast<std::size_t>(call.n) * (is_record(call) ? kRecordWords : 1);
    const DType dtype = variant_of(call).dtype;
    lab::Shape shape;
    if (is_record(call)) {
        shape.inputs = {{"d_in", dtype, count}};
        shape.outputs = {{"d_out", dtype, count}};
    } else if (has_values(call)) {
        shape.inputs = {{"d_keys_in", dtype, count}, {"d_values_in", DType::u32, count}};
        shape.outputs = {{"d_keys_out", dtype, count}, {"d_values_out", DType::u32, count}};
    } else {
        shape.inputs = {{call.task == "onesweep" ? "d_keys_in" : "d_in", dtype, count}};
        shape.outputs = {{call.task == "onesweep" ? "d_keys_out" : "d_out", dtype, count}};
    }
    for (const lab::ArraySpec& array : shape.inputs)
        shape.bytes += 2 * static_cast<double>(array.count * lab::size_of(array.dtype));
    return shape;
}

// ---- Keys, by their order words. Random keys alone miss many mistakes, so most kinds are not random ----

enum class Kind : std::uint8_t { random, few, equal, ascending, descending, one_byte, extremes };
constexpr std::uint64_t kKinds = 7;

Kind kind_of(const Instance& call) { return is_measured(call) ? Kind::random : static_cast<Kind>(call.seed % kKinds); }

// Words at which an order is likely to go wrong: both ends, both sides of the sign bit, and a float's special values.
// 2^-149 is the smallest positive float.
template <class Word>
Word extreme(Random& random) {
    constexpr Word kTop = std::numeric_limits<Word>::max(), kSign = kTop / 2 + 1;
    const std::array<Word, 8> words = {0, 1, kSign - 2, kSign - 1, kSign, kSign + 1, kTop - 1, kTop};
    if constexpr (sizeof(Word) == 4) {
        const std::array<float, 8> numbers = {INFINITY, -INFINITY, NAN, -NAN, 1.0f, -1.0f, 0x1p-149f, -0x1p-149f};
        if (random.one_in(2)) return radix::order_word(numbers[random.below(numbers.size())]);
    }
    return words[random.below(words.size())];
}

template <class Word>
std::vector<Word> words(const Instance& call) {
    Random random(call.seed, "keys");
    const Kind kind = kind_of(call);
    const auto any = static_cast<Word>(random.bits());
    const int shift = 8 * static_cast<int>(random.below(sizeof(Word)));
    std::array<Word, 5> few{};
    for (Word& word : few) word = static_cast<Word>(random.bits());
    std::vector<Word> words(call.n);
    for (Word& word : words) {
        const auto bits = static_cast<Word>(random.bits());
        if (kind == Kind::few)
            word = few[bits % few.size()];
        else if (kind == Kind::equal)
            word = any;
        else if (kind == Kind::one_byte)
            word = any ^ (Word{bits % 256} << shift);
        else if (kind == Kind::extremes)
            word = extreme<Word>(random);
        else
            word = bits;
    }
    if (kind == Kind::ascending) std::ranges::sort(words);
    if (kind == Kind::descending) std::ranges::sort(words, std::greater<>{});
    return words;
}

void generate(const Instance& call, std::span<const Array> inputs) {
    const Array& keys = inputs[0];
    if (is_record(call)) {
        Random random(call.seed, "payload");
        const std::span<std::uint32_t> out = keys.as<std::uint32_t>();
        const std::vector<std::uint32_t> key = words<std::uint32_t>(call);
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = i % kRecordWords == 0 ? key[i / kRecordWords] : static_cast<std::uint32_t>(random.bits());
        return;
    }
    lab::with_type(keys.spec.dtype, [&]<class Key>(Key) {
        if constexpr (radix::kIsKey<Key>) {
            const auto from = words<radix::Word<Key>>(call);
            std::ranges::transform(from, keys.as<Key>().begin(), radix::key_of<Key>);
        }
    });
    if (!has_values(call)) return;
    lab::PairValues values(call.seed);
    std::int64_t place = 0;
    for (std::uint32_t& value : inputs[1].as<std::uint32_t>()) value = values.next(place++);
}

// ---- A plain CPU version, for --cpu ----

template <class T, class Less>
void sort_with_values(const Instance& call, std::span<const Array> inputs, std::span<const Array> outputs, Less less) {
    const std::span<T> keys = inputs[0].as<T>();
    const bool with_values = has_values(call);
    std::vector<std::uint32_t> order(keys.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::stable_sort(order, less, [&](std::uint32_t i) { return keys[i]; });
    for (std::size_t i = 0; i < order.size(); ++i) {
        outputs[0].as<T>()[i] = keys[order[i]];
        if (with_values) outputs[1].as<std::uint32_t>()[i] = inputs[1].as<std::uint32_t>()[order[i]];
    }
}

void cpu(const Instance& call, std::span<const Array> inputs, std::span<const Array> outputs) {
    if (is_record(call)) {
        using Record = std::array<std::uint32_t, kRecordWords>;
        const std::span<std::uint32_t> to = outputs[0].as<std::uint32_t>();
        std::ranges::copy(inputs[0].as<std::uint32_t>(), to.begin());
        const std::span<Record> records(reinterpret_cast<Record*>(to.data()), to.size() / kRecordWords);
        std::ranges::stable_sort(records, {}, [](const Record& record) { return record[0]; });
        return;
    }
    const radix::Range range{static_cast<int>(call.scalar("begin")), static_cast<int>(call.scalar("end"))};
    lab::with_type(inputs[0].spec.dtype, [&]<class Key>(Key) {
        if constexpr (radix::kIsKey<Key>) {
            sort_with_values<Key>(call, inputs, outputs, [=](Key a, Key b) { return range.of(a) < range.of(b); });
        }
    });
}

std::string output_text(const Instance& call, std::span<const Array>, std::span<const Array> outputs) {
    const Array& out = outputs[0];
    const std::size_t step = is_record(call) ? kRecordWords : 1;
    if (out.spec.count == 0) return "nothing to sort";
    return lab::with_type(out.spec.dtype, [&]<class Key>(Key) {
        const std::span<Key> keys = out.as<Key>();
        return "from " + std::to_string(keys[0]) + " to " + std::to_string(keys[keys.size() - step]);
    });
}

}  // namespace

lab::Lab radix_lab() {
    // The edges of warps, of blocks of 256 and of tiles; several tiles, the last one with a single key.
    const std::vector<std::int64_t> sizes = {0,    1,    2,    31,   32,   33,   255,  256,   257,   1000,
                                             1023, 1024, 1025, 4095, 4096, 4097, 8193, 65535, 65536, 65537};
    const std::int64_t max_n = std::int64_t{1} << 26;
    lab::Lab lab;
    lab.number = 10;
    lab.name = "radix";
    lab.title = "Radix sort";
    lab.tasks = {
        {"split_one_bit",
         "one bit a pass: an exclusive sum of the zeros says where keys go",
         {"uint32"},
         max_n,
         sizes,
         kTimedN / 4},
        {"digit",
         "R bits a pass: tiles count digits, a sum over the transposed table places them",
         {"r8_uint32", "r4_uint32", "r2_uint32", "r1_uint32", "r8_packed"},
         max_n,
         sizes,
         kTimedN},
        {"pairs",
         "keys of any type by their order words, with their values",
         {"pairs_uint32", "pairs_int32", "pairs_float32", "pairs_uint64"},
         max_n,
         sizes,
         kTimedN},
        {"by_index",
         "large records are moved once: sort (key, place) pairs, then gather",
         {"record_uint32"},
         max_n / 4,
         sizes,
         kTimedN / 2},
        {"onesweep",
         "one launch a digit: keys read once, written once; tiles look back",
         {"keys_uint32", "pairs_uint32", "pairs_int32", "pairs_float32", "pairs_uint64", "keys_uint64"},
         max_n,
         sizes,
         kTimedN},
    };
    lab.choose = choose;
    lab.settings = {{"begin", "the lowest bit of the order word that decides; default 0", 0, 63},
                    {"end", "the bit after the highest one that decides; default all", 1, 64}};
    lab.shape = shape;
    lab.generate = generate;
    lab.cpu = cpu;
    lab.input_text = [](const Instance& c) { return lab::count_of(c.n, is_record(c) ? "record" : "key"); };
    lab.output_text = output_text;
    return lab;
}
