// What the code that nvcc puts into an executable calls before main(): fat binaries, kernels, device variables.
#include "virtual_gpu/runtime/runtime.h"

namespace {

using namespace vgpu::runtime;

Module* module_of(void** handle) { return reinterpret_cast<Module*>(handle); }

}  // namespace

VGPU_EXPORT void** __cudaRegisterFatBinary(void* fat) {
    Runtime& runtime = Runtime::get();
    const std::lock_guard lock(runtime.mutex);
    auto* module = new Module;
    runtime.modules.insert(module);
    module->fat_binary = fat;
    return reinterpret_cast<void**>(module);
}

VGPU_EXPORT void __cudaRegisterFatBinaryEnd(void**) {}

VGPU_EXPORT void __cudaUnregisterFatBinary(void** handle) {
    Runtime& runtime = Runtime::get();
    const std::lock_guard lock(runtime.mutex);
    Module* module = module_of(handle);
    if (runtime.modules.erase(module) == 0) {
        return;
    }
    std::erase_if(runtime.kernels, [&](const auto& entry) {
        const bool gone = entry.second->module == module;
        if (gone) {
            runtime.handles.erase(entry.second.get());
        }
        return gone;
    });
    std::erase_if(runtime.symbols, [&](const auto& entry) { return entry.second.module == module; });
    delete module;
}

VGPU_EXPORT char __cudaInitModule(void**) { return 1; }

VGPU_EXPORT void __cudaRegisterFunction(void** handle, const char* host_function, char*, const char* device_name, int,
                                        uint3*, uint3*, dim3*, dim3*, int*) {
    Runtime& runtime = Runtime::get();
    const std::lock_guard lock(runtime.mutex);
    auto kernel = std::make_unique<Kernel>();
    kernel->module = module_of(handle);
    kernel->name = device_name;
    runtime.handles.insert(kernel.get());
    runtime.kernels[host_function] = std::move(kernel);
}

VGPU_EXPORT void __cudaRegisterVar(void** handle, char* host_variable, char*, const char* device_name, int, std::size_t,
                                   int, int) {
    Runtime& runtime = Runtime::get();
    const std::lock_guard lock(runtime.mutex);
    runtime.symbols[host_variable] = {module_of(handle), device_name, false};
}

VGPU_EXPORT void __cudaRegisterManagedVar(void** handle, void** host_variable, char*, const char* device_name, int,
                                          std::size_t, int, int) {
    Runtime& runtime = Runtime::get();
    const std::lock_guard lock(runtime.mutex);
    // Host code reaches the variable through this pointer: an address that faults, so that its name can be told.
    *host_variable = reinterpret_cast<void*>(kManagedFirst + runtime.managed_names.size() * kManagedBytes);
    runtime.managed_names.emplace_back(device_name);
    runtime.managed_variables.push_back(host_variable);
    runtime.symbols[host_variable] = {module_of(handle), device_name, true};
}
