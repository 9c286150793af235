#include "virtual_gpu/runtime/host_access.h"

#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>

#include "virtual_gpu/memory/memory.h"
#include "virtual_gpu/runtime/control.h"
#include "virtual_gpu/runtime/runtime.h"

namespace vgpu::runtime {
namespace {

struct sigaction previous_segv, previous_bus;

bool is_managed(std::uintptr_t address) { return address >= kVariablesFirst && address < kVariablesEnd; }

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
            const ManagedVariable* variable = runtime.variable_at(address);
            managed = variable != nullptr ? variable->name : "?";
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

constexpr int kMostTries = 5000;  // of a millisecond: another thread's call may take a while
bool lock(Runtime& runtime, int tries = kMostTries) {
    const Background::Wanted wanted(runtime.background);
    for (int i = 0; !runtime.mutex.try_lock(); ++i) {
        if (i == tries) {
            return false;
        }
        usleep(1000);
    }
    return true;
}

constexpr greg_t kTrapFlag = 0x100;  // of EFLAGS: a SIGTRAP after the next instruction
constexpr greg_t kIsWrite = 2;

// False: it is not memory that host and device share.
bool fetch_managed(void* address, ucontext_t& context) {
    using Fault = ManagedMemory::Fault;
    Runtime& runtime = Runtime::get();
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    Fault fault = runtime.managed.is_open(at);
    if (fault == Fault::unknown) {
        const bool is_known = runtime.managed.contains(address);
        if (!is_known && !is_managed(at)) {
            return false;
        }
        // Another thread may wait for a kernel that takes long: its memory can be used meanwhile, but not be checked.
        constexpr int kTriesInUse = 300, kTries = 20;
        const bool is_locked = lock(runtime, !is_known                       ? kMostTries
                                             : runtime.managed.is_in_use(at) ? kTriesInUse
                                                                             : kTries);
        if (runtime.managed.contains(address) ||  // now, perhaps
            (is_locked && runtime.ready() && runtime.open_managed(address))) {
            fault = runtime.managed.fault(is_locked ? runtime.local : nullptr, at,
                                          (context.uc_mcontext.gregs[REG_ERR] & kIsWrite) != 0,
                                          runtime.background.is_running(),
                                          host_place(reinterpret_cast<void*>(context.uc_mcontext.gregs[REG_RIP] + 1)));
        }
        if (is_locked) {
            runtime.mutex.unlock();
        }
    }
    if (fault == Fault::once) {
        context.uc_mcontext.gregs[REG_EFL] |= kTrapFlag;
    }
    return fault != Fault::unknown;
}

// False: no copy is pending there. Unlike above, the program goes on. It was about to use its own memory, so it is not
// inside malloc() or this library, and a report may allocate. Where only other bytes of the page belong to a copy, the
// page is open for one instruction.
bool report_pending_copy(void* address, ucontext_t& context) {
    Runtime& runtime = Runtime::get();
    if (runtime.pending.is_empty() || !lock(runtime)) {
        return false;
    }
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    bool is_known = true;
    if (const auto copy = runtime.pending.at_fault(at)) {
        const bool writes = (context.uc_mcontext.gregs[REG_ERR] & kIsWrite) != 0;
        runtime.tell_pending(*copy, writes ? "wrote" : "read",
                             host_place(reinterpret_cast<void*>(context.uc_mcontext.gregs[REG_RIP] + 1)));
    } else if (runtime.pending.open_page(at)) {
        context.uc_mcontext.gregs[REG_EFL] |= kTrapFlag;
    } else {
        is_known = false;
    }
    runtime.mutex.unlock();
    return is_known;
}

struct sigaction previous_trap;

void on_trap(int number, siginfo_t* info, void* context) {
    greg_t& flags = static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL];
    Runtime& runtime = Runtime::get();
    if ((flags & kTrapFlag) == 0) {
        if ((previous_trap.sa_flags & SA_SIGINFO) != 0) {
            previous_trap.sa_sigaction(number, info, context);
        } else {
            signal(number, previous_trap.sa_handler);
            raise(number);
        }
        return;
    }
    flags &= ~kTrapFlag;
    runtime.managed.close_again();
    if (runtime.pending.has_open_pages() && lock(runtime)) {
        runtime.pending.protect_again();
        runtime.mutex.unlock();
    }
}

// The program ends by a signal of its own: what was found until then is not lost.
void report_before_end() {
    signal(SIGALRM, SIG_DFL);
    alarm(10);  // should what follows hang: it allocates, perhaps inside malloc()
    Runtime& runtime = Runtime::get();
    if (runtime.mutex.try_lock()) {
        if (runtime.local != nullptr && runtime.reports_at_exit) {
            write_report_now();
        }
        runtime.mutex.unlock();
    }
    alarm(0);
}

void on_fault(int number, siginfo_t* info, void* context) {
    const int saved = errno;
    if (number == SIGSEGV && info->si_code == SEGV_ACCERR &&
        report_pending_copy(info->si_addr, *static_cast<ucontext_t*>(context))) {
        errno = saved;
        return;
    }
    if (number == SIGSEGV && fetch_managed(info->si_addr, *static_cast<ucontext_t*>(context))) {
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
        signal(number, SIG_DFL);
        report_before_end();  // the instruction faults again and ends the process as usual
    }
}

// With VGPU_STOP=1, for people who watch: the first ^C ends the running kernel, which says where it was, and the
// program goes on to its end and its report. Without a kernel it ends the program, with a report; a second one always
// does. Two at almost the same time are one: a signal for a group of processes is often sent to each of them, too.
constexpr double kSameSignal = 0.2;  // seconds

double seconds_now() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

void on_interrupt(int number) {
    static std::atomic<double> first = 0;
    const int saved = errno;
    const double now = seconds_now();
    double none = 0;
    const bool is_first = first.compare_exchange_strong(none, now);
    if (!is_first && now - first < kSameSignal) {
        errno = saved;
        return;
    }
    LocalSession* session = Runtime::get().local;
    if (!is_first || session == nullptr || !session->stop()) {
        signal(number, SIG_DFL);
        report_before_end();
        raise(number);
    }
    errno = saved;
}

void take_interrupts() {
    const char* wanted = std::getenv("VGPU_STOP");
    for (const int number : {SIGINT, SIGTERM}) {
        struct sigaction current {};
        sigaction(number, nullptr, &current);
        const bool is_free = (current.sa_flags & SA_SIGINFO) == 0 && current.sa_handler == SIG_DFL;
        if (wanted != nullptr && std::string_view(wanted) == "1" && is_free) {
            signal(number, on_interrupt);
        }
    }
}

void on_abort(int number) {
    signal(number, SIG_DFL);
    report_before_end();
    raise(number);
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
__attribute__((constructor)) void at_load() {
    watch_host_accesses();
    struct sigaction action {};
    action.sa_sigaction = on_trap;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGTRAP, &action, &previous_trap);
    struct sigaction current {};
    sigaction(SIGABRT, nullptr, &current);
    if ((current.sa_flags & SA_SIGINFO) == 0 && current.sa_handler == SIG_DFL) {
        signal(SIGABRT, on_abort);
    }
    take_interrupts();
}
}  // namespace

}  // namespace vgpu::runtime
