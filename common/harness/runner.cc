#include "harness/runner.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <stdexcept>

#include "harness/arrays.h"
#include "harness/control.h"
#include "harness/timer.h"

namespace lab {
namespace {

using Status = CallResult::Status;

constexpr std::uint64_t kScheduleKinds = 8;  // what the seed of a schedule says beyond these is chance

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

// The arrays of all calls of a batch.
struct Runner::Placed {
    // `places`: by array, where one of that name was in an earlier call. The new one gets that address if `reuses`.
    Placed(Callee& its_callee, KeptMemory* its_kept, std::span<const WantedCall> wanted,
           std::map<std::string, void*>& places, bool reuses)
        : callee(its_callee), kept(its_kept) {
        std::size_t bytes = 0;
        for (const WantedCall& call : wanted)
            for (const Argument& a : call.arguments) bytes += a.spec.count * size_of(a.spec.dtype);
        if (kept != nullptr && kept->is_too_much_for(2 * bytes)) free_kept();  // each array has a copy apart
        for (const WantedCall& call : wanted) {
            CallArrays& its = calls.emplace_back(CallArrays{call.instance, {}, {}, {}});
            for (const Argument& a : call.arguments) {
                void*& place = places[std::to_string(calls.size()) + a.spec.name];
                PlacedArray made(a.spec, kept, reuses ? place : nullptr);
                place = made.base();
                const PlacedArray& array = arrays.emplace_back(Entry{a, std::move(made)}).placed;
                (a.is_output ? its.outputs : its.inputs).push_back({a.spec, array.data()});
                its.handles.push_back(callee.is_remote() && !a.spec.on_host ? array.handle() : ArrayHandle{});
            }
        }
    }
    ~Placed() {
        if (kept == nullptr) callee.release();
        arrays.clear();
        if (kept != nullptr && kept->is_too_much()) free_kept();
    }
    Placed(const Placed&) = delete;
    Placed& operator=(const Placed&) = delete;

    void free_kept() const {
        callee.release();
        kept->free_all();
    }
    // Inputs; returns the seconds that they took.
    double fill_inputs() const {
        Timer transfer;
        transfer.start();
        for (const Entry& entry : arrays)
            if (!entry.argument.is_output) entry.placed.upload(entry.argument.from);
        return transfer.stop();
    }
    void poison_outputs() const {
        for (const Entry& entry : arrays)
            if (entry.argument.is_output) entry.placed.poison(entry.argument.from);
    }

