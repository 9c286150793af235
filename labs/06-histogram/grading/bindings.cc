// Lab 6's bindings: which of the student's functions a task and variant call. Trusted; in the runner only.
#include <stdexcept>

#include "harness/call.h"
#include "histogram.h"

namespace {

using lab::Call;

template <class Bins>
using Task = void(const typename Bins::type*, int, Bins, unsigned*, Workspace&);

template <class Bins>
void run(Call& c, Task<Bins>* task, const Bins& bins) {
    task(c.in<typename Bins::type>(0), static_cast<int>(c.n()), bins, c.out<unsigned>(0), c.workspace());
}

int scalar(const Call& c, const char* name) { return static_cast<int>(c.scalar(name)); }

UniformInt uniform_int(const Call& c) { return {scalar(c, "low"), scalar(c, "high"), scalar(c, "bins")}; }

UniformFloat uniform_float(const Call& c) {
    const auto low = static_cast<float>(c.scalar("low")), high = static_cast<float>(c.scalar("high"));
    const int bins = scalar(c, "bins");
    return {low, high, bins, static_cast<float>(bins) / (high - low)};
}

[[noreturn]] void throw_unknown_variant(const Call& c) {
    throw std::invalid_argument("unknown variant " + c.variant());
}

// Tasks 2 and 3.
void run_private(Call& c, Task<Levels>* levels, Task<UniformFloat>* floats) {
    if (c.variant() == "levels_uint8") return run(c, levels, Levels{});
    if (c.variant() == "uniform_float32") return run(c, floats, uniform_float(c));
    throw_unknown_variant(c);
}

void run_any(Call& c, Task<Levels>* levels, Task<UniformInt>* ints, Task<UniformFloat>* floats, Task<Edges>* edges) {
    if (c.variant() == "uniform_int32") return run(c, ints, uniform_int(c));
    if (c.variant() == "edges_float32") return run(c, edges, Edges{c.in<float>(1), scalar(c, "bins")});
    run_private(c, levels, floats);
}

}  // namespace

lab::Bindings histogram_bindings() {
    return {
        {"global_atomics", [](Call& c) { run_any(c, global_atomics, global_atomics, global_atomics, global_atomics); }},
        {"thread_local_atomics", [](Call& c) { run_private(c, thread_local_atomics, thread_local_atomics); }},
        {"thread_local_reduce", [](Call& c) { run_private(c, thread_local_reduce, thread_local_reduce); }},
        {"shared_atomics", [](Call& c) { run_any(c, shared_atomics, shared_atomics, shared_atomics, shared_atomics); }},
        {"replicated", [](Call& c) { run_any(c, replicated, replicated, replicated, replicated); }},
    };
}
