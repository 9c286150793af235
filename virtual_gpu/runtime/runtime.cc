#include "virtual_gpu/runtime/runtime.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <utility>

#include "virtual_gpu/fatbin/fatbin.h"
#include "virtual_gpu/memory/memory.h"
#include "virtual_gpu/runtime/control.h"
#include "virtual_gpu/runtime/host_access.h"
#include "virtual_gpu/runtime/missing.h"

namespace vgpu::runtime {
namespace {

// CPU time of this thread when its last call returned; negative before the first call.
thread_local double left_at = -1;

double cpu_time() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

ModuleImages images_of(const void* fat_binary, int capability) {
    fatbin::Images found;
    ModuleImages images;
    fatbin::read_wrapper(fat_binary, capability, found, images.why_no_ptx);
    images.is_too_new = found.is_too_new;
    images.registers = fatbin::kernel_registers(found.cubins);
    images.ptx = std::move(found.ptx);
    images.ptx_version = found.ptx_version;
    for (const void* image : found.at) {
        images.addresses.push_back(offset_in_program(image));
    }
    return images;
}

}  // namespace

Runtime& Runtime::get() {
    static auto* it = new Runtime;
    return *it;
}

Runtime::Runtime() {
    options_from_environment(options, report_leaks);
    vgpu::host_place();  // the first one loads the unwinder, which no call of the program shall pay for
}

bool Runtime::ready() {
    if (session) {
        return true;
    }
    std::string why;
    session = make_session(*this, why);
    if (!session) {
        std::fprintf(stderr, "virtual GPU: %s\n", why.c_str());
        return false;
    }
    watch_host_accesses();
    if (local != nullptr) {
        report_at_exit();
        reports_at_exit = true;
    }
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
        case Status::invalid_ptx:
            return cudaErrorInvalidPtx;
        case Status::no_kernel_image:
            return cudaErrorNoKernelImageForDevice;
        case Status::invalid_function:
            return cudaErrorInvalidDeviceFunction;
        case Status::invalid_symbol:
            return cudaErrorInvalidSymbol;
        case Status::invalid_handle:
            return cudaErrorInvalidResourceHandle;
        case Status::cooperative_too_large:
            return cudaErrorCooperativeLaunchTooLarge;
        case Status::internal_error:
            return cudaErrorUnknown;
        case Status::lost:
            return cudaErrorDevicesUnavailable;
    }
    return cudaErrorUnknown;
}

bool is_device_address(const void* pointer) {
    const auto address = reinterpret_cast<DevicePtr>(pointer);
    return address >= kGlobalFirst && address < kVariablesEnd;
}

const std::pair<const std::uintptr_t, HostRange>* Runtime::host_range(const void* pointer) const {
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    auto next = host_ranges.upper_bound(address);
    if (next == host_ranges.begin()) {
        return nullptr;
    }
    --next;
    return address < next->first + next->second.bytes ? &*next : nullptr;
}

bool Runtime::is_device(const void* pointer) const {
    return is_device_address(pointer) && host_range(pointer) == nullptr;
}

const ManagedVariable* Runtime::variable_at(const void* pointer) const {
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    auto next = managed_variables.upper_bound(address);
    if (next == managed_variables.begin()) {
        return nullptr;
    }
    --next;
    return address < next->first + next->second.bytes ? &next->second : nullptr;
}

cudaError_t Runtime::load(Module& module) {
    if (!module.tried) {
        module.tried = true;
        ModuleImages images = images_of(module.fat_binary, profile().capability());
        for (const auto& [address, variable] : managed_variables) {
            const auto symbol = symbols.find(variable.key);
            if (symbol != symbols.end() && symbol->second.module == &module) {
                images.places.emplace(variable.name, address);
            }
        }
        module.status = session->load(images, module.id);
    }
    return to_cuda(module.status);
}

