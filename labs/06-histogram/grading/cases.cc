// Lab 6's tasks as data, their inputs, and pictures in files. Trusted; host C++; also in the runner, for --n without
// --input.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "grading/files.h"
#include "grading/format.h"
#include "grading/image.h"
#include "grading/problem.h"
#include "grading/random.h"
#include "variants.h"

namespace {

using histogram::Bins;
using histogram::Variant;
using histogram::variant_of;
using lab::Array;
using lab::DType;
using lab::Instance;
using lab::Random;

constexpr std::int64_t kTimedN = 1 << 20;
// At this size most values are equal, and most bins are used: a block's counters need more than 16 bits.
constexpr std::int64_t kCrowdedN = 1'000'003;
constexpr std::int64_t kMostBins = 8192, kMostPrivateBins = 256;  // as in histogram.h

bool is_image(const Instance& call) { return variant_of(call).bins == Bins::levels; }

// The usual input: for a person who names no seed, and for timed sizes, so that times of different seeds compare.
bool is_usual(const Instance& call) { return call.seed == 0 || call.n >= kTimedN; }

// ---- Which bins ----

std::int64_t most_bins(const Instance& call) {
    return is_image(call) || call.task.starts_with("thread_local") ? kMostPrivateBins : kMostBins;
}

std::int64_t some_bins(const Instance& call, Random& random) {
    if (is_usual(call) || is_image(call)) return 256;
    constexpr std::array counts{1, 2, 3, 31, 32, 33, 255, 256, 257, 1000, 1024, 4096, 8191, 8192};
    if (call.n == kCrowdedN) return most_bins(call);
    const auto* const end = std::upper_bound(counts.begin(), counts.end(), most_bins(call));
    return counts[random.below(static_cast<std::uint64_t>(end - counts.begin()))];
}

struct Range {
    std::int64_t low, high;
};

Range some_range(const Instance& call, Random& random) {
    constexpr std::array ranges{Range{0, 1000}, Range{-7, 3}, Range{5, 6}, Range{-1'000'000, 1 << 24},
                                Range{INT32_MIN, INT32_MAX}};
    return is_usual(call) ? ranges[0] : ranges[random.below(ranges.size())];
}

void choose(Instance& call) {
    Random random(call.seed, "scalars");
    const auto bins = call.fill_in("bins", some_bins(call, random));
    if (is_image(call)) {
        if (bins != 256)
            throw std::invalid_argument("an image has 256 bins, one for each level; --bins is for numbers");
        call.fill_in("width", call.n % 1024 == 0 ? 1024 : call.n);  // 2^20 pixels are 1024 x 1024
    }
    if (bins > most_bins(call))
        throw std::invalid_argument("task " + call.task + " takes up to " + lab::with_commas(most_bins(call)) +
                                    " bins, not " + lab::with_commas(bins));
    if (variant_of(call).bins != Bins::uniform) return;
    const Range range = some_range(call, random);
    const auto low = call.fill_in("low", range.low);
    const auto high = call.fill_in("high", range.high);
    if (low >= high || !(static_cast<float>(low) < static_cast<float>(high)))
        throw std::invalid_argument("--low " + std::to_string(low) + " is not below --high " + std::to_string(high));
}

lab::Shape shape(const Instance& call) {
    const auto n = static_cast<std::size_t>(call.n), counters = static_cast<std::size_t>(call.scalar("bins")) + 1;
    const Variant& variant = variant_of(call);
    lab::Shape shape;
    shape.inputs = {{"d_in", variant.dtype, n}};
    if (variant.bins == Bins::edges) shape.inputs.push_back({"d_edges", DType::f32, counters});
    shape.outputs = {{"d_counts", DType::u32, counters}};
    shape.move_each_array_once();
    return shape;
}

// ---- Inputs ----

// What the values look like, chosen by the seed.
enum class Values { usual, borders, equal, crowded, outside };

Values values_of(const Instance& call) {
    if (is_usual(call)) return Values::usual;
    return call.n == kCrowdedN ? Values::crowded : static_cast<Values>(call.seed % 5);
}

// A photo at night: a tenth of it is one nearly black level with a star here and there, the rest brightens row by row,
// with some noise. Neighbours look alike, which is what makes pictures hard to count.
std::uint8_t photo(std::int64_t i, std::int64_t n, Random& random) {
    const std::int64_t row = i * 100 / n;
    if (row < 10) return static_cast<std::uint8_t>(random.one_in(100) ? random.between(4, 255) : 3);
    return static_cast<std::uint8_t>(20 + 2 * row + random.between(0, 15) + random.between(0, 15));
}

void generate_image(const Instance& call, std::span<std::uint8_t> levels) {
    Random random(call.seed, "values");
    const auto equal = static_cast<std::uint8_t>(random.bits());
    for (std::int64_t i = 0; i < call.n; ++i) {
        switch (values_of(call)) {
            case Values::usual:
                levels[i] = photo(i, call.n, random);
                break;
            case Values::borders:
                levels[i] = random.one_in(2) ? 0 : 255;
                break;
            case Values::equal:
                levels[i] = equal;
                break;
            case Values::crowded:
                levels[i] = random.one_in(8) ? static_cast<std::uint8_t>(random.bits()) : equal;
                break;
            case Values::outside:  // there is nothing outside: every level in turn
                levels[i] = static_cast<std::uint8_t>(i);
                break;
        }
    }
}

// A value of bins from low to high whose border b is border(b), b = 0 .. bins; `below` gives the next smaller value.
template <class T, class Border, class Below>
T some_value(Values kind, T equal, std::int64_t bins, Random& random, Border border, Below below) {
    const auto inside = [&] {
        const auto low = static_cast<double>(border(0)), high = static_cast<double>(border(bins));
        return std::max(border(0), std::min(static_cast<T>(low + (high - low) * random.unit()), below(border(bins))));
    };
    const auto around = [&](std::int64_t b) { return random.one_in(2) ? border(b) : below(border(b)); };
    switch (kind) {
        case Values::usual:
            return random.one_in(16) ? around(random.between(0, bins)) : inside();
        case Values::borders:
            return around(random.between(0, bins));
        case Values::equal:
            return equal;
        case Values::crowded:
            return random.one_in(8) ? inside() : equal;
        case Values::outside:
            return random.one_in(2) ? below(border(0)) : border(bins);
    }
    return equal;
}

void generate_ints(const Instance& call, std::span<std::int32_t> values) {
    Random random(call.seed, "values");
    const std::int64_t low = call.scalar("low"), high = call.scalar("high"), bins = call.scalar("bins");
    const auto border = [&](std::int64_t b) {  // the first value of bin b
        return static_cast<std::int32_t>(low + ((high - low) * b + bins - 1) / bins);
    };
    const auto below = [](std::int32_t value) { return value == INT32_MIN ? value : value - 1; };
    const auto equal = static_cast<std::int32_t>(random.between(low, high - 1));
    for (std::int32_t& value : values) value = some_value(values_of(call), equal, bins, random, border, below);
}

// Some of what floats can be, besides numbers.
float odd_float(Random& random) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    constexpr std::array odd{
        std::numeric_limits<float>::quiet_NaN(), infinity, -infinity, -0.0f, std::numeric_limits<float>::denorm_min(),
        std::numeric_limits<float>::max()};
    return odd[random.below(odd.size())];
}

