#include "harness/control.h"

#include <dlfcn.h>

#include <csignal>
#include <stdexcept>

namespace lab::control {
namespace {

template <class F>
F find(const char* name) {
    return reinterpret_cast<F>(dlsym(RTLD_DEFAULT, name));
}

void hold_clock(int holds) {
    static const auto f = find<int (*)(int)>("vgpuHoldClock");
    if (f != nullptr) f(holds);
}

}  // namespace

bool is_virtual() {
    static const bool there = dlsym(RTLD_DEFAULT, "vgpuConfigure") != nullptr;
    return there;
}

bool configure(const char* key, const std::string& value) {
    static const auto f = find<int (*)(const char*, const char*)>("vgpuConfigure");
    return f == nullptr || f(key, value.c_str()) == 0;
}

std::string take_report() {
    static const auto f = find<const char* (*)()>("vgpuTakeReport");
    const char* text = f == nullptr ? nullptr : f();
    return text == nullptr ? "" : text;
}

void poison(void* device, std::size_t bytes) {
    static const auto f = find<int (*)(void*, std::size_t)>("vgpuPoison");
    if (f != nullptr && bytes != 0) f(device, bytes);
}

void forget(void* device, std::size_t bytes) {
    static const auto f = find<int (*)(void*, std::size_t)>("vgpuForget");
    if (f != nullptr && bytes != 0) f(device, bytes);
}

void expect_defined(void* device, std::size_t bytes) {
    static const auto f = find<int (*)(void*, std::size_t)>("vgpuExpectDefined");
    if (f != nullptr && bytes != 0) f(device, bytes);
}

void reuse(void* freed) {
    static const auto f = find<int (*)(void*)>("vgpuReuse");
    if (f != nullptr) f(freed);
}

void label(void* device, const std::string& name) {
    static const auto f = find<int (*)(void*, const char*)>("vgpuLabel");
    if (f != nullptr) f(device, name.c_str());
}

void begin() {
    static const auto f = find<int (*)()>("vgpuBegin");
    if (f != nullptr) f();
}

HeldClock::HeldClock() { hold_clock(1); }
HeldClock::~HeldClock() { hold_clock(0); }

void returned() {
    static const auto f = find<int (*)()>("vgpuReturned");
    if (f != nullptr) f();
}

void reset() {
    static const auto f = find<int (*)()>("vgpuReset");
    if (f != nullptr) f();
}

bool serves(const std::string& program, const std::string& process) {
    const auto f = find<int (*)(const char*)>("vgpuServedProgram");
    const auto watch = find<int (*)(const char*)>("vgpuServedProcess");
    return f != nullptr && watch != nullptr && f(program.c_str()) == 0 && watch(process.c_str()) == 0;
}

void enter(const char* state, std::size_t host_bytes) {
    static const auto f = find<int (*)(const char*, std::size_t)>("vgpuEnter");
    if (f != nullptr && f(state, host_bytes) != 0) throw std::logic_error(std::string("no state ") + state);
}

Served serve(int socket) {
    static const auto f = find<int (*)(int)>("vgpuServe");
    const int result = f == nullptr ? 1 : f(socket);
    return result == 0 ? Served::answered : result == 2 ? Served::refused : Served::gone;
}

Refusal refusal() {
    static const auto what = find<const char* (*)()>("vgpuRefusal");
    static const auto where = find<const char* (*)()>("vgpuRefusalPlace");
    return what == nullptr || where == nullptr ? Refusal{} : Refusal{what(), where()};
}

void end_kernel_on(int signal) {
    const auto f = find<void (*)(int)>("vgpuEndKernel");
    if (f != nullptr) std::signal(signal, f);
}

void stop_on(int signal) {
    const auto f = find<void (*)(int)>("vgpuStop");
    if (f != nullptr) std::signal(signal, f);
}

}  // namespace lab::control
