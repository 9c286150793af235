// Lab 5's bindings: which of the student's functions a task and variant call. Trusted; in the runner only.
#include <stdexcept>

#include "allocate.h"
#include "harness/call.h"
#include "step.h"

namespace {

using lab::Call;

Window window_of(const Call& c) {
    const auto side = [&](const char* name) { return static_cast<float>(c.scalar(name)); };
    return {side("left"), side("right"), side("bottom"), side("top")};
}

void run(Call& c, void (*task)(const Triangle*, Triangle*, int*, int, Window, Workspace&)) {
    task(reinterpret_cast<const Triangle*>(c.in<float>(0)), reinterpret_cast<Triangle*>(c.out<float>(0)), c.out<int>(1),
         static_cast<int>(c.n()), window_of(c), c.workspace());
}

void run_words(Call& c) {
    words(c.in<std::uint8_t>(0), c.out<int>(0), c.out<int>(1), c.out<int>(2), static_cast<int>(c.n()), c.workspace());
}

template <class Make>
void run(Call& c, void (*task)(const int*, const int*, int*, int, int, Make, Workspace&), Make make) {
    task(c.in<int>(0), c.in<int>(1), c.out<int>(0), static_cast<int>(c.n()), static_cast<int>(c.scalar("outputs")),
         make, c.workspace());
}

[[noreturn]] void throw_unknown_variant(const Call& c) {
    throw std::invalid_argument("unknown variant " + c.variant());
}

void run_thread_per_output(Call& c) {
    if (c.variant() == "repeat_int32") return run(c, thread_per_output, Repeat{});
    if (c.variant() == "count_up_int32") return run(c, thread_per_output, CountUp{kStep});
    throw_unknown_variant(c);
}

void run_load_balanced(Call& c) {
    if (c.variant() == "repeat_int32") return run(c, load_balanced, Repeat{});
    if (c.variant() == "count_up_int32") return run(c, load_balanced, CountUp{kStep});
    throw_unknown_variant(c);
}

}  // namespace

lab::Bindings allocate_bindings() {
    return {{"max_slots", [](Call& c) { run(c, max_slots); }},
            {"count_scan_scatter", [](Call& c) { run(c, count_scan_scatter); }},
            {"words", run_words},
            {"thread_per_output", run_thread_per_output},
            {"load_balanced", run_load_balanced}};
}