// `edges` is empty where bins are equally wide.
void generate_floats(const Instance& call, std::span<float> values, std::span<const float> edges) {
    Random random(call.seed, "values"), places(call.seed, "odd");
    const std::int64_t bins = call.scalar("bins");
    const auto border = [&](std::int64_t b) {
        if (!edges.empty()) return std::clamp(edges[b], -1e6f, 1e6f);  // of infinite bins a finite part
        const auto low = static_cast<double>(call.scalar("low")), high = static_cast<double>(call.scalar("high"));
        return static_cast<float>(low + (high - low) * static_cast<double>(b) / static_cast<double>(bins));
    };
    const auto below = [](float value) { return std::nextafter(value, -INFINITY); };
    const float equal = random.one_in(8) ? odd_float(random) : border(random.between(0, bins));
    const bool has_odd = call.seed % 2 == 1;
    for (float& value : values) {
        value = some_value(values_of(call), equal, bins, random, border, below);
        if (has_odd && places.one_in(16)) value = odd_float(places);
    }
}

// Ascending, with equal ones among them, and in some calls infinite ends: bins that catch all the rest.
void generate_edges(const Instance& call, std::span<float> edges) {
    Random random(call.seed, "edges");
    const bool is_fine = random.one_in(2);  // else multiples of 1/4, and many empty bins
    for (float& edge : edges)
        edge = is_fine ? static_cast<float>(2000 * random.unit() - 1000)
                       : static_cast<float>(random.between(-400, 400)) / 4;
    std::sort(edges.begin(), edges.end());
    if (!is_usual(call) && random.one_in(3)) edges.front() = -INFINITY, edges.back() = INFINITY;
}