cudaError_t Runtime::find(Kernel& kernel) {
    if (kernel.known) {
        return cudaSuccess;
    }
    if (const cudaError_t error = load(*kernel.module); error != cudaSuccess) {
        return error;
    }
    const Status status = session->function(kernel.module->id, kernel.name, kernel.info);
    kernel.known = status == Status::ok;
    return to_cuda(status);
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
            mine->id = session->make_stream(true);
            has_streams = true;
        }
        return mine.get();
    }
    auto* stream = reinterpret_cast<Stream*>(handle);
    return streams.contains(stream) ? stream : nullptr;
}

cudaError_t Runtime::symbol_of(const void* variable, DevicePtr& address, std::size_t& bytes) {
    // Host code has no other address of a __managed__ variable than that of its memory.
    const ManagedVariable* managed_one = variable_at(variable);
    const auto found = symbols.find(managed_one != nullptr ? managed_one->key : variable);
    if (found == symbols.end()) {
        return cudaErrorInvalidSymbol;
    }
    if (found->second.managed && local == nullptr) {
        return static_cast<cudaError_t>(lacks("the __managed__ variable " + found->second.name));
    }
    if (const cudaError_t error = load(*found->second.module); error != cudaSuccess) {
        return error;
    }
    return to_cuda(session->symbol(found->second.module->id, found->second.name, address, bytes));
}

// A pointer to one may be anywhere.
void Runtime::load_variables() {
    if (local == nullptr || loaded_variables_ == managed_variables.size()) {
        return;
    }
    loaded_variables_ = managed_variables.size();
    for (const auto& [address, variable] : managed_variables) {
        if (const auto found = symbols.find(variable.key); found != symbols.end()) {
            load(*found->second.module);
        }
    }
}

bool Runtime::open_managed(const void* pointer) {
    const ManagedVariable* variable = variable_at(pointer);
    DevicePtr device = 0;
    std::size_t bytes = 0;
    int file = -1;
    return local != nullptr && variable != nullptr && symbol_of(variable->key, device, bytes) == cudaSuccess &&
           local->share(device, true, file) == Status::ok &&
           managed.make(device, bytes, file, ManagedMemory::Sort::managed,
                        "the __managed__ variable " + variable->name);
}

void Runtime::tell_pinned_leaks() {
    if (!report_leaks || local == nullptr || local->ended_in_failure()) {
        return;
    }
    for (auto& [base, range] : host_ranges) {
        if (!range.ours || std::exchange(range.leak_told, true)) {
            continue;
        }
        session->add_finding(
            Kind::leak,
            "pinned memory of " + counted(range.bytes, "byte") + ", allocated at " + range.place + ", was never freed",
            "call cudaFreeHost for every cudaMallocHost", range.place);
    }
}

void Runtime::tell_pending(const PendingCopies::Copy& copy, const std::string& deed, const HostPlace& place) {
    const std::string stream = copy.stream == 0 ? "the default stream" : "stream " + std::to_string(copy.stream);
    session->add_finding(Kind::race,
                         "the host " + deed + " pinned memory that " + copy.name + " in " + stream + " (called at " +
                             copy.place + ") may not have " + (copy.to_host ? "written" : "read") +
                             " yet: the host has not waited for it",
                         "an asynchronous copy only begins when the call returns: cudaStreamSynchronize, or "
                         "cudaEventSynchronize with an event recorded after the copy, before the host uses the memory",
                         place);
}

void Runtime::begin_call(bool does_work) {
    session->begin(local != nullptr && left_at >= 0 ? cpu_time() - left_at : 0, does_work);
}

void Runtime::end_call() {
    if (local != nullptr) {
        left_at = cpu_time();
    }
}

void Runtime::returned() {
    if (local == nullptr) {
        return;
    }
    const double begun = cpu_time();
    local->returned();
    if (left_at >= 0) {
        left_at += cpu_time() - begun;
    }
}

}  // namespace vgpu::runtime
