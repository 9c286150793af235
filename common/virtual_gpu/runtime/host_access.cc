#include "virtual_gpu/runtime/host_access.h"

#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "virtual_gpu/memory/memory.h"
#include "virtual_gpu/runtime/control.h"
#include "virtual_gpu/runtime/runtime.h"

namespace vgpu::runtime {
namespace {

struct sigaction previous_segv, previous_bus;

bool is_managed(std::uintptr_t address) {
    return address >= kManagedFirst && address < kManagedFirst + kManagedMost * kManagedBytes;
}

std::string describe(Runtime& runtime, DevicePtr address, Finding& f) {
    if (is_managed(address)) {
        const std::size_t number = (address - kManagedFirst) / kManagedBytes;
        f.array = number < runtime.managed_names.size() ? runtime.managed_names[number] : "";
        return " uses the __managed__ variable " + f.array + ": managed memory is not supported";
    }
    DevicePtr base = 0;
    std::size_t bytes = 0;
    char text[128];
    std::snprintf(text, sizeof text, "device pointer 0x%" PRIx64, address);
    std::string out = " uses device memory: ";
    if (runtime.device && runtime.device->find(address, base, bytes)) {
        const auto made = runtime.allocations.find(base);
        f.array = "allocation of " + counted(bytes, "byte");
        if (made != runtime.allocations.end()) {
            f.array = made->second.name.empty() ? f.array + " made at " + text_of(place_of(made->second.stack))
                                                : made->second.name;
        }
        f.array_bytes = bytes;
        f.index = static_cast<std::int64_t>(address - base) / 4;
        out += "byte " + std::to_string(static_cast<std::int64_t>(address - base)) + " of " + f.array + ", ";
    }
    return out + text;
}

// The process is lost anyway, so this does what a handler usually must not (it allocates, it starts addr2line); an
// alarm ends it should that hang.
void report_host_access(DevicePtr address, const ucontext_t& context) {
    signal(SIGALRM, SIG_DFL);
    alarm(10);
    signal(SIGSEGV, SIG_DFL);
    signal(SIGBUS, SIG_DFL);
    Runtime& runtime = Runtime::get();
    const bool locked = runtime.mutex.try_lock();
    Finding f;
    f.kind = Kind::host_access;
    f.count = 1;
    f.space = "global";
    std::vector<void*> stack = host_stack();
    // The faulting instruction itself comes first; one more, as place_of() expects return addresses.
    stack.insert(stack.begin(), reinterpret_cast<void*>(context.uc_mcontext.gregs[REG_RIP] + 1));
    f.place = place_of(stack);
    f.what = "host code at " + text_of(f.place) + describe(runtime, address, f);
    f.help = "the host cannot reach it: copy it with cudaMemcpy first, or do this in a kernel";
    std::fprintf(stderr, "%s\n", f.what.c_str());
    if (!f.place.text.empty()) std::fprintf(stderr, "    %d: %s\n", f.place.line, f.place.text.c_str());
    std::fprintf(stderr, "    %s\n", f.help.c_str());
    if (locked) {
        runtime.add_finding(std::move(f));
        setenv("VGPU_REPORT", "none", 0);  // it has just been printed
        write_report_now();
    }
    std::fflush(stdout);
    _exit(kHostAccessExit);
}

void on_fault(int number, siginfo_t* info, void* context) {
    if (is_device_address(info->si_addr) || is_managed(reinterpret_cast<std::uintptr_t>(info->si_addr))) {
        report_host_access(reinterpret_cast<DevicePtr>(info->si_addr), *static_cast<const ucontext_t*>(context));
    }
    const struct sigaction& previous = number == SIGSEGV ? previous_segv : previous_bus;
    if ((previous.sa_flags & SA_SIGINFO) != 0 && previous.sa_sigaction != nullptr) {
        previous.sa_sigaction(number, info, context);
    } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
        previous.sa_handler(number);
    } else {
        signal(number, SIG_DFL);  // the instruction faults again and ends the process as usual
    }
}

}  // namespace

void watch_host_accesses() {
    host_stack();  // loads the unwinder now rather than inside the handler
    struct sigaction action {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    for (const int number : {SIGSEGV, SIGBUS}) {
        struct sigaction current {};
        sigaction(number, nullptr, &current);
        if (current.sa_sigaction != on_fault) {
            sigaction(number, &action, number == SIGSEGV ? &previous_segv : &previous_bus);
        }
    }
}

namespace {
__attribute__((constructor)) void at_load() { watch_host_accesses(); }
}  // namespace

}  // namespace vgpu::runtime
