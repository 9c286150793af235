#include "virtual_gpu/runtime/runtime.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <utility>

#include "virtual_gpu/memory/memory.h"
#include "virtual_gpu/runtime/control.h"
#include "virtual_gpu/runtime/host_access.h"

namespace vgpu::runtime {
namespace {

// CPU time of this thread when its last call returned; negative before the first call.
thread_local double left_at = -1;

double cpu_time() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// As CUDA writes it: file:line: kernel: block: [x,y,z], thread: [x,y,z] Assertion `expression` failed.
std::string assertion_text(const Finding& f) {
    char position[160];
    std::snprintf(position, sizeof position, "block: [%u,%u,%u], thread: [%u,%u,%u]", f.block[0], f.block[1],
                  f.block[2], f.thread[0], f.thread[1], f.thread[2]);
    const std::size_t begin = f.what.find('`');
    const std::size_t end = f.what.find("' failed");
    const std::string expression =
        begin != std::string::npos && end != std::string::npos ? f.what.substr(begin + 1, end - begin - 1) : f.what;
    return f.place.file + ":" + std::to_string(f.place.line) + ": " + f.kernel + ": " + position + " Assertion `" +
           expression + "` failed.\n";
}

}  // namespace

Runtime& Runtime::get() {
    static auto* it = new Runtime;
    return *it;
}

Runtime::Runtime() {
    legacy.clock.waits_for_all = true;
    options_from_environment(options, report_leaks);
}

bool Runtime::ready(std::string& why) {
    if (device) {
        return true;
    }
    if (!find_profile(options.profile, profile, why)) {
        std::fprintf(stderr, "virtual GPU: %s\n", why.c_str());
        return false;
    }
    device = make_device(options);
    if (!device) {
        why = "the device could not be made";
        return false;
    }
    watch_host_accesses();
    report_at_exit();
    return true;
}

cudaError_t to_cuda(Status status) {
    switch (status) {
        case Status::ok:
            return cudaSuccess;
        case Status::invalid_value:
            return cudaErrorInvalidValue;
        case Status::out_of_memory:
            return cudaErrorMemoryAllocation;
        case Status::not_found:
            return cudaErrorSymbolNotFound;
        case Status::invalid_configuration:
            return cudaErrorInvalidConfiguration;
        case Status::out_of_resources:
            return cudaErrorLaunchOutOfResources;
        case Status::illegal_address:
            return cudaErrorIllegalAddress;
        case Status::misaligned_address:
            return cudaErrorMisalignedAddress;
        case Status::device_assert:
            return cudaErrorAssert;
        case Status::launch_failure:
            return cudaErrorLaunchFailure;
        case Status::timed_out:
            return cudaErrorLaunchTimeout;
        case Status::not_supported:
            return cudaErrorNotSupported;
    }
    return cudaErrorUnknown;
}

bool is_device_address(const void* pointer) {
    const auto address = reinterpret_cast<DevicePtr>(pointer);
    return address >= kGlobalFirst && address < kGlobalEnd;
}

cudaError_t Runtime::load(Module& module) {
    if (!module.tried) {
        module.tried = true;
        if (module.ptx.empty()) {
            std::fprintf(stderr, "virtual GPU: %s\n", module.why_no_ptx.c_str());
            module.status = Status::not_found;
        } else {
            std::string message;
            module.status = device->load(module.ptx, module.id, message);
            if (module.status != Status::ok) {
                std::fprintf(stderr, "virtual GPU: the PTX cannot be used: %s\n", message.c_str());
            }
        }
    }
    if (module.status == Status::ok) {
        return cudaSuccess;
    }
    return module.ptx.empty() ? cudaErrorNoKernelImageForDevice : cudaErrorInvalidPtx;
}

cudaError_t Runtime::find(Kernel& kernel) {
    if (kernel.known) {
        return cudaSuccess;
    }
    if (const cudaError_t error = load(*kernel.module); error != cudaSuccess) {
        return error;
    }
    if (device->function(kernel.module->id, kernel.name, kernel.info) != Status::ok) {
        return cudaErrorInvalidDeviceFunction;
    }
    // Only dynamic shared memory can be raised above that. The PTX compiler, which nobody has run here, refuses more.
    constexpr std::size_t kMostStaticShared = 48 << 10;
    if (kernel.info.static_shared > kMostStaticShared) {
        std::fprintf(stderr, "virtual GPU: %s declares %zu bytes of shared memory; %zu is the most\n",
                     kernel.name.c_str(), kernel.info.static_shared, kMostStaticShared);
        return cudaErrorInvalidPtx;
    }
    const auto known = kernel.module->registers.find(kernel.name);
    kernel.machine_registers = known != kernel.module->registers.end() ? known->second : 0;
    if (kernel.machine_registers != 0) {
        kernel.info.registers = kernel.machine_registers;
    }
    kernel.known = true;
    return cudaSuccess;
}

Kernel* Runtime::kernel_of(const void* function) {
    if (const auto found = kernels.find(function); found != kernels.end()) {
        return found->second.get();
    }
    const auto* handle = static_cast<const Kernel*>(function);
    return handles.contains(handle) ? const_cast<Kernel*>(handle) : nullptr;
}

Stream* Runtime::stream_of(cudaStream_t handle, bool per_thread) {
    if (handle == cudaStreamLegacy || (handle == nullptr && !per_thread)) {
        return &legacy;
    }
    if (handle == cudaStreamPerThread || handle == nullptr) {
        std::unique_ptr<Stream>& mine = thread_streams[std::this_thread::get_id()];
        if (!mine) {
            mine = std::make_unique<Stream>();
            mine->id = next_stream++;
        }
        return mine.get();
    }
    auto* stream = reinterpret_cast<Stream*>(handle);
    return streams.contains(stream) ? stream : nullptr;
}

cudaError_t Runtime::symbol_of(const void* variable, DevicePtr& address, std::size_t& bytes) {
    const auto found = symbols.find(variable);
    if (found == symbols.end()) {
        return cudaErrorInvalidSymbol;
    }
    if (found->second.managed) {
        std::fprintf(stderr, "virtual GPU: __managed__ variable %s: managed memory is not supported\n",
                     found->second.name.c_str());
        return cudaErrorNotSupported;
    }
    if (const cudaError_t error = load(*found->second.module); error != cudaSuccess) {
        return error;
    }
    const Status status = device->symbol(found->second.module->id, found->second.name, address, bytes);
    return status == Status::ok ? cudaSuccess : cudaErrorInvalidSymbol;
}

void Runtime::flush_output() {
    const std::string text = device->take_printf();
    if (!text.empty()) {
        std::fwrite(text.data(), 1, text.size(), stdout);
        std::fflush(stdout);
    }
}

void Runtime::add_finding(Finding&& finding) {
    if (finding.kind == Kind::device_assert) {
        std::fputs(assertion_text(finding).c_str(), stderr);
    }
    // Calls of the API add one at a time: the same place twice is counted, not repeated.
    for (Finding& old : report.findings) {
        if (old.kind == finding.kind && old.kernel == finding.kernel && old.place.file == finding.place.file &&
            old.place.line == finding.place.line && old.other_place.file == finding.other_place.file &&
            old.other_place.line == finding.other_place.line && old.array == finding.array &&
            old.what.substr(0, 8) == finding.what.substr(0, 8) && old.space == finding.space &&
            old.access == finding.access) {
            old.count += finding.count;
            return;
        }
    }
    if (report.findings.size() < 1000) {
        report.findings.push_back(std::move(finding));
    }
}

void Runtime::begin_call(bool work) {
    if (left_at >= 0) {
        clock.call(std::max(0.0, cpu_time() - left_at - profile.host_grace));
    }
    if (work) {
        work_goes_on();
    }
    clock.call(profile.call_host);
}

void Runtime::end_call() { left_at = cpu_time(); }

Report Runtime::take_report() {
    Report out;
    if (device) {
        for (Finding& finding : device->take_findings()) {
            add_finding(std::move(finding));
        }
    }
    for (const FailedCall& call : take_ignored()) {
        Finding f;
        f.kind = Kind::ignored_error;
        f.count = 1;
        f.place = place_of(call.stack, call.name == kLaunchName);
        f.what = call.name + " failed with " + error_name(call.code) + " (" + error_text(call.code) + ") at " +
                 text_of(f.place) + ", and the program went on";
        f.help = "check what every CUDA call returns, and cudaGetLastError() after every launch: CUDA_CHECK does both";
        add_finding(std::move(f));
    }
    if (report_leaks) {
        for (auto& [base, made] : allocations) {
            // A named one (vgpuLabel) belongs to whoever runs the program, and is freed later; the others are told
            // once.
            if (!made.name.empty() || std::exchange(made.leak_told, true)) {
                continue;
            }
            Finding f;
            f.kind = Kind::leak;
            f.count = 1;
            f.place = place_of(made.stack);
            f.array = "allocation of " + counted(made.bytes, "byte");
            f.array_bytes = made.bytes;
            f.what = f.array + ", made at " + text_of(f.place) + ", was never freed";
            f.help = "call cudaFree for every cudaMalloc";
            add_finding(std::move(f));
        }
    }
    std::swap(out, report);
    launches = 0;
    for (Finding& f : out.findings) {
        f.what = resolve_tokens(f.what);
        f.help = resolve_tokens(f.help);
        f.array = resolve_tokens(f.array);
    }
    const double now = clock.all_ready();
    out.seconds = now - reported_until;
    reported_until = now;
    return out;
}

}  // namespace vgpu::runtime
