// Lab 5's bindings: which of the student's functions a task and variant call. Trusted; in the runner only.
#include "allocate.h"
#include "harness/call.h"
#include "variants.h"

namespace {

using lab::Call;

Window window_of(const Call& c) {
    const auto side = [&](const char* name) { return static_cast<float>(c.scalar(name)); };
    return {side("left"), side("right"), side("bottom"), side("top")};
}

auto bind(void (*task)(const Triangle*, Triangle*, int*, int, Window, Workspace&)) {
    return [task](Call& c) {
        task(reinterpret_cast<const Triangle*>(c.in<float>(0)), reinterpret_cast<Triangle*>(c.out<float>(0)),
             c.out<int>(1), static_cast<int>(c.n()), window_of(c), c.workspace());
    };
}

void run_words(Call& c) {
    words(c.in<std::uint8_t>(0), c.out<int>(0), c.out<int>(1), c.out<int>(2), static_cast<int>(c.n()), c.workspace());
}

template <class Make>
auto bind(void (*task)(const int*, const int*, int*, int, int, Make, Workspace&), Make make) {
    return [=](Call& c) {
        task(c.in<int>(0), c.in<int>(1), c.out<int>(0), static_cast<int>(c.n()), static_cast<int>(c.scalar("outputs")),
             make, c.workspace());
    };
}

}  // namespace

lab::Bindings allocate_bindings() {
    const auto run_thread_per_output = lab::by_variant({
        {"repeat_int32", bind(thread_per_output<Repeat>, Repeat{})},
        {"count_up_int32", bind(thread_per_output<CountUp>, CountUp{allocate::kStep})},
    });
    const auto run_load_balanced = lab::by_variant({
        {"repeat_int32", bind(load_balanced<Repeat>, Repeat{})},
        {"count_up_int32", bind(load_balanced<CountUp>, CountUp{allocate::kStep})},
    });
    return {{"max_slots", bind(max_slots)},
            {"count_scan_scatter", bind(count_scan_scatter)},
            {"words", run_words},
            {"thread_per_output", run_thread_per_output},
            {"load_balanced", run_load_balanced}};
}
