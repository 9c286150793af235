// Kernel launches: configuration, arguments, limits, and what a launch costs on the modelled clock.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "virtual_gpu/runtime/runtime.h"
#include "virtual_gpu/timing/occupancy.h"

namespace {

using namespace vgpu::runtime;
using vgpu::KernelReport;
using vgpu::Launch;
using vgpu::Status;

struct Configuration {
    dim3 grid, block;
    std::size_t shared = 0;
    cudaStream_t stream = nullptr;
};
thread_local std::vector<Configuration> configurations;

vgpu::BlockNeeds needs_of(const Kernel& kernel, const Configuration& c) {
    const auto threads = static_cast<std::uint64_t>(c.block.x) * c.block.y * c.block.z;
    return {static_cast<int>(std::min<std::uint64_t>(threads, 1u << 30)), kernel.info.registers,
            kernel.info.static_shared + c.shared};
}

cudaError_t check(const Runtime& runtime, const Kernel& kernel, const Configuration& c, bool cooperative) {
    const vgpu::DeviceProperties& device = runtime.profile;
    const auto threads = static_cast<std::uint64_t>(c.block.x) * c.block.y * c.block.z;
    if (c.grid.x == 0 || c.grid.y == 0 || c.grid.z == 0 || threads == 0 || c.grid.x > 0x7fffffffu || c.grid.y > 65535 ||
        c.grid.z > 65535 || c.block.x > 1024 || c.block.y > 1024 || c.block.z > 64 ||
        threads > static_cast<std::uint64_t>(device.threads_per_block)) {
        return cudaErrorInvalidConfiguration;
    }
    const std::size_t allowed =
        std::max<std::size_t>(device.shared_per_block, kernel.dynamic_limit + kernel.info.static_shared);
    if (kernel.info.static_shared + c.shared > allowed) {
        return cudaErrorInvalidValue;
    }
    if (threads > static_cast<std::uint64_t>(kernel.info.max_threads)) {  // __launch_bounds__
        return cudaErrorInvalidValue;
    }
    const int resident = vgpu::blocks_per_sm(device, needs_of(kernel, c));
    if (resident == 0) {
        return cudaErrorLaunchOutOfResources;
    }
    const auto blocks = static_cast<std::uint64_t>(c.grid.x) * c.grid.y * c.grid.z;
    if (cooperative && blocks > static_cast<std::uint64_t>(resident) * static_cast<std::uint64_t>(device.sms)) {
        return cudaErrorCooperativeLaunchTooLarge;
    }
    return cudaSuccess;
}

// For a process that is to be killed, and its report lost: the first defects of the call, a line each.
void print_seen(const std::vector<vgpu::Finding>& findings) {
    int left = 2;
    for (const vgpu::Finding& f : findings) {
        if (f.is_note || left-- <= 0) continue;
        std::fprintf(stderr, "virtual GPU: seen before: %s: %s: %s\n", name_of(f.kind), text_of(f.place).c_str(),
                     resolve_tokens(f.what).c_str());
    }
}

cudaError_t launch(Runtime& runtime, const void* function, const Configuration& c, void** arguments, bool per_thread,
                   bool cooperative) {
    Kernel* kernel = runtime.kernel_of(function);
    if (kernel == nullptr) {
        return cudaErrorInvalidDeviceFunction;
    }
    Stream* stream = runtime.stream_of(c.stream, per_thread);
    if (stream == nullptr) {
        return cudaErrorInvalidResourceHandle;
    }
    if (const cudaError_t error = runtime.find(*kernel); error != cudaSuccess) {
        return error;
    }
    if (const cudaError_t error = check(runtime, *kernel, c, cooperative); error != cudaSuccess) {
        return error;
    }
    Launch todo;
    todo.kernel = kernel->name;
    todo.module = kernel->module->id;
    todo.grid = {c.grid.x, c.grid.y, c.grid.z};
    todo.block = {c.block.x, c.block.y, c.block.z};
    todo.shared_bytes = static_cast<std::uint32_t>(c.shared);
    todo.stream = stream->id;
    todo.cooperative = cooperative;
    todo.registers = kernel->machine_registers;
    todo.params.resize(kernel->info.param_bytes);
    for (std::size_t i = 0; i < kernel->info.param_offsets.size(); ++i) {
        std::memcpy(todo.params.data() + kernel->info.param_offsets[i], arguments[i], kernel->info.param_sizes[i]);
    }

    todo.pending_limit = runtime.pending_launches;
    for (const auto& [host_function, other] : runtime.kernels) {
        if (other->module == kernel->module && other->dynamic_limit != 0) {
            todo.shared_limits.emplace_back(
                other->name, static_cast<std::uint32_t>(other->dynamic_limit + other->info.static_shared));
        }
    }

    vgpu::LaunchReport report;
    std::string message;
    ++runtime.launches;
    const Status status = runtime.device->launch(todo, report, message);
    std::vector<vgpu::Finding> findings = runtime.device->take_findings();
    const bool told = !findings.empty();  // the report says it, with more detail
    for (vgpu::Finding& finding : findings) {
        runtime.add_finding(std::move(finding));
    }

    const int resident = std::max(1, vgpu::blocks_per_sm(runtime.profile, needs_of(*kernel, c)));
    const double blocks = static_cast<double>(c.grid.x) * c.grid.y * c.grid.z;
    const double share = std::min(1.0, blocks / (static_cast<double>(resident) * runtime.profile.sms));
    runtime.clock.run(stream->clock, report.seconds, share, runtime.profile.launch, runtime.profile.launch_busy);
    runtime.clock.call(runtime.profile.launch_host);
    if (report.seconds < runtime.profile.launch) {
        report.kernels[0].limited_by = "launch";
    }
    for (KernelReport& one : report.kernels) {
        if (runtime.report.kernels.size() < 10000) {
            runtime.report.kernels.push_back(std::move(one));
        }
    }
    if (status != Status::ok) {
        const cudaError_t error = to_cuda(status);
        const bool refused = status == Status::invalid_value || status == Status::invalid_configuration ||
                             status == Status::out_of_resources || status == Status::not_found;
        if (!refused) {
            set_sticky_error(error);  // as on a GPU: every later call fails too
            runtime.flush_output();
        }
        if (status == Status::timed_out) {
            std::fprintf(stderr, "virtual GPU: stopped: %s; launch %llu, made at %s\n", message.c_str(),
                         static_cast<unsigned long long>(runtime.launches),
                         text_of(place_of(host_stack(), true)).c_str());
            print_seen(runtime.report.findings);
        } else if (!message.empty() && !told) {
            std::fprintf(stderr, "virtual GPU: %s\n", resolve_tokens(message).c_str());
        }
        return error;
    }
    return cudaSuccess;
}

cudaError_t entry(const char* name, const void* function, const Configuration& c, void** arguments, bool per_thread,
                  bool cooperative = false) {
    std::atomic<bool>& launching = Runtime::get().launching;
    launching = true;
    const cudaError_t error = api(name, kWork, [&](Runtime& runtime) {
        return launch(runtime, function, c, arguments, per_thread, cooperative);
    });
    launching = false;
    return error;
}

cudaError_t launch_with_attributes(const char* name, const cudaLaunchConfig_t* config, const void* function,
                                   void** arguments, bool per_thread) {
    if (config == nullptr) {
        return static_cast<cudaError_t>(set_last_error(name, cudaErrorInvalidValue));
    }
    bool cooperative = false;
    for (unsigned i = 0; i < config->numAttrs; ++i) {
        const cudaLaunchAttribute& attribute = config->attrs[i];
        switch (attribute.id) {
            case cudaLaunchAttributeCooperative:
                cooperative = attribute.val.cooperative != 0;
                break;
            case cudaLaunchAttributeClusterDimension:
                if (attribute.val.clusterDim.x * attribute.val.clusterDim.y * attribute.val.clusterDim.z > 1) {
                    std::fprintf(stderr, "virtual GPU: thread block clusters are not implemented\n");
                    return static_cast<cudaError_t>(set_last_error(name, cudaErrorNotSupported));
                }
                break;
            default:
                break;  // hints: priorities, programmatic serialisation, access policies
        }
    }
    return entry(name, function, {config->gridDim, config->blockDim, config->dynamicSmemBytes, config->stream},
                 arguments, per_thread, cooperative);
}

}  // namespace

