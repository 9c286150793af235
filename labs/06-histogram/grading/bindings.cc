// Lab 6's bindings: which of the student's functions a task and variant call. Trusted; in the runner only.
#include "harness/call.h"
#include "histogram.h"

namespace {

using lab::Call;

template <class Bins>
using Task = void(const typename Bins::type*, int, Bins, unsigned*, Workspace&);

// `bins_of` makes the bins from what the call holds.
template <class Bins>
auto bind(Task<Bins>* task, Bins (*bins_of)(const Call&)) {
    return [=](Call& c) {
        task(c.in<typename Bins::type>(0), static_cast<int>(c.n()), bins_of(c), c.out<unsigned>(0), c.workspace());
    };
}

int scalar(const Call& c, const char* name) { return static_cast<int>(c.scalar(name)); }

Levels levels(const Call&) { return {}; }

UniformInt uniform_int(const Call& c) { return {scalar(c, "low"), scalar(c, "high"), scalar(c, "bins")}; }

UniformFloat uniform_float(const Call& c) {
    const auto low = static_cast<float>(c.scalar("low")), high = static_cast<float>(c.scalar("high"));
    const int bins = scalar(c, "bins");
    return {low, high, bins, static_cast<float>(bins) / (high - low)};
}

Edges edges(const Call& c) { return {c.in<float>(1), scalar(c, "bins")}; }

// Tasks 2 and 3.
auto bind_private(Task<Levels>* of_levels, Task<UniformFloat>* of_floats) {
    return lab::by_variant(
        {{"levels_uint8", bind(of_levels, levels)}, {"uniform_float32", bind(of_floats, uniform_float)}});
}

auto bind_any(Task<Levels>* of_levels, Task<UniformInt>* of_ints, Task<UniformFloat>* of_floats,
              Task<Edges>* of_edges) {
    return lab::by_variant({{"levels_uint8", bind(of_levels, levels)},
                            {"uniform_int32", bind(of_ints, uniform_int)},
                            {"uniform_float32", bind(of_floats, uniform_float)},
                            {"edges_float32", bind(of_edges, edges)}});
}

}  // namespace

lab::Bindings histogram_bindings() {
    return {
        {"global_atomics", bind_any(global_atomics, global_atomics, global_atomics, global_atomics)},
        {"thread_local_atomics", bind_private(thread_local_atomics, thread_local_atomics)},
        {"thread_local_reduce", bind_private(thread_local_reduce, thread_local_reduce)},
        {"shared_atomics", bind_any(shared_atomics, shared_atomics, shared_atomics, shared_atomics)},
        {"replicated", bind_any(replicated, replicated, replicated, replicated)},
    };
}
