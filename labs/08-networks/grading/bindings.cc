// Lab 8's bindings: which of the student's functions a task and variant call. Trusted; in the runner only.
#include <stdexcept>

#include "harness/call.h"
#include "networks.h"

namespace {

using lab::Call;

// Calls `task` with arrays of T, which lie there as arrays of Number: a pair is two numbers.
template <class T, class Number = T>
void run(Call& c, void (*task)(const T*, T*, int, Workspace&)) {
    task(reinterpret_cast<const T*>(c.in<Number>(0)), reinterpret_cast<T*>(c.out<Number>(0)), static_cast<int>(c.n()),
         c.workspace());
}

[[noreturn]] void throw_unknown_variant(const Call& c) {
    throw std::invalid_argument("unknown variant " + c.variant());
}

void run_odd_even(Call& c) {
    const std::string& v = c.variant();
    if (v == "ascending_int32") return run<int>(c, odd_even<Phases::all>);
    if (v == "early_exit_int32") return run<int>(c, odd_even<Phases::until_sorted>);
    throw_unknown_variant(c);
}

void run_bitonic_block(Call& c) {
    const std::string& v = c.variant();
    if (v == "ascending_int32") return run<int>(c, bitonic_block<Ascending<int>>);
    if (v == "descending_int32") return run<int>(c, bitonic_block<Descending<int>>);
    throw_unknown_variant(c);
}

void run_bitonic_global(Call& c) {
    const std::string& v = c.variant();
    if (v == "ascending_int32") return run<int>(c, bitonic_global<Ascending<int>>);
    if (v == "descending_int32") return run<int>(c, bitonic_global<Descending<int>>);
    if (v == "ascending_float32") return run<float>(c, bitonic_global<Ascending<float>>);
    if (v == "pairs_int32") return run<Pair, int>(c, bitonic_global<ByKey>);
    throw_unknown_variant(c);
}

void run_bitonic_registers(Call& c) {
    const std::string& v = c.variant();
    if (v == "ascending_int32") return run<int>(c, bitonic_registers<Ascending<int>>);
    if (v == "descending_int32") return run<int>(c, bitonic_registers<Descending<int>>);
    if (v == "ascending_int64") return run<long long>(c, bitonic_registers<Ascending<long long>>);
    if (v == "ascending_float32") return run<float>(c, bitonic_registers<Ascending<float>>);
    if (v == "pairs_int32") return run<Pair, int>(c, bitonic_registers<ByKey>);
    throw_unknown_variant(c);
}

}  // namespace

lab::Bindings networks_bindings() {
    return {
        {"four_inputs", [](Call& c) { run<int>(c, four_inputs); }},
        {"odd_even", run_odd_even},
        {"bitonic_block", run_bitonic_block},
        {"bitonic_global", run_bitonic_global},
        {"bitonic_registers", run_bitonic_registers},
    };
}
