// What the CUDA runtime of one process knows: the device, modules and kernels, allocations, streams, events, the
// modelled clock, and what goes into the next report. One mutex guards all of it.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "virtual_gpu/device.h"
#include "virtual_gpu/runtime/clock.h"
#include "virtual_gpu/runtime/cuda_api.h"
#include "virtual_gpu/runtime/host_place.h"
#include "virtual_gpu/runtime/last_error.h"
#include "virtual_gpu/timing/profile.h"

namespace vgpu::runtime {

struct Module {
    std::vector<std::string> ptx;
    std::string why_no_ptx;
    std::map<std::string, int> registers;  // of kernels, from machine code where there is some
    bool tried = false;                    // modules are loaded when first used
    Status status = Status::ok;
    ModuleId id = -1;
};

struct Kernel {
    Module* module = nullptr;
    std::string name;
    bool known = false;
    FunctionInfo info;
    int machine_registers = 0;      // 0: there is no machine code
    std::size_t dynamic_limit = 0;  // raised by cudaFuncSetAttribute
};

struct Symbol {
    Module* module = nullptr;
    std::string name;
    bool managed = false;
};

struct Stream {
    StreamId id = 0;
    StreamClock clock;
    unsigned flags = 0;
    int priority = 0;
};

// Managed variables are not supported; each stands for so many addresses that nothing is mapped at.
constexpr std::uintptr_t kManagedFirst = 0x5480'0000'0000, kManagedBytes = 1 << 28, kManagedMost = 256;

struct Event {
    unsigned flags = 0;
    bool recorded = false;
    double time = 0;
};

struct Made {  // an allocation of the program
    std::size_t bytes = 0;
    std::vector<void*> stack;
    std::string name;  // given by vgpuLabel
    bool leak_told = false;
};

struct HostRange {
    std::size_t bytes = 0;
    unsigned flags = 0;
    bool ours = false;  // allocated by cudaMallocHost, not registered
};

class Runtime {
  public:
    static Runtime& get();  // never destroyed: calls arrive until the process ends

    std::recursive_mutex mutex;
    Options options;
    DeviceProperties profile;
    std::unique_ptr<Device> device;

    std::set<Module*> modules;
    std::map<const void*, std::unique_ptr<Kernel>> kernels;  // by host function
    std::set<const Kernel*> handles;
    std::map<const void*, Symbol> symbols;  // by host variable
    std::vector<std::string> managed_names;
    std::map<DevicePtr, Made> allocations;
    std::map<DevicePtr, std::vector<void*>> freed;  // where; addresses are used again late or never
    std::map<std::uintptr_t, HostRange> host_ranges;
    std::set<Stream*> streams;
    std::map<std::thread::id, std::unique_ptr<Stream>> thread_streams;
    std::set<Event*> events;
    Stream legacy;
    StreamId next_stream = 1;
    Clock clock;
    std::uint32_t pending_launches = 2048;  // cudaLimitDevRuntimePendingLaunchCount
    double reported_until = 0;
    Report report;
    bool report_leaks = false;
    std::uint64_t launches = 0;           // since the last report
    std::atomic<bool> launching = false;  // a kernel runs, or is about to; read by vgpuStop without the mutex

    bool ready(std::string& why);  // makes the device when first needed
    cudaError_t load(Module&);
    cudaError_t find(Kernel&);  // fills info
    Kernel* kernel_of(const void* function_or_handle);
    Stream* stream_of(cudaStream_t, bool per_thread);
    cudaError_t symbol_of(const void* variable, DevicePtr& address, std::size_t& bytes);

    // Text that kernels printed goes to stdout, failed assertions to stderr.
    void flush_output();
    void add_finding(Finding&&);
    Report take_report();

    void begin_call(bool work);
    void end_call();

  private:
    Runtime();
};

cudaError_t to_cuda(Status);
bool is_device_address(const void*);

// Every entry of the API runs through this: the lock, host time, the sticky error, the last error.
enum Entry : unsigned { kPlain = 0, kWork = 1, kAlways = 2 };  // kAlways: also after a sticky error
template <class Body>
cudaError_t api(const char* name, unsigned entry, Body&& body) {
    Runtime& runtime = Runtime::get();
    const std::lock_guard lock(runtime.mutex);
    std::string why;
    if (!runtime.ready(why)) {
        return static_cast<cudaError_t>(set_last_error(name, cudaErrorInitializationError));
    }
    runtime.begin_call((entry & kWork) != 0);
    cudaError_t error = cudaSuccess;
    if ((entry & kAlways) == 0 && sticky_error() != 0) {
        error = static_cast<cudaError_t>(sticky_error());
    } else {
        error = body(runtime);
    }
    runtime.end_call();
    return static_cast<cudaError_t>(set_last_error(name, error));
}

}  // namespace vgpu::runtime
