#include "virtual_gpu/session/host_time.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace vgpu {
namespace {

// What the program's side needs for each byte: of a copy the kernel's copy; of an array also fresh pages and a second
// copy, behind guards. Three times of what was measured, as other programs use the caches.
constexpr double kSecondsOfCopy = 0.6e-9, kSecondsOfArray = 3e-9;
constexpr double kNoTime = 0;

bool read_file(int file, char (&text)[1024]) {
    const ssize_t got = pread(file, text, sizeof text - 1, 0);
    text[std::max<ssize_t>(got, 0)] = '\0';
    return got > 0;
}

}  // namespace

bool HostTime::watch(const std::string& process) {
    has_clock_ = false;
    first_file_ = whole_file_ = -1;
    int first = 0, second = 0;
    if (process.empty()) return true;
    if (std::sscanf(process.c_str(), "pid:%d", &first) == 1) {
        has_clock_ = first > 0 && clock_getcpuclockid(first, &clock_) == 0;
        return true;  // or it has ended already
    }
    if (std::sscanf(process.c_str(), "files:%d,%d", &first, &second) != 2) return false;
    char text[1024];
    first_file_ = read_file(first, text) ? first : -1;  // a kernel may be built without it
    whole_file_ = second;
    return true;
}

void HostTime::begin(std::size_t bytes) {
    last_ = of_first();
    threads_last_ = std::max(threads_last_, of_whole() - last_);
    allowed_ = static_cast<double>(bytes) * kSecondsOfArray;
}

void HostTime::moved(std::size_t bytes) { allowed_ += static_cast<double>(bytes) * kSecondsOfCopy; }

double HostTime::take() {
    const double now = of_first();
    const double spent = std::max(0.0, now - std::exchange(last_, now));
    const double free = std::min(allowed_, spent);
    allowed_ -= free;
    return spent - free;
}

// The ticks that the kernel tells are rounded down, so that a process with one thread never has any beyond it.
double HostTime::take_of_threads() {
    if (has_clock_ || first_file_ < 0) return kNoTime;
    const double now = of_whole() - of_first();
    const double spent = std::max(0.0, now - threads_last_);
    threads_last_ = std::max(threads_last_, now);
    return spent;
}

double HostTime::of_first() const {
    if (has_clock_) {
        timespec now{};
        return clock_gettime(clock_, &now) == 0
                   ? static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9
                   : last_;  // it has ended
    }
    if (first_file_ < 0) return whole_file_ < 0 ? kNoTime : of_whole();
    char text[1024];
    return read_file(first_file_, text) ? static_cast<double>(std::strtoull(text, nullptr, 10)) * 1e-9 : last_;
}

double HostTime::of_whole() const {
    static const double tick = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
    char text[1024];
    if (whole_file_ < 0 || !read_file(whole_file_, text)) return kNoTime;
    // "1234 (name) S ..": the name may hold anything, so that fields are counted from its last parenthesis on.
    const char* at = std::strrchr(text, ')');
    unsigned long long user = 0, system = 0;
    if (at == nullptr ||
        std::sscanf(at + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", &user, &system) != 2)
        return kNoTime;
    return static_cast<double>(user + system) * tick;
}

}  // namespace vgpu
