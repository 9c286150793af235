// Lab 4's answers. Trusted; host C++; never in the student's process.
#include "grading/problem.h"

namespace {

using lab::Array;
using lab::Expected;
using lab::Instance;

constexpr float kThreshold = 0.5f;  // as in bindings.cc

// Kept elements are copies: floats, too, are right to the last bit.
template <class T, class Keep>
std::vector<Expected> kept(std::span<const T> in, Keep keep) {
    Expected out, count;
    out.rest = Expected::Rest::untouched;
    std::uint64_t kept = 0;
    for (const T x : in) {
        if (!keep(x)) continue;
        ++kept;
        if constexpr (std::is_floating_point_v<T>)
            out.value.push_back(x);
        else
            out.exact.push_back(static_cast<std::uint64_t>(static_cast<std::int64_t>(x)));
    }
    out.tolerance.resize(out.value.size());
    count.exact = {kept};
    return {out, count};
}

}  // namespace

std::vector<Expected> compact_expect(const Instance& call, std::span<const Array> inputs) {
    const Array& in = inputs[0];
    const std::string& v = call.variant;
    if (v == "diamonds_uint8")
        return kept<std::uint8_t>(in.as<std::uint8_t>(), [](int x) { return 13 <= x && x < 26; });
    if (v == "above_float32") return kept<float>(in.as<float>(), [](float x) { return x > kThreshold; });
    if (v == "even_int64")
        return kept<std::int64_t>(in.as<std::int64_t>(), [](std::int64_t x) { return (x & 1) == 0; });
    if (v == "all_int32") return kept<std::int32_t>(in.as<std::int32_t>(), [](std::int32_t) { return true; });
    if (v == "none_int32") return kept<std::int32_t>(in.as<std::int32_t>(), [](std::int32_t) { return false; });
    return kept<std::int32_t>(in.as<std::int32_t>(), [](std::int32_t x) { return x > 0; });
}
