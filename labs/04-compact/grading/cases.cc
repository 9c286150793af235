// Lab 4's tasks as data, and their inputs. Trusted; host C++; also in the runner, for --n without --input.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "grading/format.h"
#include "grading/problem.h"
#include "grading/random.h"
#include "variants.h"

namespace {

using compact::Keep;
using compact::kThreshold;
using compact::variant_of;
using lab::Array;
using lab::DType;
using lab::Instance;
using lab::Random;

constexpr std::int64_t kTimedN = 1 << 20;
constexpr int kDeck = 52, kSuit = 13;

// Which elements are kept, chosen by the seed. half: each with probability 1/2; some: each with a probability that the
// seed chooses; one: the first, the last or any.
enum class Kept { half, some, none, all, one, alternating, runs };
constexpr std::uint64_t kKinds = 7;

// Sizes that are timed keep half, as in published figures, so that times compare from seed to seed.
Kept kept_of(const Instance& call) {
    bool is_timed = call.n >= kTimedN && call.n % kTimedN == 0;
    return is_timed ? Kept::half : static_cast<Kept>(call.seed % kKinds);
}

// ---- Which elements are kept ----

class Choice {
  public:
    explicit Choice(const Instance& call)
        : kind_(kept_of(call)), random_(call.seed, "kept"), share_(random_.unit()), yes_(random_.one_in(2)) {
        const std::array<std::int64_t, 3> places = {0, call.n - 1, static_cast<std::int64_t>(random_.bits() >> 1)};
        if (call.n > 0) only_ = places[random_.below(3)] % call.n;
    }

    // The share of all elements that are kept, on average.
    double share() const {
        if (kind_ == Kept::some) return share_;
        if (kind_ == Kept::none || kind_ == Kept::one) return 0;
        return kind_ == Kept::all ? 1 : 0.5;
    }

    // Is element i kept? Call it for i = 0, 1, 2, ... in turn: each call takes random numbers.
    bool next(std::int64_t i) {
        switch (kind_) {
            case Kept::half:
                return random_.one_in(2);
            case Kept::some:
                return random_.unit() < share_;
            case Kept::none:
                return false;
            case Kept::all:
                return true;
            case Kept::one:
                return i == only_;
            case Kept::alternating:
                return (i % 2 == 0) == yes_;
            case Kept::runs:
                if (random_.one_in(50)) yes_ = !yes_;
                return yes_;
        }
        return false;
    }

