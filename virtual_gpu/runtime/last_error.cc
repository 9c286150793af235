#include "virtual_gpu/runtime/last_error.h"

#include <atomic>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "virtual_gpu/known_errors.h"
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

// What to use instead of a part of CUDA that the virtual GPU does not have.
const char* instead_of(std::string_view call) {
    static constexpr std::pair<std::string_view, const char*> kAdvice[] = {
        {"Graph", "launch the kernels into a stream instead of a graph"},
        {"Capture", "launch the kernels into a stream instead of a graph"},
        {"Managed", "managed memory is missing: use cudaMalloc and cudaMemcpy"},
        {"Prefetch", "managed memory is missing: use cudaMalloc and cudaMemcpy"},
        {"Advise", "managed memory is missing: use cudaMalloc and cudaMemcpy"},
        {"HostGetDevicePointer", "kernels cannot reach host memory here: copy it"},
        {"Texture", "textures are missing: read the array itself"},
        {"Surface", "surfaces are missing: use the array itself"},
        {"Array", "textures and their arrays are missing: use cudaMalloc"},
        {"cudaMemcpy3D", "textures and their arrays are missing: use cudaMalloc3D"},
    };
    for (const auto& [part, advice] : kAdvice) {
        if (call.find(part) != std::string_view::npos) {
            return advice;
        }
    }
    return "it works on a GPU: grade there, or do without it";
}

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
    // After a kernel has failed, which has its own finding, every call from there on fails.
    if (runtime.session && code != failure()) {
        const HostPlace place = host_place();
        if (code == cudaErrorNotSupported) {
            runtime.session->add_finding(Kind::unsupported, std::string(call) + " is not supported by the virtual GPU",
                                         instead_of(call), place);
        }
        runtime.session->call_failed(call, code, place);
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