void generate(const Instance& call, std::span<const Array> inputs) {
    const Variant& variant = variant_of(call);
    if (variant.bins == Bins::levels) return generate_image(call, inputs[0].as<std::uint8_t>());
    if (variant.dtype == DType::i32) return generate_ints(call, inputs[0].as<std::int32_t>());
    std::span<float> edges;
    if (variant.bins == Bins::edges) {
        edges = inputs[1].as<float>();
        generate_edges(call, edges);
    }
    generate_floats(call, inputs[0].as<float>(), edges);
}

// ---- A plain CPU version, for --cpu ----

template <class T, class Bin>
void count_on_cpu(std::span<const T> values, std::span<std::uint32_t> counts, Bin bin) {
    std::fill(counts.begin(), counts.end(), 0);
    for (const T value : values) ++counts[bin(value)];
}

void cpu(const Instance& call, std::span<const Array> inputs, std::span<const Array> outputs) {
    const auto counts = outputs[0].as<std::uint32_t>();
    const std::size_t bins = counts.size() - 1;
    const Variant& variant = variant_of(call);
    if (variant.bins == Bins::levels) {
        count_on_cpu<std::uint8_t>(inputs[0].as<std::uint8_t>(), counts, [](std::uint8_t level) { return level; });
    } else if (variant.dtype == DType::i32) {
        const std::int64_t low = call.scalar("low"), high = call.scalar("high");
        count_on_cpu<std::int32_t>(inputs[0].as<std::int32_t>(), counts, [&](std::int64_t value) {
            return value < low || value >= high ? bins : static_cast<std::size_t>(value - low) * bins / (high - low);
        });
    } else if (variant.bins == Bins::uniform) {
        const auto low = static_cast<float>(call.scalar("low")), high = static_cast<float>(call.scalar("high"));
        const float bins_per_unit = static_cast<float>(bins) / (high - low);
        count_on_cpu<float>(inputs[0].as<float>(), counts, [&](float value) {
            if (!(value >= low && value < high)) return bins;
            return std::min(static_cast<std::size_t>((value - low) * bins_per_unit), bins - 1);
        });
    } else {
        const auto edges = inputs[1].as<float>();
        count_on_cpu<float>(inputs[0].as<float>(), counts, [&](float value) {
            if (!(value >= edges.front() && value < edges.back())) return bins;
            return static_cast<std::size_t>(std::upper_bound(edges.begin(), edges.end(), value) - edges.begin()) - 1;
        });
    }
}

// ---- Pictures ----

lab::Problem read_picture(const Instance& asked, const std::string& path) {
    if (!is_image(asked))
        throw lab::FileError(path, "a picture is for the variant levels_uint8; numbers come in .npy, .bin or .raw");
    const lab::Image image = lab::to_grey(lab::read_image(path));
    lab::Problem problem{asked, {lab::bytes_of(image.pixels)}};
    problem.instance.n = static_cast<std::int64_t>(image.pixels.size());
    problem.instance.scalars["width"] = static_cast<std::int64_t>(image.width);
    return problem;
}

// Histogram equalisation: level v becomes the share of pixels that are not brighter, stretched to 0..255, so that dark
// and bright levels become equally frequent (Gonzalez and Woods, "Digital Image Processing", section 3.3).
std::array<std::uint8_t, 256> equalising_levels(std::span<const std::uint32_t> counts) {
    std::array<std::uint64_t, 256> up_to{};  // an inclusive scan
    std::partial_sum(counts.begin(), counts.begin() + 256, up_to.begin(),
                     [](std::uint64_t a, std::uint64_t b) { return a + b; });
    const std::uint64_t darkest = *std::find_if(up_to.begin(), up_to.end(), [](auto count) { return count > 0; });
    const std::uint64_t rest = std::max<std::uint64_t>(up_to.back() - darkest, 1);
    std::array<std::uint8_t, 256> levels{};
    for (int v = 0; v < 256; ++v)
        levels[v] = static_cast<std::uint8_t>(up_to[v] <= darkest ? 0 : ((up_to[v] - darkest) * 255 + rest / 2) / rest);
    return levels;
}

