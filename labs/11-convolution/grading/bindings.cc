// Lab 11's bindings: which of the student's functions a task calls. Trusted; in the runner only.
#include "convolution.h"
#include "harness/call.h"

namespace {

using lab::Call;

int scalar(const Call& c, const char* name) { return static_cast<int>(c.scalar(name)); }

Border border(const Call& c) { return static_cast<Border>(c.scalar("border")); }

using AnyFilter = void(const float*, float*, int, int, const float*, int, Border, Workspace&);

void run(Call& c, AnyFilter* task) {
    task(c.in<float>(0), c.out<float>(0), scalar(c, "width"), scalar(c, "height"), c.in<float>(1), scalar(c, "radius"),
         border(c), c.workspace());
}

void run_separable(Call& c) {
    separable(c.in<float>(0), c.out<float>(0), scalar(c, "width"), scalar(c, "height"), c.in<float>(1), c.in<float>(2),
              scalar(c, "radius"), border(c), c.workspace());
}

}  // namespace

lab::Bindings convolution_bindings() {
    return {
        {"naive", [](Call& c) { run(c, naive); }},
        {"constant_memory", [](Call& c) { run(c, constant_memory); }},
        {"shared_tile", [](Call& c) { run(c, shared_tile); }},
        {"separable", run_separable},
        {"register_window", [](Call& c) { run(c, register_window); }},
    };
}
