// Lab 10's bindings: which of the student's functions a task and variant call. Trusted; in the runner only.
#include <stdexcept>

#include "harness/call.h"
#include "radix.h"

namespace {

using lab::Call;

[[noreturn]] void throw_unknown_variant(const Call& c) {
    throw std::invalid_argument("unknown variant " + c.variant());
}

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

void run_split_one_bit(Call& c) {
    split_one_bit(c.in<unsigned>(0), c.out<unsigned>(0), n_of(c), bits_of(c), c.workspace());
}

template <int R, class Key>
void run_digit_of(Call& c) {
    digit<R>(keys_in<Key>(c), keys_out<Key>(c), n_of(c), bits_of(c), c.workspace());
}

void run_digit(Call& c) {
    const std::string& v = c.variant();
    if (v == "r8_uint32") return run_digit_of<8, unsigned>(c);
    if (v == "r4_uint32") return run_digit_of<4, unsigned>(c);
    if (v == "r2_uint32") return run_digit_of<2, unsigned>(c);
    if (v == "r1_uint32") return run_digit_of<1, unsigned>(c);
    if (v == "r8_packed") return run_digit_of<8, unsigned long long>(c);
    throw_unknown_variant(c);
}

template <class Key>
void run_pairs_of(Call& c) {
    pairs(keys_in<Key>(c), c.in<unsigned>(1), keys_out<Key>(c), c.out<unsigned>(1), n_of(c), bits_of(c), c.workspace());
}

void run_pairs(Call& c) {
    const std::string& v = c.variant();
    if (v == "pairs_uint32") return run_pairs_of<unsigned>(c);
    if (v == "pairs_int32") return run_pairs_of<int>(c);
    if (v == "pairs_float32") return run_pairs_of<float>(c);
    if (v == "pairs_uint64") return run_pairs_of<unsigned long long>(c);
    throw_unknown_variant(c);
}

void run_by_index(Call& c) {
    by_index(reinterpret_cast<const Record*>(c.in<unsigned>(0)), reinterpret_cast<Record*>(c.out<unsigned>(0)), n_of(c),
             c.workspace());
}

template <class Key>
void run_onesweep_of(Call& c, bool with_values) {
    onesweep(keys_in<Key>(c), with_values ? c.in<unsigned>(1) : nullptr, keys_out<Key>(c),
             with_values ? c.out<unsigned>(1) : nullptr, n_of(c), bits_of(c), c.workspace());
}

void run_onesweep(Call& c) {
    const std::string& v = c.variant();
    if (v == "keys_uint32") return run_onesweep_of<unsigned>(c, false);
    if (v == "pairs_uint32") return run_onesweep_of<unsigned>(c, true);
    if (v == "pairs_int32") return run_onesweep_of<int>(c, true);
    if (v == "pairs_float32") return run_onesweep_of<float>(c, true);
    if (v == "keys_uint64") return run_onesweep_of<unsigned long long>(c, false);
    throw_unknown_variant(c);
}

}  // namespace

lab::Bindings radix_bindings() {
    return {{"split_one_bit", run_split_one_bit},
            {"digit", run_digit},
            {"pairs", run_pairs},
            {"by_index", run_by_index},
            {"onesweep", run_onesweep}};
}
