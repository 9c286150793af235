#include "harness/runner.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>

#include "harness/arrays.h"
#include "harness/control.h"
#include "harness/timer.h"

namespace lab {
namespace {

using Status = CallResult::Status;

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

}  // namespace

// The arrays of one call, inputs first.
struct Runner::Placed {
    Placed(Callee& its_callee, std::span<const Argument> its_arguments) : callee(its_callee), arguments(its_arguments) {
        placed.reserve(arguments.size());
        for (const Argument& a : arguments) {
            placed.emplace_back(a.spec);
            (a.is_output ? outputs : inputs).push_back({a.spec, placed.back().data()});
            handles.push_back(callee.is_remote() && !a.spec.on_host ? placed.back().share() : ArrayHandle{});
        }
    }
    ~Placed() { callee.release(); }
    Placed(const Placed&) = delete;
    Placed& operator=(const Placed&) = delete;

    // Inputs and poison; returns the seconds that the inputs took.
    double fill() const {
        Timer transfer;
        transfer.start();
        for (std::size_t i = 0; i < placed.size(); ++i)
            if (!arguments[i].is_output) placed[i].upload(arguments[i].from);
        const double seconds = transfer.stop();
        for (std::size_t i = 0; i < placed.size(); ++i)
            if (arguments[i].is_output) placed[i].poison(arguments[i].from);
        return seconds;
    }

    Callee& callee;
    std::span<const Argument> arguments;
    std::vector<PlacedArray> placed;
    std::vector<Array> inputs, outputs;
    std::vector<ArrayHandle> handles;
};

CallResult Runner::call(const Instance& instance, std::span<const Argument> arguments, const CallOptions& options) {
    CallResult result;
    control::configure("seed", std::to_string(options.schedule));
    // A lab whose kernels launch kernels has this scalar: a launch below that is a finding.
    if (const auto depth = instance.scalars.find("depth"); depth != instance.scalars.end())
        control::configure("launch_depth", std::to_string(depth->second));
    control::configure("checks", options.checks ? "1" : "0");
    control::configure("counters", options.counters || options.timed ? "1" : "0");
    try {
        make_call(instance, arguments, options, result);
    } catch (const CudaError& e) {
        fail(result, e.code == cudaErrorMemoryAllocation ? Status::memory : Status::cuda_error, e.what(), e.code);
    }
    std::fflush(stdout);
    if (result.ok()) return result;
    if (result.report.empty()) result.report = control::take_report();
    callee_.recover(result);
    return result;
}

void Runner::make_call(const Instance& instance, std::span<const Argument> arguments, const CallOptions& options,
                       CallResult& result) {
    Placed arrays(callee_, arguments);
    std::vector<PlacedArray>& placed = arrays.placed;
    // Another process never gets the same input twice: whoever asks for its time has made a call on other data before.
    if (options.timed && !callee_.is_remote() && !callee_.is_warm(instance)) {
        control::configure("checks", "0");
        invoke(instance, arrays, options, false, result);
        control::configure("checks", options.checks ? "1" : "0");
    }
    if (result.ok()) invoke(instance, arrays, options, options.timed, result);

    // After a failure, too, read back what was written, if the device still answers.
    if (!result.ok()) control::reset();
    if (!result.ok() && cudaDeviceSynchronize() != cudaSuccess) return;
    for (std::size_t i = 0; i < placed.size(); ++i)
        if (!arguments[i].is_output && arguments[i].to != nullptr) placed[i].download(arguments[i].to);
    Timer transfer;
    transfer.start();
    for (std::size_t i = 0; i < placed.size(); ++i)
        if (arguments[i].is_output && arguments[i].to != nullptr) placed[i].download(arguments[i].to);
    result.transfer_seconds += transfer.stop();
    for (const PlacedArray& array : placed)
        if (array.overrun()) fail(result, Status::exception, "wrote outside of the host array " + array.spec().name);
}

void Runner::invoke(const Instance& instance, const Placed& arrays, const CallOptions& options, bool timed,
                    CallResult& result) {
    callee_.prepare(instance, arrays.inputs, arrays.outputs, arrays.handles, options.device_limit, result);
    if (!result.ok()) return;
    // The values come as late as can be: until here the callee may have worked, and nobody has looked.
    result.transfer_seconds = arrays.fill();
    if (timed) flush_l2();
    CUDA_CHECK(cudaDeviceSynchronize());
    control::take_report();  // drops what happened before the student's code ran

    std::optional<Timer> timer;
    if (callee_.shares_events()) timer.emplace();
    const auto wall = std::chrono::steady_clock::now();
    if (timer) timer->start();
    callee_.call(instance, arrays.inputs, arrays.outputs, result);
    result.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count();
    result.seconds = result.wall_seconds;
    if (const cudaError_t code = cudaGetLastError(); code != cudaSuccess) {  // of a kernel, whatever the callee says
        fail(result, Status::cuda_error, std::string(cudaGetErrorName(code)) + ": " + cudaGetErrorString(code), code);
    } else if (timer) {
        result.seconds = timer->stop();
    }
    for (std::size_t i = 0; i < arrays.placed.size(); ++i)
        if (arrays.arguments[i].is_output && !arrays.arguments[i].spec.on_host)
            control::expect_defined(arrays.placed[i].data(), arrays.placed[i].bytes());
    // The student must have freed what it allocated, unless it threw an exception before that.
    if (!result.ok()) result.report = control::take_report();
    control::configure("leaks", "1");
    std::string report = control::take_report();
    if (result.ok()) result.report = std::move(report);
    control::configure("leaks", "0");
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
        CUDA_CHECK(cudaDeviceSynchronize());
        const double seconds = timer.stop();
        if (seconds > 0) best = std::max(best, 2.0 * static_cast<double>(bytes) / seconds);
    }
    CUDA_CHECK(cudaFree(from));
    CUDA_CHECK(cudaFree(to));
    return best;
}

}  // namespace lab
