// Lab 7: the arrays of a call, and what they hold, from the seed.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "cases.h"

namespace spmv {
namespace {

using lab::ArraySpec;
using lab::DType;
using lab::Random;

// digits: 0.5 <= |v| < 1 with all the digits of a float, so that sums are rounded. whole: 1 to 3 or -1 to -3, so that
// sums are exact and a missing product always shows.
enum class Values { digits, whole };

Values values_of(const Instance& call) {
    const bool has_digits = is_usual(call) || call.n == kRepeatedN || call.seed % 3 == 0;
    return has_digits ? Values::digits : Values::whole;
}

float some_value(Values kind, Random& random) {
    const std::uint64_t bits = random.bits();
    const float sign = bits % 2 == 0 ? 1 : -1;
    if (kind == Values::whole) return sign * static_cast<float>(1 + bits / 2 % 3);
    return sign * static_cast<float>(0.5 + static_cast<double>(bits >> 41) * 0x1p-24);
}

void fill(std::span<float> values, const Instance& call, const char* stream) {
    Random random(call.seed, stream);
    const Values kind = values_of(call);
    for (float& value : values) value = some_value(kind, random);
}

void generate_values(const Instance& call, const Pattern& pattern, std::span<float> values) {
    if (work_of(call) == Work::pagerank) {
        std::vector<int> links(static_cast<std::size_t>(call.scalar("cols")));
        for (const std::int32_t page : pattern.col) ++links[page];
        for (std::size_t k = 0; k < values.size(); ++k) values[k] = 1.0f / static_cast<float>(links[pattern.col[k]]);
    } else if (kind_of(call) == Kind::laplacian && is_usual(call)) {
        for (std::int64_t r = 0; r < pattern.rows(); ++r)
            for (std::int64_t k = pattern.row_ptr[r]; k < pattern.row_ptr[r + 1]; ++k)
                values[k] = pattern.col[k] == r ? 4 : -1;
    } else {
        fill(values, call, "values");
    }
}

// Mostly zeros. The seed decides how many, and which rows are empty.
void generate_dense(const Instance& call, std::span<float> elements) {
    Random random(call.seed, "places"), values(call.seed, "values");
    const std::int64_t cols = std::max<std::int64_t>(call.scalar("cols"), 1);
    const std::uint64_t every =  // one element in so many is not 0
        is_usual(call) ? 8 : std::array<std::uint64_t, 5>{1, 2, 8, 8, 100}[random.below(5)];
    const bool is_empty = !is_usual(call) && random.one_in(10);
    const std::uint64_t full_rows = is_usual(call) ? 1000 : 1 + random.below(6);  // for each empty one, on average
    const Values kind = values_of(call);
    using Floats = std::numeric_limits<float>;
    constexpr std::array kTiny{Floats::denorm_min(), Floats::min(), 1e-7f};  // nearly 0 is not 0
    bool is_empty_row = false;
    for (std::size_t i = 0; i < elements.size(); ++i) {
        if (i % static_cast<std::size_t>(cols) == 0) is_empty_row = random.one_in(full_rows + 1);
        const bool is_kept = !is_empty && !is_empty_row && random.one_in(every);
        float value = some_value(kind, values);
        if (!is_usual(call) && values.one_in(16)) value = std::copysign(kTiny[values.below(kTiny.size())], value);
        elements[i] = is_kept ? value : std::copysign(0.0f, value);  // -0 counts as 0
    }
}

struct Place {
    std::int32_t row, col;
};

std::vector<Place> places_of(const Pattern& pattern) {
    std::vector<Place> places;
    places.reserve(pattern.col.size());
    for (std::int64_t r = 0; r < pattern.rows(); ++r)
        for (std::int64_t k = pattern.row_ptr[r]; k < pattern.row_ptr[r + 1]; ++k)
            places.push_back({static_cast<std::int32_t>(r), pattern.col[k]});
    return places;
}

// Shuffles the places (Fisher and Yates); some entries repeat the place of an earlier one instead. Each swap needs a
// place somewhere in memory. So the swaps of a batch are drawn first, and meanwhile the memory fetches their places.
void shuffle(std::vector<Place>& places, const Instance& call) {
    Random random(call.seed, "order");
    const std::uint64_t every =  // one entry in so many repeats a place
        is_usual(call) ? 16 : std::array<std::uint64_t, 4>{1, 2, 16, 1'000'000}[random.below(4)];
    const bool all_equal = !is_usual(call) && random.one_in(12);
    struct Draw {
        bool repeats;
        std::size_t other;  // the place that it repeats, or is swapped with
    };
    std::array<Draw, 256> draws;
    for (std::size_t first = 1; first < places.size(); first += draws.size()) {
        const std::size_t count = std::min(draws.size(), places.size() - first);
        for (std::size_t k = 0; k < count; ++k) {
            const std::size_t i = first + k;
            draws[k] = {true, 0};
            if (!all_equal) {
                draws[k].repeats = random.one_in(every);
                draws[k].other = random.below(draws[k].repeats ? i : i + 1);
            }
            __builtin_prefetch(&places[draws[k].other]);
        }
        for (std::size_t k = 0; k < count; ++k) {
            const auto [repeats, other] = draws[k];
            if (repeats)
                places[first + k] = places[other];
            else
                std::swap(places[first + k], places[other]);
        }
    }
}

void generate_entries(const Instance& call, std::span<const Array> inputs) {
    std::vector<Place> places = places_of(pattern_of(call));
    shuffle(places, call);
    const auto row = inputs[0].as<std::int32_t>(), col = inputs[1].as<std::int32_t>();
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = places[i].row, col[i] = places[i].col;
    fill(inputs[2].as<float>(), call, "values");
}

}  // namespace

// `bytes` counts every array once, but of x no more elements than there are nonzeros: the others need not be read.
lab::Shape shape(const Instance& call) {
    const auto size = [&](const char* name) { return static_cast<std::size_t>(call.scalar(name)); };
    const auto n = static_cast<std::size_t>(call.n), rows = size("rows"), cols = size("cols");
    const std::vector<ArraySpec> csr = {
        {"d_row_ptr", DType::i32, rows + 1}, {"d_cols", DType::i32, n}, {"d_values", DType::f32, n}};
    const auto csr_bytes = [=](double nonzeros) { return 4.0 * static_cast<double>(rows + 1) + 8 * nonzeros; };
    const double step_bytes = csr_bytes(static_cast<double>(n)) + 4.0 * static_cast<double>(std::min(cols, n) + rows);
    const double elements = static_cast<double>(n);
    switch (work_of(call)) {
        case Work::multiply:
            return {{csr[0], csr[1], csr[2], {"d_x", DType::f32, cols}}, {{"d_y", DType::f32, rows}}, step_bytes};
        case Work::pagerank:
            return {csr, {{"d_rank", DType::f32, rows}}, static_cast<double>(call.scalar("steps")) * step_bytes};
        case Work::from_dense:  // an eighth of usual elements is not 0
            return {{{"d_dense", DType::f32, n}}, csr, 4 * elements + csr_bytes(elements / 8)};
        case Work::from_coo:  // nearly all entries have a place of their own
            return {
                {{"d_entry_rows", DType::i32, n}, {"d_entry_cols", DType::i32, n}, {"d_entry_values", DType::f32, n}},
                csr,
                12 * elements + csr_bytes(elements)};
    }
    return {};
}

void generate_vector(const Instance& call, std::span<float> x) {
    const auto kind = static_cast<Vector>(call.scalar("x"));
    if (kind == Vector::random) return fill(x, call, "x");
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = kind == Vector::ones ? 1 : static_cast<float>(i + 1);
}

void generate(const Instance& call, std::span<const Array> inputs) {
    const Work work = work_of(call);
    if (work == Work::from_dense) return generate_dense(call, inputs[0].as<float>());
    if (work == Work::from_coo) return generate_entries(call, inputs);
    if (work == Work::multiply) generate_vector(call, inputs[3].as<float>());
    if (call.scalars.contains("from_file")) return;
    const Pattern pattern = pattern_of(call);
    const auto row_ptr = inputs[0].as<std::int32_t>();
    std::copy(pattern.row_ptr.begin(), pattern.row_ptr.end(), row_ptr.begin());
    std::fill(row_ptr.begin() + pattern.rows() + 1, row_ptr.end(), pattern.row_ptr.back());  // pages without links
    std::copy(pattern.col.begin(), pattern.col.end(), inputs[1].as<std::int32_t>().begin());
    generate_values(call, pattern, inputs[2].as<float>());
}

}  // namespace spmv