void write_picture(const Instance& call, std::span<const Array> inputs, std::span<const Array> outputs,
                   const std::string& path) {
    if (!is_image(call)) throw lab::FileError(path, "the counts of numbers go to .npy, .bin or .raw");
    const auto counts = outputs[0].as<std::uint32_t>();
    if (call.n == 0 || std::accumulate(counts.begin(), counts.end(), std::int64_t{0}) != call.n)
        throw lab::FileError(path, "not written: the counts do not add up to the picture's pixels");
    const auto levels = equalising_levels(counts);
    lab::Image image;
    image.width = static_cast<std::size_t>(call.scalar("width"));
    image.height = static_cast<std::size_t>(call.n) / image.width;
    for (const std::uint8_t level : inputs[0].as<std::uint8_t>()) image.pixels.push_back(levels[level]);
    lab::write_image(path, image);
}

// "| ▂▅█▃| 0 outside": up to 32 columns, each for as many bins.
std::string output_text(const Instance&, std::span<const Array>, std::span<const Array> outputs) {
    const auto counts = outputs[0].as<std::uint32_t>();
    const std::size_t bins = counts.size() - 1, columns = std::min<std::size_t>(bins, 32);
    constexpr std::array<const char*, 9> bars{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    std::vector<std::uint64_t> sums(columns);
    for (std::size_t b = 0; b < bins; ++b) sums[b * columns / bins] += counts[b];
    const std::uint64_t most = std::max<std::uint64_t>(*std::max_element(sums.begin(), sums.end()), 1);
    std::string text = "|";
    for (const std::uint64_t sum : sums) text += bars[(sum * 8 + most - 1) / most];
    return text + "| " + lab::with_commas(counts[bins]) + " outside";
}

std::string input_text(const Instance& call) {
    const std::string bins = ", " + lab::count_of(static_cast<std::uint64_t>(call.scalar("bins")), "bin");
    if (is_image(call)) {
        const std::int64_t width = std::max<std::int64_t>(call.scalar("width"), 1);
        return lab::with_commas(width) + " x " + lab::with_commas(call.n / width) + " pixels" + bins;
    }
    return lab::with_commas(call.n) + " " + lab::name_of(variant_of(call).dtype) + bins;
}

}  // namespace

lab::Lab histogram_lab() {
    // The last one is more than 1024 blocks of 1024 threads.
    const std::vector<std::int64_t> sizes = {0,    1,    31,   32,    33,    255,   256,       257,
                                             1023, 1024, 1025, 65535, 65536, 65537, kCrowdedN, 1'049'601};
    const std::vector<std::string> all = lab::names_of(histogram::kVariants);
    const std::vector<std::string> few = {"levels_uint8", "uniform_float32"};
    const std::int64_t max_n = std::int64_t{1} << 30;
    lab::Lab lab;
    lab.number = 6;
    lab.name = "histogram";
    lab.title = "Histogram";
    lab.tasks = {
        {"global_atomics", "a thread for each value, an atomic on its counter in global memory", all, max_n, sizes,
         kTimedN},
        {"thread_local_atomics", "each thread counts its share in bins of its own, then adds these by atomics", few,
         max_n, sizes, kTimedN},
        {"thread_local_reduce", "the 32 threads of a warp add up their bins first, by a butterfly of shuffles", few,
         max_n, sizes, kTimedN},
        {"shared_atomics", "one histogram a block, counted by atomics in shared memory", all, max_n, sizes, kTimedN},
        {"replicated", "up to 32 copies of it: a lane has its own, and a bank of its own", all, max_n, sizes, kTimedN},
    };
    lab.choose = choose;
    lab.shape = shape;
    lab.generate = generate;
    lab.cpu = cpu;
    lab.settings = {{"bins", "how many bins the numbers fall into; default 256", 1, kMostBins},
                    {"low", "where the first of equally wide bins begins; default 0", INT32_MIN, INT32_MAX},
                    {"high", "where the last of them ends; default 1000", INT32_MIN, INT32_MAX}};
    lab.files = {"a picture: PGM, PPM or PNG; written, it is equalised", read_picture, write_picture};
    lab.input_text = input_text;
    lab.output_text = output_text;
    return lab;
}
