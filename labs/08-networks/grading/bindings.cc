// Lab 8's bindings: which of the student's functions a task and variant call. Trusted; in the runner only.
#include "harness/call.h"
#include "networks.h"

namespace {

using lab::Call;

// Binds `task` to arrays of T, which are passed as arrays of Number: a pair is two numbers.
template <class T, class Number = T>
auto bind(void (*task)(const T*, T*, int, Workspace&)) {
    return [task](Call& c) {
        task(reinterpret_cast<const T*>(c.in<Number>(0)), reinterpret_cast<T*>(c.out<Number>(0)),
             static_cast<int>(c.n()), c.workspace());
    };
}

}  // namespace

lab::Bindings networks_bindings() {
    const auto run_odd_even = lab::by_variant({
        {"ascending_int32", bind(odd_even<Phases::all>)},
        {"early_exit_int32", bind(odd_even<Phases::until_sorted>)},
    });
    const auto run_bitonic_block = lab::by_variant({
        {"ascending_int32", bind(bitonic_block<Ascending<int>>)},
        {"descending_int32", bind(bitonic_block<Descending<int>>)},
    });
    const auto run_bitonic_global = lab::by_variant({
        {"ascending_int32", bind(bitonic_global<Ascending<int>>)},
        {"descending_int32", bind(bitonic_global<Descending<int>>)},
        {"ascending_float32", bind(bitonic_global<Ascending<float>>)},
        {"pairs_int32", bind<Pair, int>(bitonic_global<ByKey>)},
    });
    const auto run_bitonic_registers = lab::by_variant({
        {"ascending_int32", bind(bitonic_registers<Ascending<int>>)},
        {"descending_int32", bind(bitonic_registers<Descending<int>>)},
        {"ascending_int64", bind(bitonic_registers<Ascending<long long>>)},
        {"ascending_float32", bind(bitonic_registers<Ascending<float>>)},
        {"pairs_int32", bind<Pair, int>(bitonic_registers<ByKey>)},
    });
    return {{"four_inputs", bind(four_inputs)},
            {"odd_even", run_odd_even},
            {"bitonic_block", run_bitonic_block},
            {"bitonic_global", run_bitonic_global},
            {"bitonic_registers", run_bitonic_registers}};
}
