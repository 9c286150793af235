#include "harness/callee.h"

namespace lab {

const char* name_of(CallResult::Status status) {
    using Status = CallResult::Status;
    switch (status) {
        case Status::ok:
            return "ok";
        case Status::skip:
            return "skip";
        case Status::cuda_error:
            return "cuda_error";
        case Status::exception:
            return "exception";
        case Status::memory:
            return "memory";
        case Status::bad_request:
            return "bad_request";
    }
    return "bad_request";
}

void fail(CallResult& result, CallResult::Status status, const std::string& message, int cuda_code) {
    if (!result.ok()) return;
    result.status = status;
    result.message = message;
    result.cuda_code = cuda_code;
}

std::string purpose_of(const Instance& instance) {
    std::string purpose = instance.task + "/" + instance.variant + "/" + std::to_string(instance.n);
    for (const auto& [name, value] : instance.scalars) purpose += "/" + name + "=" + std::to_string(value);
    return purpose;
}

}  // namespace lab
