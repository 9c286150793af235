// Lab 4's bindings: which of the student's functions a task and variant call. Trusted; in the runner only.
#include "compact.h"
#include "harness/call.h"
#include "variants.h"

namespace {

using lab::Call;

template <class Keep>
using Task = void (*)(const typename Keep::type*, typename Keep::type*, int*, int, Keep, Workspace&);

template <class Keep>
auto bind(Task<Keep> task, Keep keep) {
    return [=](Call& c) {
        using T = typename Keep::type;
        task(c.in<T>(0), c.out<T>(0), c.out<int>(1), static_cast<int>(c.n()), keep, c.workspace());
    };
}

}  // namespace

lab::Bindings compact_bindings() {
    const auto run_three_kernels = lab::by_variant({
        {"positive_int32", bind<IsPositive>(three_kernels, IsPositive{})},
        {"diamonds_uint8", bind<IsDiamond>(three_kernels, IsDiamond{})},
        {"above_float32", bind<IsAbove>(three_kernels, IsAbove{compact::kThreshold})},
    });
    const auto run_fused = lab::by_variant({
        {"positive_int32", bind<IsPositive>(fused, IsPositive{})},
        {"diamonds_uint8", bind<IsDiamond>(fused, IsDiamond{})},
        {"above_float32", bind<IsAbove>(fused, IsAbove{compact::kThreshold})},
    });
    const auto run_warp_ballot = lab::by_variant({
        {"positive_int32", bind<IsPositive>(warp_ballot, IsPositive{})},
        {"diamonds_uint8", bind<IsDiamond>(warp_ballot, IsDiamond{})},
        {"above_float32", bind<IsAbove>(warp_ballot, IsAbove{compact::kThreshold})},
        {"all_int32", bind<Always>(warp_ballot, Always{true})},
        {"none_int32", bind<Always>(warp_ballot, Always{false})},
    });
    const auto run_look_back = lab::by_variant({
        {"positive_int32", bind<IsPositive>(look_back, IsPositive{})},
        {"diamonds_uint8", bind<IsDiamond>(look_back, IsDiamond{})},
        {"above_float32", bind<IsAbove>(look_back, IsAbove{compact::kThreshold})},
        {"even_int64", bind<IsEven>(look_back, IsEven{})},
        {"all_int32", bind<Always>(look_back, Always{true})},
        {"none_int32", bind<Always>(look_back, Always{false})},
    });
    return {{"three_kernels", run_three_kernels},
            {"fused", run_fused},
            {"warp_ballot", run_warp_ballot},
            {"look_back", run_look_back}};
}
