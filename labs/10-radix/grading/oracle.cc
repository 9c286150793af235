// Lab 10's answers. Trusted; host C++; never in the student's process.
#include "grading/problem.h"
#include "grading/sort.h"
#include "order.h"
#include "variants.h"

namespace {

using lab::Array;
using lab::Expected;
using lab::Instance;
using radix::kRecordWords;

// Element i of the output is element places[i] of the input, bit for bit.
template <class T>
Expected gathered(std::span<const T> in, const std::vector<std::uint32_t>& places) {
    Expected out;
    out.exact.reserve(places.size());
    for (const std::uint32_t place : places) out.exact.push_back(lab::bits_of(in[place]));
    return out;
}

std::vector<Expected> sorted_records(std::span<const std::uint32_t> in) {
    std::vector<std::uint32_t> keys;
    for (std::size_t i = 0; i < in.size(); i += kRecordWords) keys.push_back(in[i]);
    Expected out;
    out.exact.reserve(in.size());
    for (const std::size_t place : lab::sorted_places(std::move(keys))) {
        const auto record = in.subspan(place * kRecordWords, kRecordWords);
        out.exact.insert(out.exact.end(), record.begin(), record.end());
    }
    return lab::outputs(std::move(out));
}

}  // namespace

std::vector<Expected> radix_expect(const Instance& call, std::span<const Array> inputs) {
    const Array& keys = inputs[0];
    if (radix::variant_of(call).element == radix::Element::record) return sorted_records(keys.as<std::uint32_t>());
    const radix::Range range{static_cast<int>(call.scalar("begin")), static_cast<int>(call.scalar("end"))};
    std::vector<Expected> expected;
    lab::with_type(keys.spec.dtype, [&]<class Key>(Key) {
        if constexpr (radix::kIsKey<Key>) {
            const std::span<const Key> from = keys.as<Key>();
            std::vector<radix::Word<Key>> words;
            for (const Key key : from) words.push_back(range.of(key));
            const std::vector<std::uint32_t> places = lab::sorted_places(std::move(words));
            expected.push_back(gathered(from, places));
            if (inputs.size() > 1) expected.push_back(gathered<std::uint32_t>(inputs[1].as<std::uint32_t>(), places));
        }
    });
    return expected;
}
