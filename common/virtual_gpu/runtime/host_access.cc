#include "virtual_gpu/runtime/host_access.h"

#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <optional>
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

// False: no copy is pending there. Unlike above, the program goes on. It was about to use its own memory, so it is not
// inside malloc() or this library, and a report may allocate.
bool report_pending_copy(void* address, const ucontext_t& context) {
    Runtime& runtime = Runtime::get();
    constexpr int kMostTries = 5000;  // of a millisecond: another thread's call may take a while
    for (int i = 0; !runtime.mutex.try_lock(); ++i) {
        if (i == kMostTries) {
            return false;
        }
        usleep(1000);
    }
    const auto copy = runtime.pending.at_fault(reinterpret_cast<std::uintptr_t>(address));
    if (copy) {
        constexpr greg_t kIsWrite = 2;
        const bool writes = (context.uc_mcontext.gregs[REG_ERR] & kIsWrite) != 0;
        const std::string stream = copy->stream == 0 ? "the default stream" : "stream " + std::to_string(copy->stream);
        runtime.session->add_finding(
            Kind::race,
            std::string("the host ") + (writes ? "wrote" : "read") + " pinned memory that " + copy->name + " in " +
                stream + " (called at " + copy->place + ") may not have " + (copy->to_host ? "written" : "read") +
                " yet: the host has not waited for it",
            "an asynchronous copy only begins when the call returns: cudaStreamSynchronize, or cudaEventSynchronize "
            "with an event recorded after the copy, before the host uses the memory",
            host_place(reinterpret_cast<void*>(context.uc_mcontext.gregs[REG_RIP] + 1)));
    }
    runtime.mutex.unlock();
    return copy.has_value();
}

void on_fault(int number, siginfo_t* info, void* context) {
    const int saved = errno;
    if (number == SIGSEGV && info->si_code == SEGV_ACCERR &&
        report_pending_copy(info->si_addr, *static_cast<const ucontext_t*>(context))) {
        errno = saved;
        return;
    }
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
