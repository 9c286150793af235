#include "virtual_gpu/exec/launch/device_runtime.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "virtual_gpu/exec/handlers/builtins.h"
#include "virtual_gpu/exec/launch/run_grids.h"
#include "virtual_gpu/exec/machine/access.h"
#include "virtual_gpu/exec/report/names.h"
#include "virtual_gpu/known_errors.h"
#include "virtual_gpu/undefined/shadow.h"

namespace vgpu {
namespace {

ErrorText text_of(int code) {
    const ErrorText* known = known_error(code);
    return known ? *known : ErrorText{code, "unrecognized error code", "unrecognized error code"};
}

std::uint32_t thread_of(const Warp& w, int lane) { return static_cast<std::uint32_t>(w.number * kLanes + lane); }

const Instr* fail_here(const Instr* i, Warp& w, Mask m, const std::string& what, const std::string& help) {
    w.run->reporter.found(w, i, m, Kind::invalid_access, what, help);
    w.run->fail(Status::launch_failure, what);
    w.resume = i;
    w.stop = Stop::failed;
    return nullptr;
}

// Reports a failed call, even if the program checks for the error and carries on. Two errors are not reported, as a
// correct program may meet them: too many pending launches, and launches nested too deep.
void note_failed_call(const Instr* i, const Warp& w, int lane, DeviceError error, bool is_launch,
                      const std::string& why) {
    if (error == DeviceError::launch_pending_count_exceeded || error == DeviceError::launch_max_depth_exceeded) return;
    Reporter& reporter = w.run->reporter;
    const ErrorText text = text_of(static_cast<int>(error));
    Finding* note = reporter.found(
        w, i, Mask{1} << lane, Kind::failed_call,
        "the CUDA call by " + reporter.thread_name(*w.block, thread_of(w, lane)) + " at " +
            reporter.at(reporter.place(w, i)) + " failed with " + text.name + " (" + text.text + ")" +
            (why.empty() ? "" : ": " + why),
        is_launch ? ""
                  : "a stream in a kernel is made with cudaStreamNonBlocking, and used by the block that "
                    "has made it until it is destroyed");
    if (note) note->is_note = true;
}

// The error is the call's result and the thread's last error.
std::uint64_t noted(const Instr* i, Warp& w, int lane, DeviceError error, bool is_launch, const std::string& why = "") {
    if (error != DeviceError::none) {
        DeviceFailure& last = w.run->device_runtime.failures[{w.block->linear, thread_of(w, lane)}];
        last.error = error;
        note_failed_call(i, w, lane, error, is_launch, why);
        if (is_launch)
            last.launch = {error, w.run->reporter.place(w, i), why};  // a later error of another call leaves it
    }
    return static_cast<std::uint64_t>(error);
}

// Writes to where the program wants a result; false, with a finding, if it may not.
bool store(Warp& w, const Instr* i, int lane, DevicePtr to, std::uint64_t value, int bytes) {
    const std::uint8_t* at = peek(w, i, lane, to, bytes);
    if (!at) return false;
    if (const Allocation* a = w.run->memory.find(to); a != nullptr && a->read_only) return false;
    std::memcpy(const_cast<std::uint8_t*>(at), &value, static_cast<std::size_t>(bytes));
    now_written(w, lane, to, bytes);
    return true;
}

// f(lane) gives the error of one lane's call.
template <class F>
const Instr* each(const Instr* i, Warp& w, Mask m, F f) {
    for (int lane : lanes(m)) give_back(w, i, lane, noted(i, w, lane, f(lane), false));
    w.run->progress.note();
    return i + 1;
}

Index3 index3(const Warp& w, const Instr* i, int lane, std::size_t n) {
    Index3 out;
    for (std::uint32_t d = 0; d < 3; ++d) out[d] = static_cast<std::uint32_t>(argument_of(w, i, lane, n, 4 * d));
    return out;
}

// ---- Launches ----

std::uint32_t most_shared(const Launch& launch, const ExecOptions& options, const std::string& kernel) {
    for (const auto& [name, bytes] : launch.shared_limits)
        if (name == kernel) return std::max(bytes, options.default_shared_bytes);
    return options.default_shared_bytes;
}

const Instr* get_parameter_buffer(const Instr* i, Warp& w, Mask m) {
    Run& run = *w.run;
    for (int lane : lanes(m)) {
        const std::uint64_t number = (argument_of(w, i, lane, 0) - kFunctionWindow) / 16;
        const auto& functions = run.module.functions;
        DeviceError error = DeviceError::invalid_device_function;
        std::uint64_t slot = 0;
        std::string why;
        if (number < functions.size() && functions[number]->source->is_entry && functions[number]->is_decoded) {
            const Function& kernel = *functions[number];
            Launch launch;
            launch.kernel = kernel.name;
            launch.module = run.grid.launch.module;
            launch.grid = index3(w, i, lane, 1);
            launch.block = index3(w, i, lane, 2);
            launch.shared_bytes = static_cast<std::uint32_t>(argument_of(w, i, lane, 3));
            launch.shared_limits = run.grid.launch.shared_limits;
            const Refusal no = refusal(run.options, run.module, kernel, launch,
                                       most_shared(run.grid.launch, run.options, kernel.name));
            why = no.why;
            error = no.error != DeviceError::none ? no.error : run.grids.reserve(run.grid, kernel, launch, slot);
        }
        noted(i, w, lane, error, true, why);
        give_back(w, i, lane, error == DeviceError::none ? kLaunchWindow + slot * kLaunchSlot : 0);
    }
    return i + 1;
}

// A pointer that only its own block can use must not be passed to another grid.
const char* private_memory(const Warp& w, DevicePtr at) {
    const Run& run = *w.run;
    const std::uint64_t shared = at - kSharedWindow, variable = (shared >> kSharedBits) - 1;
    if (shared < kWindowBytes && variable < run.setup.shared.place.size() && run.setup.shared.place[variable] != ~0u)
        return "shared";
    return is_local(at) && local_offset(at) < w.local.capacity ? "local" : nullptr;
}

// Of the arguments that look like pointers.
const char* private_memory(const Warp& w, const Grid& grid) {
    const Function& kernel = *grid.kernel;
    for (std::size_t n = 0; n < kernel.params.size(); ++n) {
        const ptx::Variable& param = kernel.source->params[n];
        if (param.count != 1 || size_of(param.type) != 8 || param.type == ptx::Type::f64) continue;
        std::uint64_t value = 0;
        std::memcpy(&value, grid.launch.params.data() + kernel.params[n].offset, 8);
        if (const char* memory = private_memory(w, value)) return memory;
    }
    return nullptr;
}

Grids::Origin origin_of(const Instr* i, const Warp& w) {
    Grids::Origin origin{w.block->linear, w.function, i->source, w.now, {}};
    if (w.run->checking) origin.known = w.run->global_races.order().launch(*w.block->order, w.number);
    return origin;
}

void report_deep_launch(const Instr* i, const Warp& w, int lane, const Grid& made) {
    const Run& run = *w.run;
    const std::string deepest = std::to_string(run.options.launch_depth);
    w.run->reporter.found(w, i, Mask{1} << lane, Kind::deep_launch,
                          run.reporter.thread_name(*w.block, thread_of(w, lane)) + ", in a kernel of depth " +
                              std::to_string(run.grid.depth) + ", launched " + short_name(made.kernel->name) +
                              ", and none may be deeper than " + deepest,
                          "pass on how many levels are left, and do not launch where none is left");
}

const Instr* launch_device(const Instr* i, Warp& w, Mask m) {
    Run& run = *w.run;
    for (int lane : lanes(m)) {
        const std::uint64_t slot = (argument_of(w, i, lane, 0) - kLaunchWindow) / kLaunchSlot;
        Grid* made = nullptr;
        const DeviceError error = run.grids.launch(run.grid, slot, argument_of(w, i, lane, 1), origin_of(i, w), made);
        if (error == DeviceError::none)
            if (const char* memory = private_memory(w, *made))
                return fail_here(i, w, Mask{1} << lane,
                                 run.reporter.thread_name(*w.block, thread_of(w, lane)) + " launched " +
                                     short_name(made->kernel->name) + " with a pointer to its " + memory +
                                     " memory, at " + run.reporter.at(run.reporter.place(w, i)),
                                 "a launched kernel can reach only global memory: put the data there");
        if (made && made->depth > run.options.launch_depth) report_deep_launch(i, w, lane, *made);
        give_back(w, i, lane, noted(i, w, lane, error, true));
        if (run.counting) w.spend(static_cast<std::uint32_t>(run.options.latencies.launch));
    }
    run.progress.note();
    return i + 1;
}

// ---- Copies ----

// Destination and size are arguments 0 and 2 of both; `more(lane, copy)` fills in the rest, false: it may not be.
template <class F>
const Instr* put_in_stream(const Instr* i, Warp& w, Mask m, std::size_t stream, F more) {
    Run& run = *w.run;
    for (int lane : lanes(m)) {
        Grids::Copy copy;
        copy.to = argument_of(w, i, lane, 0);
        copy.bytes = argument_of(w, i, lane, 2);
        DeviceError error = more(lane, copy) ? DeviceError::none : DeviceError::invalid_value;
        for (const DevicePtr at : {copy.to, copy.from})
            if (const char* memory = private_memory(w, at))
                return fail_here(i, w, Mask{1} << lane,
                                 run.reporter.thread_name(*w.block, thread_of(w, lane)) + " gave a copy a pointer to " +
                                     "its " + memory + " memory, at " + run.reporter.at(run.reporter.place(w, i)),
                                 "copies by kernels go from global memory to global memory");
        if (error == DeviceError::none)
            error = run.grids.put(run.grid, copy, argument_of(w, i, lane, stream), origin_of(i, w));
        give_back(w, i, lane, noted(i, w, lane, error, false));
        if (run.counting) w.spend(static_cast<std::uint32_t>(run.options.latencies.launch));
    }
    run.progress.note();
    return i + 1;
}

constexpr std::uint64_t kDeviceToDevice = 3, kAnyDirection = 4;  // cudaMemcpyKind

const Instr* copy_async(const Instr* i, Warp& w, Mask m) {
    return put_in_stream(i, w, m, 4, [&](int lane, Grids::Copy& copy) {
        copy.from = argument_of(w, i, lane, 1);
        const std::uint64_t kind = argument_of(w, i, lane, 3);
        return kind == kDeviceToDevice || kind == kAnyDirection;
    });
}

const Instr* set_async(const Instr* i, Warp& w, Mask m) {
    return put_in_stream(i, w, m, 3, [&](int lane, Grids::Copy& copy) {
        copy.value = static_cast<std::uint8_t>(argument_of(w, i, lane, 1));
        return true;
    });
}

// ---- Streams and events ----

constexpr std::uint64_t kNonBlocking = 1, kDisableTiming = 2;

const Instr* stream_create(const Instr* i, Warp& w, Mask m) {
    return each(i, w, m, [&](int lane) {
        if (argument_of(w, i, lane, 1) != kNonBlocking) return DeviceError::invalid_value;
        const bool stored = store(w, i, lane, argument_of(w, i, lane, 0), w.run->grids.make_stream(w.run->grid), 8);
        return stored ? DeviceError::none : DeviceError::invalid_value;
    });
}

const Instr* stream_destroy(const Instr* i, Warp& w, Mask m) {
    return each(i, w, m,
                [&](int lane) { return w.run->grids.destroy_stream(w.run->grid, argument_of(w, i, lane, 0)); });
}

const Instr* stream_wait_event(const Instr* i, Warp& w, Mask m) {
    return each(i, w, m, [&](int lane) {
        return w.run->grids.wait(w.run->grid, argument_of(w, i, lane, 0), argument_of(w, i, lane, 1), w.block->linear);
    });
}

const Instr* event_create(const Instr* i, Warp& w, Mask m) {
    return each(i, w, m, [&](int lane) {
        if (argument_of(w, i, lane, 1) != kDisableTiming) return DeviceError::invalid_value;
        const bool stored = store(w, i, lane, argument_of(w, i, lane, 0), w.run->grids.make_event(w.run->grid), 8);
        return stored ? DeviceError::none : DeviceError::invalid_value;
    });
}

const Instr* event_destroy(const Instr* i, Warp& w, Mask m) {
    return each(i, w, m, [&](int lane) { return w.run->grids.destroy_event(w.run->grid, argument_of(w, i, lane, 0)); });
}

const Instr* event_record(const Instr* i, Warp& w, Mask m) {
    return each(i, w, m, [&](int lane) {
        return w.run->grids.record(w.run->grid, argument_of(w, i, lane, 0), argument_of(w, i, lane, 1),
                                   w.block->linear);
    });
}

// ---- Errors ----

const Instr* last_error(const Instr* i, Warp& w, Mask m) {
    for (int lane : lanes(m)) {
        const auto found = w.run->device_runtime.failures.find({w.block->linear, thread_of(w, lane)});
        const bool any = found != w.run->device_runtime.failures.end();
        give_back(w, i, lane, any ? static_cast<std::uint64_t>(found->second.error) : 0);
        if (any) w.run->device_runtime.failures.erase(found);
    }
    return i + 1;
}

const Instr* peek_at_last_error(const Instr* i, Warp& w, Mask m) {
    for (int lane : lanes(m)) {
        const auto found = w.run->device_runtime.failures.find({w.block->linear, thread_of(w, lane)});
        const bool any = found != w.run->device_runtime.failures.end();
        give_back(w, i, lane, any ? static_cast<std::uint64_t>(found->second.error) : 0);
        if (any) found->second.launch.reset();
    }
    return i + 1;
}

const Instr* give_text(const Instr* i, Warp& w, Mask m, bool name) {
    for (int lane : lanes(m)) {
        const ErrorText error = text_of(static_cast<int>(argument_of(w, i, lane, 0)));
        give_back(w, i, lane, w.run->grids.text(w.run->memory, name ? error.name : error.text));
    }
    return i + 1;
}
const Instr* error_string(const Instr* i, Warp& w, Mask m) { return give_text(i, w, m, false); }
const Instr* error_name(const Instr* i, Warp& w, Mask m) { return give_text(i, w, m, true); }

// ---- Questions ----

const Instr* get_device(const Instr* i, Warp& w, Mask m) {
    return each(i, w, m, [&](int lane) {
        return store(w, i, lane, argument_of(w, i, lane, 0), 0, 4) ? DeviceError::none : DeviceError::invalid_value;
    });
}
const Instr* get_device_count(const Instr* i, Warp& w, Mask m) {
    return each(i, w, m, [&](int lane) {
        return store(w, i, lane, argument_of(w, i, lane, 0), 1, 4) ? DeviceError::none : DeviceError::invalid_value;
    });
}
const Instr* get_limit(const Instr* i, Warp& w, Mask m) {
    constexpr std::uint64_t kPendingLaunchCount = 4;
    return each(i, w, m, [&](int lane) {
        if (argument_of(w, i, lane, 1) != kPendingLaunchCount) return DeviceError::invalid_value;
        const bool stored = store(w, i, lane, argument_of(w, i, lane, 0), w.run->grids.pending_limit(), 8);
        return stored ? DeviceError::none : DeviceError::invalid_value;
    });
}

}  // namespace

Handler device_runtime_handler(const std::string& name) {
    constexpr std::string_view kPrefix = "__cudaCDP2";
    if (!name.starts_with(kPrefix)) return nullptr;
    static const std::unordered_map<std::string, Handler> handlers = {
        {"GetParameterBufferV2", get_parameter_buffer},
        {"LaunchDeviceV2", launch_device},
        {"MemcpyAsync", copy_async},
        {"MemsetAsync", set_async},
        {"StreamCreateWithFlags", stream_create},
        {"StreamDestroy", stream_destroy},
        {"StreamWaitEvent", stream_wait_event},
        {"EventCreateWithFlags", event_create},
        {"EventDestroy", event_destroy},
        {"EventRecord", event_record},
        {"EventRecordWithFlags", event_record},
        {"GetLastError", last_error},
        {"PeekAtLastError", peek_at_last_error},
        {"GetErrorString", error_string},
        {"GetErrorName", error_name},
        {"GetDevice", get_device},
        {"GetDeviceCount", get_device_count},
        {"DeviceGetLimit", get_limit},
    };
    const auto found = handlers.find(name.substr(kPrefix.size()));
    return found == handlers.end() ? nullptr : found->second;
}

void report_ignored_launches(Run& run) {
    for (const auto& [who, failure] : run.device_runtime.failures) {
        if (!failure.launch) continue;
        const ErrorText error = text_of(static_cast<int>(failure.launch->error));
        run.reporter.ignored_launch(failure.launch->at, who.first, who.second, error.name,
                                    error.text + (failure.launch->why.empty() ? "" : "; " + failure.launch->why));
    }
}

}  // namespace vgpu
