// Kernel launches: configuration and arguments.
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "virtual_gpu/runtime/graph.h"

namespace {

using namespace vgpu::runtime;
using vgpu::Launch;
using vgpu::Status;

struct Configuration {
    dim3 grid, block;
    std::size_t shared = 0;
    cudaStream_t stream = nullptr;
};
thread_local std::vector<Configuration> configurations;

cudaError_t run(Runtime& runtime, const Launch& todo, const vgpu::HostPlace& place) {
    runtime.to_device();
    if (runtime.local != nullptr) {
        runtime.managed.launched(*runtime.local, todo.params);
    }
    const Status status = runtime.session->launch(todo, place);
    if (status == Status::timed_out) {
        runtime.asked_where = Runtime::Asked::no;
        alarm(0);
        runtime.session->stopped("", vgpu::host_place());
    }
    return to_cuda(status);
}

struct Attributes {
    bool cooperative = false;
    bool dependent = false;  // programmatic stream serialisation
    bool by_stub = false;    // <<<>>>
};

// Is what comes before the next call in the stream a kernel, and nothing else?
bool follows_kernel(const Stream& stream) {
    const std::vector<Node*>& after = stream.at.after;
    return stream.at.capture ? after.size() == 1 && stream.at.ends_with_kernel : stream.ends_with_kernel;
}

cudaError_t launch(Runtime& runtime, const void* function, const Configuration& c, void** arguments, bool per_thread,
                   const Attributes& attributes) {
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
    runtime.load_variables();
    Launch todo;
    todo.kernel = kernel->name;
    todo.module = kernel->module->id;
    todo.grid = {c.grid.x, c.grid.y, c.grid.z};
    todo.block = {c.block.x, c.block.y, c.block.z};
    todo.shared_bytes = static_cast<std::uint32_t>(c.shared);
    todo.cooperative = attributes.cooperative;
    todo.dependent = attributes.dependent && follows_kernel(*stream);
    todo.dynamic_limit = kernel->dynamic_limit;
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

    runtime.has_streams |= attributes.dependent;
    vgpu::HostPlace place = vgpu::host_place();  // findings name it
    if (!attributes.by_stub) {
        vgpu::mark_without_stub(place);
    }
    const bool is_dependent = todo.dependent;
    if (runtime.background.is_running()) {  // it may be held, but what is wrong with it is told now
        if (const Status status = runtime.local->may_launch(todo, place); status != Status::ok) {
            return to_cuda(status);
        }
    }
    const cudaError_t error = work_in(
        runtime, *stream, cudaGraphNodeTypeKernel,
        [todo = std::move(todo), place](Runtime& device, Stream& in) mutable {
            todo.stream = in.id;
            const bool may_wait =
                device.local != nullptr && !device.background.is_me() && (device.has_streams || device.shares_memory());
            return may_wait ? device.background.launch(in, [&device, todo, place] { return run(device, todo, place); })
                            : run(device, todo, place);
        });
    if (error == cudaSuccess && stream->at.capture) {
        stream->at.after[0]->is_dependent = is_dependent;
    }
    return error;
}

cudaError_t entry(const char* name, const void* function, const Configuration& c, void** arguments, bool per_thread,
                  const Attributes& attributes = {}) {
    std::atomic<bool>& launching = Runtime::get().launching;
    launching = true;
    const cudaError_t error = api(
        name, kWork, [&](Runtime& runtime) { return launch(runtime, function, c, arguments, per_thread, attributes); });
    launching = false;
    return error;
}

cudaError_t launch_with_attributes(const char* name, const cudaLaunchConfig_t* config, const void* function,
                                   void** arguments, bool per_thread) {
    if (config == nullptr) {
        return static_cast<cudaError_t>(set_last_error(name, cudaErrorInvalidValue));
    }
    Attributes attributes;
    const auto refuse = [&](const char* what) {
        return api(name, kPlain, [&](Runtime&) { return static_cast<cudaError_t>(lacks(what)); });
    };
    for (unsigned i = 0; i < config->numAttrs; ++i) {
        const cudaLaunchAttribute& attribute = config->attrs[i];
        switch (attribute.id) {
            case cudaLaunchAttributeCooperative:
                attributes.cooperative = attribute.val.cooperative != 0;
                break;
            case cudaLaunchAttributeProgrammaticStreamSerialization:
                attributes.dependent = attribute.val.programmaticStreamSerializationAllowed != 0;
                break;
            case cudaLaunchAttributeProgrammaticEvent:
            case cudaLaunchAttributeLaunchCompletionEvent:
                return refuse("events that a running kernel triggers");
            case cudaLaunchAttributeClusterDimension:
                if (attribute.val.clusterDim.x * attribute.val.clusterDim.y * attribute.val.clusterDim.z > 1) {
                    return refuse("thread block clusters");
                }
                break;
            default:
                break;  // hints: priorities, access policies
        }
    }
    return entry(name, function, {config->gridDim, config->blockDim, config->dynamicSmemBytes, config->stream},
                 arguments, per_thread, attributes);
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
    return entry(vgpu::kLaunchName, kernel, {grid, block, shared, stream}, arguments, false, {.by_stub = true});
}

VGPU_EXPORT cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                                                std::size_t shared, cudaStream_t stream) {
    return entry(vgpu::kLaunchName, kernel, {grid, block, shared, stream}, arguments, true, {.by_stub = true});
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
    return entry("cudaLaunchCooperativeKernel", function, {grid, block, shared, stream}, arguments, false,
                 {.cooperative = true});
}

VGPU_EXPORT cudaError_t cudaLaunchCooperativeKernel_ptsz(const void* function, dim3 grid, dim3 block, void** arguments,
                                                         std::size_t shared, cudaStream_t stream) {
    return entry("cudaLaunchCooperativeKernel", function, {grid, block, shared, stream}, arguments, true,
                 {.cooperative = true});
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void** arguments) {
    return launch_with_attributes("cudaLaunchKernelExC", config, function, arguments, false);
}

VGPU_EXPORT cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t* config, const void* function,
                                                 void** arguments) {
    return launch_with_attributes("cudaLaunchKernelExC", config, function, arguments, true);
}
