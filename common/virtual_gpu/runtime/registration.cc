// What the code that nvcc puts into an executable calls before main(): fat binaries, kernels, device variables.
#include <cstdio>
#include <cstring>

#include "virtual_gpu/fatbin/fatbin.h"
#include "virtual_gpu/runtime/runtime.h"

namespace {

using namespace vgpu::runtime;

constexpr unsigned kWrapperMagic = 0x466243b1;

struct Wrapper {  // __fatBinC_Wrapper_t
    unsigned magic, version;
    const void* data;
    void* const* prelinked;  // version 2: the fat binaries that were compiled with -rdc=true, ended by a null
};

Module* module_of(void** handle) { return reinterpret_cast<Module*>(handle); }

void add_ptx(Module& module, const void* fatbin) {
    std::string message;
    std::vector<std::string> texts;
    if (!vgpu::fatbin::read_ptx(fatbin, texts, message)) {
        std::fprintf(stderr, "virtual GPU: %s\n", message.c_str());
    }
    module.ptx.insert(module.ptx.end(), texts.begin(), texts.end());
}

}  // namespace

VGPU_EXPORT void** __cudaRegisterFatBinary(void* fat) {
    const auto* wrapper = static_cast<const Wrapper*>(fat);
    Runtime& runtime = Runtime::get();
    const std::lock_guard lock(runtime.mutex);
    auto* module = new Module;
    runtime.modules.insert(module);
    if (wrapper->magic != kWrapperMagic) {
        std::fprintf(stderr, "virtual GPU: the executable's fat binary has an unknown form (magic %08x)\n",
                     wrapper->magic);
        return reinterpret_cast<void**>(module);
    }
    add_ptx(*module, wrapper->data);
    if (wrapper->version == 2 && wrapper->prelinked != nullptr) {
        for (void* const* next = wrapper->prelinked; *next != nullptr; ++next) {
            add_ptx(*module, *next);
        }
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
                                          std::size_t, int, int) {
    Runtime& runtime = Runtime::get();
    const std::lock_guard lock(runtime.mutex);
    // Host code reaches the variable through this pointer: an address that faults, so that its name can be told.
    *host_variable = reinterpret_cast<void*>(kManagedFirst + runtime.managed_names.size() * kManagedBytes);
    runtime.managed_names.emplace_back(device_name);
    runtime.symbols[host_variable] = {module_of(handle), device_name, true};
}
