#include "virtual_gpu/runtime/control.h"

#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "virtual_gpu/runtime/runtime.h"
#include "virtual_gpu/what_if/rules.h"

namespace vgpu::runtime {
namespace {

bool read_unsigned(const std::string& text, std::uint64_t& out) {
    const bool hex = text.starts_with("0x");
    const char* begin = text.data() + (hex ? 2 : 0);
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(begin, end, out, hex ? 16 : 10);
    return error == std::errc() && stop == end;
}

bool read_bool(const std::string& text, bool& out) {
    if (text == "1" || text == "0") {
        out = text == "1";
        return true;
    }
    return false;
}

void write_all(int file, const std::string& text) {
    for (std::size_t at = 0; at < text.size();) {
        const ssize_t wrote = write(file, text.data() + at, text.size() - at);
        if (wrote <= 0) {
            return;
        }
        at += static_cast<std::size_t>(wrote);
    }
}

// With %p in it, every process writes a file of its own.
std::string with_process(std::string path) {
    if (const std::size_t at = path.find("%p"); at != std::string::npos) {
        path.replace(at, 2, std::to_string(getpid()));
    }
    return path;
}

void print(const Finding& f) {
    const std::string place = f.place.line != 0 ? text_of(f.place) + ": " : "";
    std::fprintf(stderr, "virtual GPU: %s%s: %s", place.c_str(), name_of(f.kind), f.what.c_str());
    if (f.count > 1) {
        std::fprintf(stderr, " (%llu times)", static_cast<unsigned long long>(f.count));
    }
    std::fputc('\n', stderr);
    if (!f.place.text.empty()) {
        std::fprintf(stderr, "    %s\n", f.place.text.c_str());
    }
    const bool same_place = f.other_place.line == f.place.line && f.other_place.file == f.place.file;
    if (!f.other_place.text.empty() && !same_place) {
        std::fprintf(stderr, "    %s\n      (%s)\n", f.other_place.text.c_str(), text_of(f.other_place).c_str());
    }
    if (!f.help.empty()) {
        std::fprintf(stderr, "    %s\n", f.help.c_str());
    }
}

// Findings go to stderr if nobody has said where else, or that they go nowhere.
bool text_is_wanted() {
    const auto is_set = [](const char* name) {
        const char* value = std::getenv(name);
        return value != nullptr && *value != '\0';
    };
    const char* how = std::getenv("VGPU_REPORT");
    return !is_set("VGPU_REPORT_FILE") && !is_set("VGPU_REPORT_FD") &&
           (how == nullptr || std::strcmp(how, "none") != 0);
}

}  // namespace

int configure(Options& options, bool& report_leaks, const std::string& key, const std::string& value) {
    if (key == "seed") {
        return read_unsigned(value, options.seed) ? 0 : 1;
    }
    if (key == "memory_limit") {
        return read_unsigned(value, options.memory_limit) ? 0 : 1;
    }
    if (key == "pending_launches") {
        std::uint64_t most = 0;
        if (!read_unsigned(value, most) || most > UINT32_MAX) {
            return 1;
        }
        options.pending_launches = static_cast<std::uint32_t>(most);
        return 0;
    }
    if (key == "launch_depth") {
        std::uint64_t levels = 0;
        if (!read_unsigned(value, levels) || levels > vgpu::kDeepestLaunch) {
            return 1;
        }
        options.launch_depth = static_cast<int>(levels);
        return 0;
    }
    if (key == "device_launches") {
        return read_bool(value, options.device_launches) ? 0 : 1;
    }
    if (key == "checks") {
        return read_bool(value, options.check_memory) ? 0 : 1;
    }
    if (key == "counters") {
        return read_bool(value, options.count) ? 0 : 1;
    }
    if (key == "max_steps") {
        return read_unsigned(value, options.max_steps) ? 0 : 1;
    }
    if (key == "trace") {
        options.trace = value;
        return 0;
    }
    if (key == "what_if") {
        what_if::Rules rules;
        std::string why;
        if (!what_if::parse(value, rules, why)) {
            std::fprintf(stderr, "virtual GPU: %s\n", why.c_str());
            return 1;
        }
        options.what_if = value;
        return 0;
    }
    if (key == "leaks") {
        return read_bool(value, report_leaks) ? 0 : 1;
    }
    if (key == "profile") {
        DeviceProperties found;
        std::string why;
        if (!find_profile(value, found, why)) {
            std::fprintf(stderr, "virtual GPU: %s\n", why.c_str());
            return 1;
        }
        options.profile = value;
        return 0;
    }
    return 1;
}

void options_from_environment(Options& options, bool& report_leaks) {
    constexpr const char* kNames[][2] = {{"VGPU_SEED", "seed"},
                                         {"VGPU_CHECKS", "checks"},
                                         {"VGPU_COUNTERS", "counters"},
                                         {"VGPU_PROFILE", "profile"},
                                         {"VGPU_LEAKS", "leaks"},
                                         {"VGPU_DEVICE_LAUNCHES", "device_launches"},
                                         {"VGPU_MEMORY_LIMIT", "memory_limit"}};
    for (const auto& [variable, key] : kNames) {
        if (const char* value = std::getenv(variable); value != nullptr && *value != '\0') {
            if (configure(options, report_leaks, key, value) != 0) {
                std::fprintf(stderr, "virtual GPU: %s=%s cannot be used\n", variable, value);
            }
        }
    }
}

void write_report_now(bool ended_well, bool says_unsupported) {
    Runtime::get().tell_pinned_leaks();
    const Report report = Runtime::get().local->take_report(Runtime::get().report_leaks, ended_well);
    const bool as_text = text_is_wanted();
    for (const Finding& finding : report.findings) {
        if (as_text ? !finding.is_note : says_unsupported && finding.kind == Kind::unsupported) {
            print(finding);
        }
    }
    if (const char* path = std::getenv("VGPU_REPORT_FILE"); path != nullptr && *path != '\0') {
        if (const int file = open(with_process(path).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
            file >= 0) {
            write_all(file, to_json(report) + "\n");
            close(file);
        }
        return;
    }
    if (const char* number = std::getenv("VGPU_REPORT_FD"); number != nullptr && *number != '\0') {
        write_all(std::atoi(number), to_json(report) + "\n");
    }
}

void report_at_exit() {
    static const bool once = [] {
        const auto at_exit = [](int status, void*) {
            // A thread may still be inside a call: then there is nobody to wait for.
            Runtime& runtime = Runtime::get();
            runtime.background.finish_at_exit();
            if (runtime.mutex.try_lock()) {
                write_report_now(status == 0);
                runtime.mutex.unlock();
            }
        };
        return on_exit(at_exit, nullptr) == 0;
    }();
    static_cast<void>(once);
}

// In host code it does what a handler usually must not (it allocates, it starts addr2line), and may hang.
void stop(int) {
    Runtime& runtime = Runtime::get();
    if (runtime.local != nullptr && runtime.local->stop()) {
        return;
    }
    // The kernels of another process are ended there, by the same signal: this one, or the next to come, says more than
    // host code does. After a moment without one, host code speaks; during a call, at its end, as the session is in
    // use.
    if (runtime.local == nullptr && runtime.asked_where == Runtime::Asked::no) {
        runtime.asked_where = Runtime::Asked::wait;
        std::signal(SIGALRM, stop);
        ualarm(300'000, 0);
    } else if (runtime.calls != 0) {
        runtime.asked_where = Runtime::Asked::tell;
    } else if (runtime.session && runtime.mutex.try_lock()) {
        runtime.session->stopped(host_place(), "");
        runtime.mutex.unlock();
    }
}

}  // namespace vgpu::runtime
