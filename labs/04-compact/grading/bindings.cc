// Lab 4's bindings: which of the student's functions a task and variant call. Trusted; in the runner only.
#include <stdexcept>

#include "compact.h"
#include "harness/call.h"

namespace {

using lab::Call;

constexpr float kThreshold = 0.5f;  // as in cases.cc: not 0, so that a predicate without its state shows

template <class Keep>
using Task = void (*)(const typename Keep::type*, typename Keep::type*, int*, int, Keep, Workspace&);

template <class Keep>
void run(Call& c, Task<Keep> task, Keep keep) {
    using T = typename Keep::type;
    task(c.in<T>(0), c.out<T>(0), c.out<int>(1), static_cast<int>(c.n()), keep, c.workspace());
}

[[noreturn]] void throw_unknown_variant(const Call& c) {
    throw std::invalid_argument("unknown variant " + c.variant());
}

void run_three_kernels(Call& c) {
    const std::string& v = c.variant();
    if (v == "positive_int32") return run(c, three_kernels, IsPositive{});
    if (v == "diamonds_uint8") return run(c, three_kernels, IsDiamond{});
    if (v == "above_float32") return run(c, three_kernels, IsAbove{kThreshold});
    throw_unknown_variant(c);
}

void run_fused(Call& c) {
    const std::string& v = c.variant();
    if (v == "positive_int32") return run(c, fused, IsPositive{});
    if (v == "diamonds_uint8") return run(c, fused, IsDiamond{});
    if (v == "above_float32") return run(c, fused, IsAbove{kThreshold});
    throw_unknown_variant(c);
}

void run_warp_ballot(Call& c) {
    const std::string& v = c.variant();
    if (v == "positive_int32") return run(c, warp_ballot, IsPositive{});
    if (v == "diamonds_uint8") return run(c, warp_ballot, IsDiamond{});
    if (v == "above_float32") return run(c, warp_ballot, IsAbove{kThreshold});
    if (v == "all_int32") return run(c, warp_ballot, Always{true});
    if (v == "none_int32") return run(c, warp_ballot, Always{false});
    throw_unknown_variant(c);
}

void run_look_back(Call& c) {
    const std::string& v = c.variant();
    if (v == "positive_int32") return run(c, look_back, IsPositive{});
    if (v == "diamonds_uint8") return run(c, look_back, IsDiamond{});
    if (v == "above_float32") return run(c, look_back, IsAbove{kThreshold});
    if (v == "even_int64") return run(c, look_back, IsEven{});
    if (v == "all_int32") return run(c, look_back, Always{true});
    if (v == "none_int32") return run(c, look_back, Always{false});
    throw_unknown_variant(c);
}

}  // namespace

lab::Bindings compact_bindings() {
    return {{"three_kernels", run_three_kernels},
            {"fused", run_fused},
            {"warp_ballot", run_warp_ballot},
            {"look_back", run_look_back}};
}
