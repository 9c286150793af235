// Lab 14's bindings: which of the student's functions a task and variant call. Trusted; in the runner only.
#include "harness/call.h"
#include "life.h"

namespace {

using lab::Call;

int scalar(const Call& c, const char* name) { return static_cast<int>(c.scalar(name)); }

auto count(bool scatter) {
    return [=](Call& c) {
        scatter_and_gather(c.in<std::uint8_t>(0), c.out<int>(0), scalar(c, "rows"), scalar(c, "columns"), scatter);
    };
}

template <class T>
auto generations(void (*task)(const T*, T*, int, int, int, Workspace&)) {
    return [=](Call& c) {
        task(c.in<T>(0), c.out<T>(0), scalar(c, "rows"), scalar(c, "columns"), scalar(c, "generations"), c.workspace());
    };
}

void run_small(Call& c) {
    in_one_block(c.in<std::uint8_t>(0), c.out<std::uint8_t>(0), scalar(c, "rows"), scalar(c, "columns"),
                 scalar(c, "generations"));
}

}  // namespace

lab::Bindings life_bindings() {
    return {
        {"scatter_and_gather", lab::by_variant({{"gather", count(false)}, {"scatter", count(true)}})},
        {"life", generations(life)},
        {"in_one_block", run_small},
        {"tile", generations(tile)},
        {"bits", generations(bits)},
        {"temporal", generations(temporal)},
        {"heat", generations(heat)},
    };
}
