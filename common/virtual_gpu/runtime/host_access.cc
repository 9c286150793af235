#include "virtual_gpu/runtime/host_access.h"

#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "virtual_gpu/runtime/control.h"
#include "virtual_gpu/runtime/runtime.h"

namespace vgpu::runtime {
namespace {

struct sigaction previous_segv, previous_bus;

bool is_managed(std::uintptr_t address) {
    return address >= kManagedFirst && address < kManagedFirst + kManagedMost * kManagedBytes;
}

// The process is lost anyway, so this does what a handler usually must not; an alarm ends it should that hang.
void report_host_access(void* address, const ucontext_t& context) {
    signal(SIGALRM, SIG_DFL);
    alarm(10);
    signal(SIGSEGV, SIG_DFL);
    signal(SIGBUS, SIG_DFL);
    Runtime& runtime = Runtime::get();
    if (runtime.mutex.try_lock() && runtime.ready()) {
        const auto at = reinterpret_cast<std::uintptr_t>(address);
        std::string managed;
        if (is_managed(at)) {
            const std::size_t number = (at - kManagedFirst) / kManagedBytes;
            managed = number < runtime.managed_names.size() ? runtime.managed_names[number] : "?";
        }
        // The faulting instruction itself comes first; one more, as a place is made of return addresses.
        runtime.session->host_access(at, managed,
                                     host_place(reinterpret_cast<void*>(context.uc_mcontext.gregs[REG_RIP] + 1)));
        if (runtime.local != nullptr) {
            setenv("VGPU_REPORT", "none", 0);  // it has just been printed
            write_report_now();
        }
    }
    std::fflush(stdout);
    _exit(kHostAccessExit);
}

void on_fault(int number, siginfo_t* info, void* context) {
    if (is_device_address(info->si_addr) || is_managed(reinterpret_cast<std::uintptr_t>(info->si_addr))) {
        report_host_access(info->si_addr, *static_cast<const ucontext_t*>(context));
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
    host_place();  // loads the unwinder now rather than inside the handler
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
