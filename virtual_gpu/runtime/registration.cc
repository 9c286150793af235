// What the code that nvcc puts into an executable calls before main(): fat binaries, kernels, device variables.
#include <dlfcn.h>

#include <cstdio>

#include "virtual_gpu/exec/report/names.h"
#include "virtual_gpu/memory/memory.h"
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
    // A library may be newer than the program that loads it.
    if (Dl_info info{}; dladdr(fat, &info) != 0 && info.dli_fname != nullptr) {
        vgpu::sources_are_of(info.dli_fname);
    }
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
                                          std::size_t bytes, int, int) {
    Runtime& runtime = Runtime::get();
    const std::lock_guard lock(runtime.mutex);
    // Host code reaches the variable through this pointer: an address that faults, so that it is mapped when it is
    // first used. Kernels have the variable at the same address. Some room is left on either side.
    constexpr std::uintptr_t kSlot = std::uintptr_t{1} << vgpu::Memory::kNarrowBits;
    std::uintptr_t first = vgpu::kVariablesFirst;
    if (!runtime.managed_variables.empty()) {
        const auto& [address, last] = *runtime.managed_variables.rbegin();
        first = (address + last.bytes + vgpu::kVariableRoom + kSlot - 1) / kSlot * kSlot;
    }
    if (first + bytes + kSlot > vgpu::kVariablesEnd) {
        std::fprintf(stderr, "virtual GPU: __managed__ variable %s: there are too many to be supported\n", device_name);
        return;
    }
    *host_variable = reinterpret_cast<void*>(first + vgpu::kVariableRoom);
    runtime.managed_variables[first + vgpu::kVariableRoom] = {host_variable, device_name, bytes};
    runtime.symbols[host_variable] = {module_of(handle), device_name, true};
}
