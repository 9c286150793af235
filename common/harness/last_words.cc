#include "harness/last_words.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

namespace lab {
namespace {

char running[256];  // "" between tasks; a plain array, since a signal handler reads it
pid_t runner;       // children that a task has forked are not watched

void say(const char* text) {
    if (write(STDERR_FILENO, text, std::strlen(text)) < 0) return;  // nothing can be done about it
}

void on_signal(int number) {
    if (running[0] != '\0') {
        say(running);
        say(number == SIGABRT ? ": aborted"
            : number == SIGFPE
                ? ": crashed in its host code: a division by zero?"
                : ": crashed in its host code: is a device pointer used there, or an index out of bounds?");
        say("\n");
    }
    signal(number, SIG_DFL);  // the instruction faults again, or abort() continues, and the process ends as usual
}

[[noreturn]] void end(int status) {
    for (;;) syscall(SYS_exit_group, status);
}

// The exit status: 1 if a task ended the program.
int judged(const char* function, int status) {
    if (running[0] == '\0' || getpid() != runner) return status;
    std::fflush(stdout);
    std::fprintf(stderr, "%s: called %s(%d); a task must return\n", running, function, status);
    return 1;
}

void at_end(int status, void*) {
    if (running[0] != '\0' && getpid() == runner) end(judged("exit", status));
}

}  // namespace

void prepare_last_words() {
    on_exit(at_end, nullptr);
    struct sigaction action {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_NODEFER | SA_ONSTACK;
    for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT}) sigaction(number, &action, nullptr);
}

InTask::InTask(const std::string& what) {
    runner = getpid();
    what.copy(running, sizeof running - 1);
}

InTask::~InTask() { std::memset(running, 0, sizeof running); }

}  // namespace lab

// Replaces the C library's functions that end a process without running its exit handlers, for all code in the program,
// the student's included. Shared libraries still call the originals.
extern "C" {
[[gnu::visibility("hidden")]] void instead_of_posix_exit(int status) __asm__("_exit");
[[gnu::visibility("hidden")]] void instead_of_c_exit(int status) __asm__("_Exit");
[[gnu::visibility("hidden")]] void instead_of_quick_exit(int status) __asm__("quick_exit");
void instead_of_posix_exit(int status) { lab::end(lab::judged("_exit", status)); }
void instead_of_c_exit(int status) { lab::end(lab::judged("_Exit", status)); }
void instead_of_quick_exit(int status) { lab::end(lab::judged("quick_exit", status)); }
}
