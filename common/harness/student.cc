#include "harness/student.h"

#include <algorithm>
#include <new>

#include "grading/format.h"
#include "harness/control.h"

namespace lab {
namespace {

using Status = CallResult::Status;

std::string text_of(cudaError_t code) { return std::string(cudaGetErrorName(code)) + ": " + cudaGetErrorString(code); }

// Splits "/a/b/scan.cu:24: call: error" into where, "scan.cu:24", and the rest.
void take_place(CallResult& result) {
    const std::size_t space = result.message.find(": ");
    if (space == std::string::npos) return;
    const std::string place = result.message.substr(0, space);
    const std::size_t colon = place.rfind(':');
    if (colon == std::string::npos || colon + 1 == place.size()) return;
    if (place.find_first_not_of("0123456789", colon + 1) != std::string::npos) return;
    result.where = file_name(place);
    result.message = result.message.substr(space + 2);
}

// Runs f and turns what it throws into a result.
template <class F>
void guarded(CallResult& result, F f) {
    try {
        f();
    } catch (const NotStarted& e) {
        fail(result, Status::skip, "not started");
        result.todo = e.number;
        result.where = file_name(e.where.file_name()) + ":" + std::to_string(e.where.line());
    } catch (const CudaError& e) {
        fail(result, e.code == cudaErrorMemoryAllocation ? Status::memory : Status::cuda_error, e.what(), e.code);
        take_place(result);
    } catch (const MemoryLimit& e) {
        fail(result, Status::memory, e.what());
    } catch (const std::bad_alloc&) {
        fail(result, Status::memory, "out of host memory (std::bad_alloc)");
    } catch (const std::exception& e) {
        fail(result, Status::exception, e.what());
    } catch (...) {
        fail(result, Status::exception, "threw an object that is not a std::exception");
    }
}

}  // namespace

// Errors of kernels, and of launches whose result the task did not check.
void Student::look_for_errors(CallResult& result) {
    if (const cudaError_t code = cudaDeviceSynchronize(); code != cudaSuccess) {
        fail(result, Status::cuda_error, text_of(code), code);
    } else if (const cudaError_t last = cudaGetLastError(); last != cudaSuccess) {
        fail(result, Status::cuda_error,
             text_of(last) + " (and the program went on: CUDA_CHECK(cudaGetLastError()) after a launch names the line)",
             last);
    }
}

Student::Student(Bindings bindings) : bindings_(std::move(bindings)) {}

void Student::prepare(std::span<const CallArrays> calls, std::size_t device_limit, CallResult& result) {
    calls_ = calls;
    device_limit_ = device_limit;
    guarded(result, [&] {
        work_.begin(purpose_of(calls.front().instance), device_limit);
        work_.poison();
    });
}

void Student::call(CallResult& result) {
    for (std::size_t i = 0; i < calls_.size() && result.ok(); ++i) {
        // The next call of a batch finds the Workspace as the one before has left it: poison would be in its time.
        if (i > 0) work_.begin(purpose_of(calls_[i].instance), device_limit_);
        call(calls_[i], result);
    }
}

void Student::call_nothing(CallResult& result) {
    guarded(result, [] {
        static void* byte = nullptr;
        if (byte == nullptr) CUDA_CHECK(cudaMalloc(&byte, 1));
        CUDA_CHECK(cudaMemset(byte, 0, 1));
    });
    look_for_errors(result);
}

void Student::call(const CallArrays& arrays, CallResult& result) {
    control::begin();
    call_alone(arrays, work_, result);
    control::returned();
    look_for_errors(result);
    work_.end();
    result.workspace = work_.bytes();
}

void Student::call_alone(const CallArrays& arrays, Workspace& work, CallResult& result) const {
    const auto& [instance, inputs, outputs, handles] = arrays;
    const auto binding = std::find_if(bindings_.begin(), bindings_.end(),
                                      [&](const auto& b) { return b.first == arrays.instance.task; });
    if (binding == bindings_.end())
        return fail(result, Status::bad_request, "no function is bound to task " + instance.task);
    Call call(instance, inputs, outputs, work);
    guarded(result, [&] { binding->second(call); });
}

void Student::recover(CallResult& result) {
    control::reset();
    cudaGetLastError();
    result.is_lost = cudaDeviceSynchronize() != cudaSuccess;
    if (result.is_lost) work_.forget();
}

bool Student::is_warm(const Instance& instance) const { return work_.is_ready_for(purpose_of(instance)); }

}  // namespace lab
