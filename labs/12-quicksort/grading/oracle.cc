// Lab 12's answers. Trusted; host C++; never in the student's process.
#include "grading/problem.h"
#include "grading/sort.h"
#include "grading/sorted_pairs.h"
#include "variants.h"

namespace {

using lab::Array;
using lab::Expected;
using lab::Instance;

// Only one order is right, and it has every element of the input exactly once: a key lost and another one twice is
// wrong, though it ascends.
template <class T>
Expected integers(std::span<const T> in) {
    std::vector<T> keys(in.begin(), in.end());
    lab::sort_integers(keys);
    Expected expected;
    expected.exact.reserve(keys.size());
    for (T key : keys) expected.exact.push_back(lab::bits_of(key));
    return expected;
}

}  // namespace

std::vector<Expected> quicksort_expect(const Instance& call, std::span<const Array> inputs) {
    const quicksort::Variant& variant = quicksort::variant_of(call);
    const Array& in = inputs[0];
    if (variant.is_pairs()) return lab::outputs(lab::sorted_pairs(in.as<std::int32_t>()));
    if (variant.dtype == lab::DType::i64) return lab::outputs(integers<std::int64_t>(in.as<std::int64_t>()));
    return lab::outputs(integers<std::int32_t>(in.as<std::int32_t>()));
}