VGPU_EXPORT unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared, CUstream_st* stream) {
    configurations.push_back({grid, block, shared, stream});
    return 0;
}

VGPU_EXPORT cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* stream) {
    if (configurations.empty()) {
        return cudaErrorMissingConfiguration;
    }
    const Configuration c = configurations.back();
    configurations.pop_back();
    *grid = c.grid;
    *block = c.block;
    *shared = c.shared;
    *static_cast<cudaStream_t*>(stream) = c.stream;
    return cudaSuccess;
}

// Called once for each kernel, from a static initialiser of its stub: no error state, no clock.
VGPU_EXPORT cudaError_t __cudaGetKernel(cudaKernel_t* out, const void* function) {
    Runtime& runtime = Runtime::get();
    const std::lock_guard lock(runtime.mutex);
    Kernel* kernel = runtime.kernel_of(function);
    *out = reinterpret_cast<cudaKernel_t>(kernel);
    return kernel != nullptr ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

cudaError_t cudaGetKernel(cudaKernel_t* out, const void* function) {
    return static_cast<cudaError_t>(set_last_error("cudaGetKernel", __cudaGetKernel(out, function)));
}

VGPU_EXPORT cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                                           std::size_t shared, cudaStream_t stream) {
    return entry(kLaunchName, kernel, {grid, block, shared, stream}, arguments, false);
}

VGPU_EXPORT cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                                                std::size_t shared, cudaStream_t stream) {
    return entry(kLaunchName, kernel, {grid, block, shared, stream}, arguments, true);
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                             cudaStream_t stream) {
    return entry("cudaLaunchKernel", function, {grid, block, shared, stream}, arguments, false);
}

VGPU_EXPORT cudaError_t cudaLaunchKernel_ptsz(const void* function, dim3 grid, dim3 block, void** arguments,
                                              std::size_t shared, cudaStream_t stream) {
    return entry("cudaLaunchKernel", function, {grid, block, shared, stream}, arguments, true);
}

cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                        std::size_t shared, cudaStream_t stream) {
    return entry("cudaLaunchCooperativeKernel", function, {grid, block, shared, stream}, arguments, false, true);
}

VGPU_EXPORT cudaError_t cudaLaunchCooperativeKernel_ptsz(const void* function, dim3 grid, dim3 block, void** arguments,
                                                         std::size_t shared, cudaStream_t stream) {
    return entry("cudaLaunchCooperativeKernel", function, {grid, block, shared, stream}, arguments, true, true);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void** arguments) {
    return launch_with_attributes("cudaLaunchKernelExC", config, function, arguments, false);
}

VGPU_EXPORT cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t* config, const void* function,
                                                 void** arguments) {
    return launch_with_attributes("cudaLaunchKernelExC", config, function, arguments, true);
}
