#include "virtual_gpu/runtime/last_error.h"

#include <atomic>
#include <mutex>

#include "virtual_gpu/runtime/missing.h"
#include "virtual_gpu/runtime/runtime.h"

namespace vgpu::runtime {
namespace {

std::atomic<unsigned> epoch{0};    // forget_errors() makes every thread's last error stale
std::atomic<bool> pending{false};  // a call has failed since anybody looked

struct Last {
    int code = 0;
    unsigned epoch = 0;
};
thread_local Last last;

int failure() {
    Runtime& runtime = Runtime::get();
    return runtime.session ? to_cuda(runtime.session->failed()) : 0;
}

}  // namespace

int set_last_error(const char* call, int code) {
    if (code == 0) {
        return 0;
    }
    last = {code, epoch};
    if (code == cudaErrorNotReady) {  // the answer to a question
        return code;
    }
    Runtime& runtime = Runtime::get();
    const std::lock_guard lock(runtime.mutex);
    if (runtime.session && code == cudaErrorNotSupported) {
        not_supported(call);
    }
    // After a kernel has failed, which has its own finding, every call from there on fails.
    const bool may_go_on = code == cudaErrorNotSupported && is_query(call);
    if (runtime.session && code != failure() && !may_go_on) {
        runtime.session->call_failed(call, code, host_place());
        pending = true;
    }
    return code;
}

int last_error(bool clear) {
    Runtime& runtime = Runtime::get();
    const std::lock_guard lock(runtime.mutex);
    if (pending.exchange(false)) {
        runtime.session->errors_seen();
    }
    int code = last.epoch == epoch ? last.code : 0;
    if (code == 0) {
        code = failure();
    }
    if (clear) {
        last = {};
    }
    return code;
}

void forget_errors() {
    ++epoch;
    pending = false;
}

}  // namespace vgpu::runtime
