// Lab 2's bindings: which of the student's functions a task and variant call. Trusted; in the runner only.
#include "harness/call.h"
#include "reduce.h"

namespace {

using lab::Call;

template <class T, class Result>
auto bind(void (*task)(const T*, Result*, int, Workspace&)) {
    return [task](Call& c) { task(c.in<T>(0), c.out<Result>(0), static_cast<int>(c.n()), c.workspace()); };
}

}  // namespace

lab::Bindings reduce_bindings() {
    const auto run_grid_stride = lab::by_variant({
        {"sum_int32", bind(grid_stride<Sum<long long>, int>)},
        {"max_int32", bind(grid_stride<Max<int>, int>)},
        {"min_int32", bind(grid_stride<Min<int>, int>)},
        {"sum_float32", bind(grid_stride<Sum<float>, float>)},
        {"max_float32", bind(grid_stride<Max<float>, float>)},
        {"min_float32", bind(grid_stride<Min<float>, float>)},
    });
    const auto run_warp_shuffle = lab::by_variant({
        {"sum_int32", bind(warp_shuffle<Sum<long long>, int>)},
        {"max_int32", bind(warp_shuffle<Max<int>, int>)},
        {"min_int32", bind(warp_shuffle<Min<int>, int>)},
        {"sum_float32", bind(warp_shuffle<Sum<float>, float>)},
        {"max_float32", bind(warp_shuffle<Max<float>, float>)},
        {"min_float32", bind(warp_shuffle<Min<float>, float>)},
    });
    const auto run_vectorized = lab::by_variant({
        {"sum_int32", bind(vectorized<Sum<long long>, int>)},
        {"max_int32", bind(vectorized<Max<int>, int>)},
        {"min_int32", bind(vectorized<Min<int>, int>)},
        {"sum_float32", bind(vectorized<Sum<float>, float>)},
        {"max_float32", bind(vectorized<Max<float>, float>)},
        {"min_float32", bind(vectorized<Min<float>, float>)},
    });
    return {{"global_memory", bind(global_memory)}, {"interleaved", bind(interleaved)},
            {"sequential", bind(sequential)},       {"grid_stride", run_grid_stride},
            {"warp_shuffle", run_warp_shuffle},     {"vectorized", run_vectorized}};
}
