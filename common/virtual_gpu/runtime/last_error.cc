#include "virtual_gpu/runtime/last_error.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <utility>

#include "virtual_gpu/known_errors.h"
#include "virtual_gpu/runtime/host_place.h"

namespace vgpu::runtime {
namespace {

struct Pending {
    FailedCall call;
    std::thread::id thread;
};

// Leaked on purpose: calls can arrive from destructors that run after this library's.
struct Shared {
    std::mutex mutex;
    std::vector<Pending> pending;
};
Shared& shared() {
    static auto* it = new Shared;
    return *it;
}

std::atomic<int> sticky{0};
std::atomic<unsigned> epoch{0};  // forget_errors() makes every thread's last error stale

struct Last {
    int code = 0;
    unsigned epoch = 0;
};
thread_local Last last;

void looked_at() {
    const std::lock_guard lock(shared().mutex);
    auto& pending = shared().pending;
    const auto me = std::this_thread::get_id();
    // Looking late, after more work, still finds the error: it was not ignored.
    pending.erase(std::remove_if(pending.begin(), pending.end(), [&](const Pending& p) { return p.thread == me; }),
                  pending.end());
}

}  // namespace

int set_last_error(const char* call, int code) {
    if (code == 0) {
        return 0;
    }
    last = {code, epoch};
    if (code == sticky) {  // a kernel failed: that has its own finding, and every call from there on fails
        return code;
    }
    const std::lock_guard lock(shared().mutex);
    if (shared().pending.size() < 64) {
        shared().pending.push_back({{call, code, host_stack(), false}, std::this_thread::get_id()});
    }
    return code;
}

int last_error(bool clear) {
    looked_at();
    int code = last.epoch == epoch ? last.code : 0;
    if (code == 0) {
        code = sticky;
    }
    if (clear) {
        last = {};
    }
    return code;
}

void work_goes_on() {
    const std::lock_guard lock(shared().mutex);
    for (Pending& p : shared().pending) {
        p.call.went_on = p.call.went_on || p.thread == std::this_thread::get_id();
    }
}

std::vector<FailedCall> take_ignored() {
    std::vector<FailedCall> out;
    const std::lock_guard lock(shared().mutex);
    for (Pending& p : shared().pending) {
        if (p.call.went_on) {
            out.push_back(std::move(p.call));
        }
    }
    shared().pending.clear();
    return out;
}

void forget_errors() {
    ++epoch;
    sticky = 0;
    const std::lock_guard lock(shared().mutex);
    shared().pending.clear();
}

void set_sticky_error(int code) {
    int none = 0;
    sticky.compare_exchange_strong(none, code);
}

int sticky_error() { return sticky; }

const char* error_name(int code) {
    const ErrorText* e = known_error(code);
    return e != nullptr ? e->name : "unrecognized error code";
}

const char* error_text(int code) {
    const ErrorText* e = known_error(code);
    return e != nullptr ? e->text : "unrecognized error code";
}

}  // namespace vgpu::runtime
