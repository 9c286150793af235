// Lab 10's bindings: which of the student's functions a task and variant call. Trusted; in the runner only.
#include "harness/call.h"
#include "radix.h"

namespace {

using lab::Call;

int n_of(const Call& c) { return static_cast<int>(c.n()); }

Bits bits_of(const Call& c) { return {static_cast<int>(c.scalar("begin")), static_cast<int>(c.scalar("end"))}; }

// unsigned long long and std::uint64_t are two types of the same size and sign.
template <class Key>
const Key* keys_in(const Call& c) {
    if constexpr (sizeof(Key) == 8)
        return reinterpret_cast<const Key*>(c.in<std::uint64_t>(0));
    else
        return c.in<Key>(0);
}

template <class Key>
Key* keys_out(const Call& c) {
    if constexpr (sizeof(Key) == 8)
        return reinterpret_cast<Key*>(c.out<std::uint64_t>(0));
    else
        return c.out<Key>(0);
}

// Keys only.
template <class Key>
auto bind(void (*task)(const Key*, Key*, int, Bits, Workspace&)) {
    return [task](Call& c) { task(keys_in<Key>(c), keys_out<Key>(c), n_of(c), bits_of(c), c.workspace()); };
}

// Keys with values, or with null pointers in their place.
template <class Key>
auto bind(void (*task)(const Key*, const unsigned*, Key*, unsigned*, int, Bits, Workspace&), bool has_values = true) {
    return [=](Call& c) {
        task(keys_in<Key>(c), has_values ? c.in<unsigned>(1) : nullptr, keys_out<Key>(c),
             has_values ? c.out<unsigned>(1) : nullptr, n_of(c), bits_of(c), c.workspace());
    };
}

void run_by_index(Call& c) {
    by_index(reinterpret_cast<const Record*>(c.in<unsigned>(0)), reinterpret_cast<Record*>(c.out<unsigned>(0)), n_of(c),
             c.workspace());
}

}  // namespace

lab::Bindings radix_bindings() {
    const auto run_digit = lab::by_variant({
        {"r8_uint32", bind(digit<8, unsigned>)},
        {"r4_uint32", bind(digit<4, unsigned>)},
        {"r2_uint32", bind(digit<2, unsigned>)},
        {"r1_uint32", bind(digit<1, unsigned>)},
        {"r8_packed", bind(digit<8, unsigned long long>)},
    });
    const auto run_pairs = lab::by_variant({
        {"pairs_uint32", bind(pairs<unsigned>)},
        {"pairs_int32", bind(pairs<int>)},
        {"pairs_float32", bind(pairs<float>)},
        {"pairs_uint64", bind(pairs<unsigned long long>)},
    });
    const auto run_onesweep = lab::by_variant({
        {"keys_uint32", bind(onesweep<unsigned>, false)},
        {"pairs_uint32", bind(onesweep<unsigned>)},
        {"pairs_int32", bind(onesweep<int>)},
        {"pairs_float32", bind(onesweep<float>)},
        {"pairs_uint64", bind(onesweep<unsigned long long>)},
        {"keys_uint64", bind(onesweep<unsigned long long>, false)},
    });
    return {{"split_one_bit", bind(split_one_bit)},
            {"digit", run_digit},
            {"pairs", run_pairs},
            {"by_index", run_by_index},
            {"onesweep", run_onesweep}};
}