  private:
    Kept kind_;
    Random random_;
    double share_;
    bool yes_;
    std::int64_t only_ = 0;
};

// Cards are dealt as shuffled decks, of which a quarter is kept, or drawn one by one if the kind says which are kept.
bool comes_in_decks(const Instance& call) {
    return variant_of(call).keep == Keep::diamonds && (kept_of(call) == Kept::half || kept_of(call) == Kept::some);
}

lab::Shape shape(const Instance& call) {
    auto count = static_cast<std::size_t>(call.n);
    const DType dtype = variant_of(call).dtype;
    const Keep keep = variant_of(call).keep;
    double share = comes_in_decks(call) ? 0.25 : Choice(call).share();
    if (keep == Keep::all) share = 1;
    if (keep == Keep::none) share = 0;
    lab::Shape shape;
    shape.inputs = {{"d_in", dtype, count}};
    shape.outputs = {{.name = "d_out", .dtype = dtype, .count = count, .length_in = "d_count"},
                     {"d_count", DType::i32, 1}};
    shape.bytes = (1 + share) * static_cast<double>(count * lab::size_of(dtype)) + sizeof(int);
    return shape;
}

// ---- A value that the predicate keeps, or one that it rejects: every 20th lies at an end of the range ----

std::int32_t positive(bool kept, Random& random) {
    if (random.one_in(20)) {
        const bool near_zero = random.one_in(2);
        return kept ? (near_zero ? 1 : INT32_MAX) : (near_zero ? 0 : INT32_MIN);
    }
    auto magnitude = static_cast<std::int32_t>(random.bits() >> 33);
    return kept ? std::max(magnitude, 1) : -magnitude;
}

float above(bool kept, Random& random) {
    constexpr auto kLimits = std::numeric_limits<float>();
    constexpr float kJustAbove = kThreshold + 0x1p-24f;  // exact: between -0.5 and -0.25, floats are 2^-25 apart
    if (random.one_in(20)) {
        const std::array<float, 3> kept_ends = {kJustAbove, -0.0f, kLimits.infinity()};
        const std::array<float, 3> rejected_ends = {kThreshold, -kLimits.infinity(), kLimits.quiet_NaN()};
        return (kept ? kept_ends : rejected_ends)[random.below(3)];
    }
    auto distance = static_cast<float>(random.unit());
    return kept ? kJustAbove + distance : kThreshold - distance;
}

std::int64_t even(bool kept, Random& random) {
    auto value = static_cast<std::int64_t>(random.bits());
    return kept ? value & ~std::int64_t{1} : value | 1;
}

std::uint8_t diamond(bool kept, Random& random) {
    if (kept) return static_cast<std::uint8_t>(kSuit + random.below(kSuit));
    auto other = static_cast<std::uint8_t>(random.below(kDeck - kSuit));
    return other < kSuit ? other : static_cast<std::uint8_t>(other + kSuit);
}

// Shuffled decks, one after the other (Fisher and Yates).
void deal(std::span<std::uint8_t> cards, Random& random) {
    for (std::size_t first = 0; first < cards.size(); first += kDeck) {
        std::array<std::uint8_t, kDeck> deck{};
        for (int i = 0; i < kDeck; ++i) {
            auto j = random.below(i + 1);
            deck[i] = deck[j];
            deck[j] = static_cast<std::uint8_t>(i);
        }
        std::copy_n(deck.begin(), std::min<std::size_t>(kDeck, cards.size() - first), cards.begin() + first);
    }
}

void generate(const Instance& call, std::span<const Array> inputs) {
    const Array& in = inputs[0];
    Choice choice(call);
    Random random(call.seed, "values");
    auto fill = [&](auto values, auto value) {
        for (std::int64_t i = 0; i < call.n; ++i) values[i] = value(choice.next(i), random);
    };
    if (comes_in_decks(call)) return deal(in.as<std::uint8_t>(), random);
    switch (variant_of(call).keep) {
        case Keep::diamonds:
            return fill(in.as<std::uint8_t>(), diamond);
        case Keep::above:
            return fill(in.as<float>(), above);
        case Keep::even:
            return fill(in.as<std::int64_t>(), even);
        case Keep::positive:
        case Keep::all:
        case Keep::none:
            return fill(in.as<std::int32_t>(), positive);
    }
}

// ---- A plain CPU version, for --cpu ----

void cpu(const Instance& call, std::span<const Array> inputs, std::span<const Array> outputs) {
    const Array &in = inputs[0], &out = outputs[0];
    auto compact = [&]<class T>(std::span<T> from, auto keep) {
        std::span<T> to = out.as<T>();
        std::int32_t count = 0;
        for (T x : from) {
            if (keep(x)) to[count++] = x;
        }
        outputs[1].as<std::int32_t>()[0] = count;
    };
    switch (variant_of(call).keep) {
        case Keep::positive:
            return compact(in.as<std::int32_t>(), [](std::int32_t x) { return x > 0; });
        case Keep::diamonds:
            return compact(in.as<std::uint8_t>(), [](int card) { return card / kSuit == 1; });
        case Keep::above:
            return compact(in.as<float>(), [](float x) { return x > kThreshold; });
        case Keep::even:
            return compact(in.as<std::int64_t>(), [](std::int64_t x) { return x % 2 == 0; });
        case Keep::all:
            return compact(in.as<std::int32_t>(), [](std::int32_t) { return true; });
        case Keep::none:
            return compact(in.as<std::int32_t>(), [](std::int32_t) { return false; });
    }
}

std::string output_text(const Instance& call, std::span<const Array>, std::span<const Array> outputs) {
    std::int64_t count = outputs[1].as<std::int32_t>()[0];
    return lab::count_of(count, variant_of(call).keep == Keep::diamonds ? "diamond" : "element") + " kept";
}

}  // namespace

lab::Lab compact_lab() {
    // 52 is a deck; the others are the edges of warps and blocks, and sizes with many tiles. The largest has 1025 tiles
    // of 1024 and one more element: a single block cannot scan their counts with a thread for each.
    const std::vector<std::int64_t> sizes = {0,    1,    31,   32,    33,    52,    255,       256,      257,
                                             1023, 1024, 1025, 65535, 65536, 65537, 1'000'003, 1'049'601};
    const std::int64_t max_n = std::int64_t{1} << 26;
    lab::Lab lab;
    lab.number = 4;
    lab.name = "compact";
    lab.title = "Compact";
    lab.tasks = {
        {"three_kernels",
         "ask every element, scan the answers, move what is kept",
         {"positive_int32", "diamonds_uint8", "above_float32"},
         max_n,
         sizes,
         kTimedN},
        {"fused",
         "answers and places stay in the block; only one count a tile goes through memory",
         {"positive_int32", "diamonds_uint8", "above_float32"},
         max_n,
         sizes,
         kTimedN},
        {"warp_ballot",
         "a warp counts by votes: no shared memory, no barrier",
         {"positive_int32", "diamonds_uint8", "above_float32", "all_int32", "none_int32"},
         max_n,
         sizes,
         kTimedN},
        {"look_back", "one launch: each element read once; tiles look back at the counts of earlier ones",
         lab::names_of(compact::kVariants), max_n, sizes, kTimedN},
    };
    lab.shape = shape;
    lab.generate = generate;
    lab.cpu = cpu;
    lab.output_text = output_text;
    return lab;
}
