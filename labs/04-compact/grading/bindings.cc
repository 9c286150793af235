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
        {"positive_int32", bind(three_kernels<IsPositive>, IsPositive{})},
        {"diamonds_uint8", bind(three_kernels<IsDiamond>, IsDiamond{})},
        {"above_float32", bind(three_kernels<IsAbove>, IsAbove{compact::kThreshold})},
    });
    const auto run_fused = lab::by_variant({
        {"positive_int32", bind(fused<IsPositive>, IsPositive{})},
        {"diamonds_uint8", bind(fused<IsDiamond>, IsDiamond{})},
        {"above_float32", bind(fused<IsAbove>, IsAbove{compact::kThreshold})},
    });
    const auto run_warp_ballot = lab::by_variant({
        {"positive_int32", bind(warp_ballot<IsPositive>, IsPositive{})},
        {"diamonds_uint8", bind(warp_ballot<IsDiamond>, IsDiamond{})},
        {"above_float32", bind(warp_ballot<IsAbove>, IsAbove{compact::kThreshold})},
        {"all_int32", bind(warp_ballot<Always>, Always{true})},
        {"none_int32", bind(warp_ballot<Always>, Always{false})},
    });
    const auto run_look_back = lab::by_variant({
        {"positive_int32", bind(look_back<IsPositive>, IsPositive{})},
        {"diamonds_uint8", bind(look_back<IsDiamond>, IsDiamond{})},
        {"above_float32", bind(look_back<IsAbove>, IsAbove{compact::kThreshold})},
        {"even_int64", bind(look_back<IsEven>, IsEven{})},
        {"all_int32", bind(look_back<Always>, Always{true})},
        {"none_int32", bind(look_back<Always>, Always{false})},
    });
    return {{"three_kernels", run_three_kernels},
            {"fused", run_fused},
            {"warp_ballot", run_warp_ballot},
            {"look_back", run_look_back}};
}
