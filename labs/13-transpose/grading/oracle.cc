// Lab 13's answers. Trusted; host C++; never in the student's process. Every element is exact: a copy, or a sum modulo
// 2^32.
#include <cstdint>
#include <vector>

#include "grading/problem.h"
#include "variants.h"

namespace {

using lab::Array;
using lab::Expected;
using lab::Instance;
using transpose::Form;

// Place of the output -> place of the input, both in words.
template <class Source>
Expected copied(const Array& in, Source source) {
    Expected out;
    lab::with_type(in.spec.dtype, [&](auto zero) {
        using T = decltype(zero);
        const auto words = in.as<T>();
        for (std::size_t i = 0; i < words.size(); ++i) out.exact.push_back(lab::bits_of(words[source(i)]));
    });
    return out;
}

// Each sum is that of its column down to the row above, and of its row up to here.
Expected sums(std::span<const std::uint8_t> in, std::size_t columns) {
    Expected out;
    std::vector<std::uint32_t> of_column(columns, 0);
    for (std::size_t first = 0; first < in.size(); first += columns) {
        std::uint32_t sum = 0;
        for (std::size_t c = 0; c < columns; ++c) {
            of_column[c] += in[first + c];
            sum += of_column[c];
            out.exact.push_back(sum);
        }
    }
    return out;
}

}  // namespace

std::vector<Expected> transpose_expect(const Instance& call, std::span<const Array> inputs) {
    const transpose::Variant& variant = transpose::variant_of(call);
    const auto n = static_cast<std::size_t>(call.n);
    const std::size_t words = variant.words;
    if (variant.form == Form::structures)
        return lab::outputs(copied(inputs[0], [=](std::size_t i) { return i % n * words + i / n; }));
    if (variant.form == Form::arrays)
        return lab::outputs(copied(inputs[0], [=](std::size_t i) { return i % words * n + i / words; }));
    const auto rows = static_cast<std::size_t>(call.scalar("rows"));
    const auto columns = static_cast<std::size_t>(call.scalar("columns"));
    if (transpose::is_sum(call)) return lab::outputs(sums(inputs[0].as<std::uint8_t>(), columns));
    return lab::outputs(copied(inputs[0], [=](std::size_t i) {
        const std::size_t place = i / words, c = place / rows, r = place % rows;
        return (r * columns + c) * words + i % words;
    }));
}
