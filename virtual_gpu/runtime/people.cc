// The library for people, and for a process that has the device of another's program: the session is in this process,
// and the program may control it by the functions below, which it looks up with dlsym. virtual_gpu/README.md lists
// them.
#include <csignal>
#include <string>

#include "virtual_gpu/exec/decode/missing.h"
#include "virtual_gpu/exec/report/names.h"
#include "virtual_gpu/runtime/control.h"
#include "virtual_gpu/runtime/missing.h"
#include "virtual_gpu/runtime/runtime.h"
#include "virtual_gpu/session/server.h"

using vgpu::runtime::Runtime;

namespace {

bool serves = false;  // this process has the device of another's program

// What that program lacks does not end this process.
void serve() {
    serves = true;
    Runtime::get().ends_unsupported = false;
}

}  // namespace

std::unique_ptr<vgpu::Session> vgpu::runtime::make_session(Runtime& runtime, std::string& why) {
    auto made = LocalSession::make(runtime.options, why);
    runtime.local = made.get();
    runtime.ends_unsupported = !serves;
    if (!serves) {
        vgpu::sources_are_of("/proc/self/exe");
    }
    return made;
}

namespace {

vgpu::Guest& guest = *new vgpu::Guest;  // never destroyed, as the runtime is not

// Runs body with the session of this process; 1: there is none, or the body failed.
template <class Body>
int with_local(Body&& body) {
    Runtime& runtime = Runtime::get();
    const std::lock_guard lock(runtime.mutex);
    return runtime.ready() && runtime.local != nullptr && body(runtime, *runtime.local) == vgpu::Status::ok ? 0 : 1;
}

}  // namespace

VGPU_EXPORT int vgpuConfigure(const char* key, const char* value) {
    Runtime& runtime = Runtime::get();
    const std::lock_guard lock(runtime.mutex);
    if (key == nullptr || value == nullptr) {
        return 1;
    }
    const int result = vgpu::runtime::configure(runtime.options, runtime.report_leaks, key, value);
    if (result == 0 && runtime.local != nullptr) {
        return runtime.local->configure(runtime.options) == vgpu::Status::ok ? 0 : 1;
    }
    return result;
}

VGPU_EXPORT const char* vgpuTakeReport() {
    static std::string* text = new std::string;
    with_local([](Runtime& runtime, vgpu::LocalSession& session) {
        runtime.tell_pinned_leaks();
        *text = to_json(session.take_report(runtime.report_leaks));
        return vgpu::Status::ok;
    });
    return text->c_str();
}

VGPU_EXPORT int vgpuPoison(void* pointer, std::size_t bytes) {
    return with_local([&](Runtime&, vgpu::LocalSession& session) {
        return session.poison(reinterpret_cast<vgpu::DevicePtr>(pointer), bytes);
    });
}

VGPU_EXPORT int vgpuForget(void* pointer, std::size_t bytes) {
    return with_local([&](Runtime&, vgpu::LocalSession& session) {
        return session.forget(reinterpret_cast<vgpu::DevicePtr>(pointer), bytes);
    });
}

VGPU_EXPORT int vgpuReuse(void* freed) {
    return with_local(
        [&](Runtime&, vgpu::LocalSession& session) { return session.reuse(reinterpret_cast<vgpu::DevicePtr>(freed)); });
}

VGPU_EXPORT int vgpuExpectDefined(void* pointer, std::size_t bytes) {
    return with_local([&](Runtime&, vgpu::LocalSession& session) {
        return session.expect_defined(reinterpret_cast<vgpu::DevicePtr>(pointer), bytes);
    });
}

VGPU_EXPORT int vgpuLabel(void* pointer, const char* name) {
    return with_local([&](Runtime&, vgpu::LocalSession& session) {
        return name != nullptr ? session.label(reinterpret_cast<vgpu::DevicePtr>(pointer), name)
                               : vgpu::Status::invalid_value;
    });
}

// The program begins what is timed: CPU time until now does not count.
VGPU_EXPORT int vgpuBegin() {
    Runtime& runtime = Runtime::get();
    const std::lock_guard lock(runtime.mutex);
    runtime.end_call();
    return 0;
}

// What is done from now on, or until now, takes no time of the program that is served.
VGPU_EXPORT int vgpuHoldClock(int holds) {
    return with_local([&](Runtime&, vgpu::LocalSession& session) {
        session.hold_clock(holds != 0);
        return vgpu::Status::ok;
    });
}

// The function that the program was called for has returned: what it left running in streams is a finding.
VGPU_EXPORT int vgpuReturned() {
    Runtime& runtime = Runtime::get();
    const std::lock_guard lock(runtime.mutex);
    runtime.returned();
    return 0;
}

// What is missing: of PTX and, behind an empty line, of CUDA's runtime, as virtual_gpu/docs/missing.md lists it.
VGPU_EXPORT const char* vgpuMissing() {
    static std::string* text = new std::string;
    *text = vgpu::missing_parts() + "\n" + vgpu::runtime::missing_calls();
    return text->c_str();
}

VGPU_EXPORT int vgpuReset() {
    Runtime& runtime = Runtime::get();
    const std::lock_guard lock(runtime.mutex);
    if (runtime.session) {
        runtime.session->reset();
    }
    vgpu::runtime::forget_errors();
    return 0;
}

VGPU_EXPORT void vgpuStop(int number) { vgpu::runtime::stop(number); }

// The same for a process that has the device of another's program: ends the running kernel and those to come.
VGPU_EXPORT void vgpuEndKernel(int) {
    if (vgpu::LocalSession* session = Runtime::get().local) {
        session->stop_all();
    }
}

// ---- For a process that has the device of another's program; see session/server.h ----

// Whose program it is: its executable, for device code and source lines. 0: it can be read.
VGPU_EXPORT int vgpuServedProgram(const char* path) {
    serve();
    vgpu::places_are_of(path);
    return guest.program.open(path) ? 0 : 1;
}

// How its process is seen from here, for its processor time; see session/host_time.h. 0: done.
VGPU_EXPORT int vgpuServedProcess(const char* how) { return how != nullptr && guest.time.watch(how) ? 0 : 1; }

// Its call enters the state of this name, in which `bytes` of its arrays travel. 0: done; 1: no such state.
VGPU_EXPORT int vgpuEnter(const char* state, std::size_t bytes) {
    const auto named = vgpu::state_named(state);
    return named ? with_local([&](Runtime&, vgpu::LocalSession& session) {
        enter(session, guest, *named, bytes);
        return vgpu::Status::ok;
    })
                 : 1;
}

// Answers one question of the program at the other end of the socket. 0: done; 1: it has closed its end; 2: it was
// refused, and vgpuRefusal() says why.
VGPU_EXPORT int vgpuServe(int socket) {
    serve();
    auto served = vgpu::Served::gone;
    with_local([&](Runtime& runtime, vgpu::LocalSession& session) {
        served = serve_one(session, guest, socket);
        runtime.end_call();  // what the device has worked is no host time of this process
        return vgpu::Status::ok;
    });
    return static_cast<int>(served);
}

// What was refused, and when; where in the program: "scan.cu:24", or "".
VGPU_EXPORT const char* vgpuRefusal() { return guest.refusal.c_str(); }
VGPU_EXPORT const char* vgpuRefusalPlace() {
    static std::string* text = new std::string;
    *text = guest.refused_at.line != 0 ? vgpu::text_of(guest.refused_at) : "";
    return text->c_str();
}