    struct Entry {
        Argument argument;
        PlacedArray placed;
    };
    Callee& callee;
    KeptMemory* kept;
    std::vector<Entry> arrays;
    std::vector<CallArrays> calls;
};

Runner::Runner(Callee& callee) : callee_(callee) {}
Runner::~Runner() = default;

CallResult Runner::call(std::span<const WantedCall> calls, const CallOptions& options) {
    CallResult result;
    const Instance& first = calls.front().instance;
    control::configure("seed", std::to_string(options.schedule));
    // A lab whose kernels launch kernels has this scalar: a launch below that is a finding.
    if (const auto depth = first.scalars.find("depth"); depth != first.scalars.end())
        control::configure("launch_depth", std::to_string(depth->second));
    // And this one, which its binding sets: the task cannot allow itself more.
    if (const auto pending = first.scalars.find("pending"); pending != first.scalars.end())
        control::configure("pending_launches", std::to_string(pending->second));
    control::configure("checks", options.checks ? "1" : "0");
    control::configure("counters", options.counters || options.timed ? "1" : "0");
    control::configure("trace", options.trace);
    // Without its rules, the call would tell something else.
    if (!control::configure("what_if", options.what_if))
        throw std::invalid_argument("the virtual GPU has no such what-if rule: " + options.what_if);
    control::configure("max_steps", std::to_string(options.max_steps));
    callee_.choose_change(options.change);
    try {
        make_calls(calls, options, result);
    } catch (const CudaError& e) {
        fail(result, e.code == cudaErrorMemoryAllocation ? Status::memory : Status::cuda_error, e.what(), e.code);
    }
    std::fflush(stdout);
    if (result.ok()) return result;
    if (result.report.empty()) result.report = control::take_report();
    callee_.recover(result);
    return result;
}

void Runner::make_calls(std::span<const WantedCall> calls, const CallOptions& options, CallResult& result) {
    if (!callee_.shares_events() && kept_ == nullptr) kept_ = std::make_unique<KeptMemory>();
    // Arrays of one address hold other values in another call, and another size; in half of the calls, so that pointers
    // kept from an earlier call are found, too.
    const bool reuses = options.schedule / kScheduleKinds % 2 == 0;
    Placed placed(callee_, kept_.get(), calls, places_, reuses);
    // Another process never gets the same input twice: whoever asks for its time has made a call on other data before.
    if (options.timed && !callee_.is_remote() && !callee_.is_warm(calls.front().instance)) {
        control::configure("checks", "0");
        invoke(placed, options, false, result);
        control::configure("checks", options.checks ? "1" : "0");
    }
    if (result.ok()) invoke(placed, options, options.timed, result);

    // After a failure, too, read back what was written, if the device still answers.
    if (!result.ok()) control::reset();
    if (!result.ok() && cudaDeviceSynchronize() != cudaSuccess) return;
    if (options.nothing) return;
    for (const auto& [argument, array] : placed.arrays)
        if (!argument.is_output && argument.to != nullptr) array.download(argument.to);
    Timer transfer;
    transfer.start();
    for (const auto& [argument, array] : placed.arrays)
        if (argument.is_output && argument.to != nullptr) array.download(argument.to);
    result.transfer_seconds += transfer.stop();
    for (const auto& [argument, array] : placed.arrays)
        if (array.overrun()) fail(result, Status::exception, "wrote outside of the host array " + argument.spec.name);
}

void Runner::invoke(Placed& placed, const CallOptions& options, bool timed, CallResult& result) {
    if (callee_.shares_events()) {
        callee_.prepare(placed.calls, options.device_limit, result);
        if (result.ok()) time_by_events(placed, options, timed, result);
    } else {
        time_apart(placed, options, timed, result);
    }
    if (const cudaError_t code = cudaGetLastError(); code != cudaSuccess)  // of a kernel, whatever the callee says
        fail(result, Status::cuda_error, std::string(cudaGetErrorName(code)) + ": " + cudaGetErrorString(code), code);
    for (const auto& [argument, array] : placed.arrays)
        if (argument.is_output && !argument.spec.on_host) control::expect_defined(array.data(), array.bytes());
    // The student must have freed what it allocated, unless it threw an exception before that.
    if (!result.ok()) result.report = control::take_report();
    control::configure("leaks", "1");
    std::string report = control::take_report();
    if (result.ok()) result.report = std::move(report);
    control::configure("leaks", "0");
}

// Of calls on this process's device.
void Runner::time_by_events(Placed& placed, const CallOptions& options, bool timed, CallResult& result) {
    // The values come as late as can be: until here the callee may have worked, and nobody has looked.
    result.transfer_seconds = placed.fill_inputs();
    placed.poison_outputs();
    if (timed) flush_l2();
    CUDA_CHECK(cudaDeviceSynchronize());
    control::take_report();  // drops what happened before the student's code ran

    Timer timer;
    const auto wall = std::chrono::steady_clock::now();
    timer.start();
    let_call(options, result);
    if (callee_.is_remote()) control::begin();  // its arrays on the host came and went: its time is measured apart
    result.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count();
    result.seconds = result.wall_seconds;
    if (cudaPeekAtLastError() == cudaSuccess) result.seconds = timer.stop();
}

// Of calls by another process on a GPU, whose word is worth nothing. Two processes never compute on a GPU at the same
// time. What this one does there first and last, the copies, is within the time: work before, between or after them
// makes it longer. How long all this takes by itself is known by calls of nothing.
void Runner::time_apart(Placed& placed, const CallOptions& options, bool timed, CallResult& result) {
    for (auto& [argument, array] : placed.arrays)
        array.keep_apart(argument.is_output || options.nothing ? nullptr : argument.from);
    if (!options.nothing) placed.poison_outputs();
    callee_.prepare(placed.calls, options.device_limit, result);
    if (!result.ok()) return;
    // Arrays on the host reach the callee with the call, not before: they need no clock, and caches decide how long
    // these copies take.
    for (const auto& [argument, array] : placed.arrays)
        if (!argument.is_output && argument.spec.on_host) array.upload(argument.from);
    flush_l2();  // whoever had the GPU before, its turn begins with this process
    CUDA_CHECK(cudaDeviceSynchronize());

    const auto wall = std::chrono::steady_clock::now();
    for (const auto& [argument, array] : placed.arrays)
        if (!argument.is_output) array.put_in_place();
    if (timed) flush_l2();
    CUDA_CHECK(cudaDeviceSynchronize());
    let_call(options, result);
    for (auto& [argument, array] : placed.arrays)
        if (argument.is_output) array.take_away();
    CUDA_CHECK(cudaDeviceSynchronize());
    result.seconds = result.wall_seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count();
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
