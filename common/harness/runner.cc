#include "harness/runner.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <new>

#include "grading/format.h"
#include "harness/arrays.h"
#include "harness/control.h"
#include "harness/timer.h"

namespace lab {
namespace {

using Status = CallResult::Status;

void fail(CallResult& result, Status status, const std::string& message, cudaError_t code = cudaSuccess) {
    if (!result.ok()) return;  // the first failure is the cause of the others
    result.status = status;
    result.message = message;
    result.cuda_code = static_cast<int>(code);
}

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
        fail(result, Status::exception, "threw something that is no std::exception");
    }
}

// Overwrites L2, so that no call finds its input there from an earlier one.
void flush_l2() {
    if (control::is_virtual()) return;
    int bytes = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, 0));
    static void* buffer = nullptr;
    const std::size_t size = 2 * static_cast<std::size_t>(bytes);
    if (buffer == nullptr) CUDA_CHECK(cudaMalloc(&buffer, size));
    CUDA_CHECK(cudaMemset(buffer, 0, size));
}

// Errors of kernels, and of launches whose result the task did not check.
void look_for_errors(CallResult& result) {
    if (const cudaError_t code = cudaDeviceSynchronize(); code != cudaSuccess) {
        fail(result, Status::cuda_error, text_of(code), code);
    } else if (const cudaError_t last = cudaGetLastError(); last != cudaSuccess) {
        fail(result, Status::cuda_error,
             text_of(last) + " (and the program went on: CUDA_CHECK(cudaGetLastError()) after a launch names the line)",
             last);
    }
}

// Calls of the same purpose reuse the Workspace's memory.
std::string purpose_of(const Instance& instance) {
    std::string purpose = instance.task + "/" + instance.variant + "/" + std::to_string(instance.n);
    for (const auto& [name, value] : instance.scalars) purpose += "/" + name + "=" + std::to_string(value);
    return purpose;
}

}  // namespace

const char* name_of(Status status) {
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

Runner::Runner(Lab lab, Bindings bindings) : lab_(std::move(lab)), bindings_(std::move(bindings)) {}

CallResult Runner::call(const Instance& instance, std::span<const Argument> arguments, const CallOptions& options) {
    CallResult result;
    control::configure("seed", std::to_string(options.schedule));
    control::configure("checks", options.checks ? "1" : "0");
    control::configure("counters", options.counters || options.timed ? "1" : "0");
    guarded(result, [&] { make_call(instance, arguments, options, result); });
    std::fflush(stdout);
    if (result.ok()) return result;
    // After a crash of a kernel, see whether the device still answers.
    if (result.report.empty()) result.report = control::take_report();
    control::reset();
    cudaGetLastError();
    result.is_lost = cudaDeviceSynchronize() != cudaSuccess;
    if (result.is_lost) work_.forget();
    return result;
}

void Runner::make_call(const Instance& instance, std::span<const Argument> arguments, const CallOptions& options,
                       CallResult& result) {
    std::vector<PlacedArray> placed;
    placed.reserve(arguments.size());
    std::vector<Array> inputs, outputs;
    for (const Argument& a : arguments) {
        placed.emplace_back(a.spec);
        (a.is_output ? outputs : inputs).push_back({a.spec, placed.back().data()});
    }
    Timer transfer;
    transfer.start();
    for (std::size_t i = 0; i < placed.size(); ++i)
        if (!arguments[i].is_output) placed[i].upload(arguments[i].from);
    result.transfer_seconds = transfer.stop();
    const auto poison_outputs = [&] {
        for (std::size_t i = 0; i < placed.size(); ++i)
            if (arguments[i].is_output) placed[i].poison(arguments[i].from);
    };

    if (options.timed && !work_.is_ready_for(purpose_of(instance))) {
        poison_outputs();
        control::configure("checks", "0");
        invoke(instance, inputs, outputs, options, false, result);
        control::configure("checks", options.checks ? "1" : "0");
    }
    if (result.ok()) {
        poison_outputs();
        invoke(instance, inputs, outputs, options, options.timed, result);
    }

    // After a failure, too, read back what was written, if the device still answers.
    if (!result.ok()) control::reset();
    if (!result.ok() && cudaDeviceSynchronize() != cudaSuccess) return;
    for (std::size_t i = 0; i < placed.size(); ++i)
        if (!arguments[i].is_output && arguments[i].to != nullptr) placed[i].download(arguments[i].to);
    transfer.start();
    for (std::size_t i = 0; i < placed.size(); ++i)
        if (arguments[i].is_output && arguments[i].to != nullptr) placed[i].download(arguments[i].to);
    result.transfer_seconds += transfer.stop();
    for (const PlacedArray& array : placed)
        if (array.overrun()) fail(result, Status::exception, "wrote outside of the host array " + array.spec().name);
}

void Runner::invoke(const Instance& instance, std::span<const Array> inputs, std::span<const Array> outputs,
                    const CallOptions& options, bool timed, CallResult& result) {
    const auto binding =
        std::find_if(bindings_.begin(), bindings_.end(), [&](const auto& b) { return b.first == instance.task; });
    if (binding == bindings_.end())
        return fail(result, Status::bad_request, "no function is bound to task " + instance.task);
    work_.begin(purpose_of(instance), options.device_limit);
    if (timed) flush_l2();
    CUDA_CHECK(cudaDeviceSynchronize());
    control::take_report();  // drops what happened before the student's code ran

    Call call(instance, inputs, outputs, work_);
    Timer timer;
    const auto wall = std::chrono::steady_clock::now();
    timer.start();
    guarded(result, [&] { binding->second(call); });
    guarded(result, [&] { result.seconds = timer.stop(); });
    result.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count();
    look_for_errors(result);
    // The student must have freed what it allocated, unless it threw an exception before that.
    if (!result.ok()) result.report = control::take_report();
    control::configure("leaks", "1");
    std::string report = control::take_report();
    if (result.ok()) result.report = std::move(report);
    control::configure("leaks", "0");
    work_.end();
    result.workspace = work_.bytes();
}

std::string Runner::device_name() {
    cudaDeviceProp properties{};
    if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess) return "unknown device";
    return properties.name;
}

double Runner::copy_bandwidth() {
    // On a GPU four times its L2, at least 256 MiB; on the virtual GPU a size that is quick to copy.
    std::size_t bytes = std::size_t{1} << 24;
    if (!control::is_virtual()) {
        int l2 = 0;
        CUDA_CHECK(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, 0));
        bytes = std::max(std::size_t{1} << 28, 4 * static_cast<std::size_t>(l2));
    }
    void *from = nullptr, *to = nullptr;
    CUDA_CHECK(cudaMalloc(&from, bytes));
    CUDA_CHECK(cudaMalloc(&to, bytes));
    CUDA_CHECK(cudaMemset(from, 0, bytes));
    double best = 0;
    for (int repeat = 0; repeat < (control::is_virtual() ? 1 : 5); ++repeat) {
        Timer timer;
        timer.start();
        CUDA_CHECK(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice));
        const double seconds = timer.stop();
        if (seconds > 0) best = std::max(best, 2.0 * static_cast<double>(bytes) / seconds);
    }
    CUDA_CHECK(cudaFree(from));
    CUDA_CHECK(cudaFree(to));
    return best;
}

}  // namespace lab
