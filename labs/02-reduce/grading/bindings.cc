// Lab 2's bindings: which of the student's functions a task and variant call. Trusted; in the runner only.
#include <stdexcept>

#include "harness/call.h"
#include "reduce.h"

namespace {

using lab::Call;

template <class T, class Result>
void run(Call& c, void (*task)(const T*, Result*, int, Workspace&)) {
    task(c.in<T>(0), c.out<Result>(0), static_cast<int>(c.n()), c.workspace());
}

[[noreturn]] void throw_unknown_variant(const Call& c) {
    throw std::invalid_argument("unknown variant " + c.variant());
}

void run_grid_stride(Call& c) {
    const std::string& v = c.variant();
    if (v == "sum_int32") return run(c, grid_stride<Sum<long long>, int>);
    if (v == "max_int32") return run(c, grid_stride<Max<int>, int>);
    if (v == "min_int32") return run(c, grid_stride<Min<int>, int>);
    if (v == "sum_float32") return run(c, grid_stride<Sum<float>, float>);
    if (v == "max_float32") return run(c, grid_stride<Max<float>, float>);
    if (v == "min_float32") return run(c, grid_stride<Min<float>, float>);
    throw_unknown_variant(c);
}

void run_warp_shuffle(Call& c) {
    const std::string& v = c.variant();
    if (v == "sum_int32") return run(c, warp_shuffle<Sum<long long>, int>);
    if (v == "max_int32") return run(c, warp_shuffle<Max<int>, int>);
    if (v == "min_int32") return run(c, warp_shuffle<Min<int>, int>);
    if (v == "sum_float32") return run(c, warp_shuffle<Sum<float>, float>);
    if (v == "max_float32") return run(c, warp_shuffle<Max<float>, float>);
    if (v == "min_float32") return run(c, warp_shuffle<Min<float>, float>);
    throw_unknown_variant(c);
}

void run_vectorized(Call& c) {
    const std::string& v = c.variant();
    if (v == "sum_int32") return run(c, vectorized<Sum<long long>, int>);
    if (v == "max_int32") return run(c, vectorized<Max<int>, int>);
    if (v == "min_int32") return run(c, vectorized<Min<int>, int>);
    if (v == "sum_float32") return run(c, vectorized<Sum<float>, float>);
    if (v == "max_float32") return run(c, vectorized<Max<float>, float>);
    if (v == "min_float32") return run(c, vectorized<Min<float>, float>);
    throw_unknown_variant(c);
}

}  // namespace

lab::Bindings reduce_bindings() {
    return {
        {"global_memory", [](Call& c) { run(c, global_memory); }},
        {"interleaved", [](Call& c) { run(c, interleaved); }},
        {"sequential", [](Call& c) { run(c, sequential); }},
        {"grid_stride", run_grid_stride},
        {"warp_shuffle", run_warp_shuffle},
        {"vectorized", run_vectorized},
    };
}
