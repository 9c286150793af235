// The device as a machine: memory, kernels, findings of kernels. session/ keeps one program's use of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "virtual_gpu/check/global_races.h"
#include "virtual_gpu/check/stream_order.h"
#include "virtual_gpu/report.h"
#include "virtual_gpu/timing/least_time.h"
#include "virtual_gpu/timing/work.h"

namespace vgpu {

using DevicePtr = std::uint64_t;
using ModuleId = int;
using StreamId = int;  // 0: the default stream
using EventId = int;
using VariablePlaces = std::map<std::string, DevicePtr>;

// What an operation on the device can end with; the runtime maps these to cudaError_t.
enum class Status {
    ok,
    invalid_value,
    out_of_memory,
    not_found,
    invalid_configuration,
    out_of_resources,
    illegal_address,
    misaligned_address,
    device_assert,
    launch_failure,
    timed_out,  // Device::stop() was called
    not_supported,
    invalid_ptx,
    no_kernel_image,
    invalid_function,
    invalid_symbol,
    invalid_handle,  // of a stream or event
    cooperative_too_large,
    internal_error,  // of the virtual GPU itself
    lost             // the device's process does not answer
};

constexpr int kDeepestLaunch = 24;  // levels of launches by kernels below the host's that CUDA has

struct Options {
    std::uint64_t seed = 0;    // order of blocks and warps, residency
    bool check_memory = true;  // races, uninitialised reads; bounds are always checked
    bool count = true;         // counters per source line; the modelled time needs them
    std::string profile = "teaching";
    std::uint64_t memory_limit = 0;      // bytes; 0: the profile's
    std::uint32_t pending_launches = 0;  // by kernels, that may wait at most, whatever the program allows; 0: that many
    int launch_depth = kDeepestLaunch;   // levels of launches by kernels that are meant; a deeper one is a finding
    bool device_launches = true;         // kernels may launch kernels: CUDA's device runtime is linked
    std::uint64_t max_steps = 0;         // warp instructions that a launch may take; 0: as many as it needs
    std::string trace;                   // "41 /path/of/scan.cu": whose addresses are wanted, see Trace; "": none
    std::string what_if;                 // rules of what_if/rules.h; "": none
};

struct DeviceProperties;  // virtual_gpu/timing/profile.h

struct Launch {
    std::string kernel;  // mangled name
    ModuleId module = 0;
    Index3 grid{}, block{};
    std::uint32_t shared_bytes = 0;  // dynamic
    StreamId stream = 0;
    bool cooperative = false;
    // Programmatic dependent launch: it may begin before the kernel in front of it in the stream is complete.
    bool dependent = false;
    int registers = 0;  // per thread, from the executable's machine code; 0: none there, take the estimate from PTX
    std::uint64_t room = 0;           // blocks of it that the device holds at once; 0: unknown. Set by the session
    std::uint64_t dynamic_limit = 0;  // bytes of dynamic shared memory that cudaFuncSetAttribute allows; 0: the usual
    std::uint32_t pending_limit =
        2048;  // launches by kernels that have not begun: cudaLimitDevRuntimePendingLaunchCount
    // Kernels that it may launch with more dynamic shared memory than usual: name, all of a block's shared bytes.
    std::vector<std::pair<std::string, std::uint32_t>> shared_limits;
    std::vector<std::uint8_t> params;  // laid out as the kernel's .param space
};

struct FunctionInfo {  // of a kernel, for cudaFuncGetAttributes, occupancy and argument marshalling
    std::vector<std::size_t> param_offsets, param_sizes;
    std::size_t param_bytes = 0, static_shared = 0, local_bytes = 0, const_bytes = 0;
    int registers = 0, max_threads = 1024;
    int machine_registers = 0;  // from machine code; 0: there is none
    int ptx_version = 0;        // compute capability that its PTX was compiled for: 75 for compute_75
};

struct LaunchReport {
    std::vector<KernelReport> kernels;  // the kernel itself, then those that were launched by it and by them
    double seconds = 0;                 // modelled, until all of them have ended
    Demand work;                        // of all of them
    // Of a dependent launch: has it waited for the kernel before? Always before its own dependents could begin?
    bool has_awaited_primary = false, triggers_late = false;
};

// Two operations in streams that nothing orders, on the same bytes; `here` is the later one.
struct StreamRace {
    struct Side {
        StreamOrder::Number operation = 0;
        const char* access = "";  // "read", "write", "atomic"
        SourcePlace place;        // of a kernel's access
        bool is_early = false;    // of a dependent launch that had not waited
    };
    Side here, other;
    std::string array;
    DevicePtr base = 0;
    std::uint64_t array_bytes = 0;
    std::int64_t offset = 0;  // from the array's beginning
    std::uint64_t count = 0;
    int access_bytes = 1;
};

// The host beside a kernel that runs: what the kernel waits for may be the host's to do.
class HostSide {
  public:
    virtual ~HostSide() = default;
    // Between two turns of the kernel's warps: if the host asks for the device, it may use it now.
    virtual void let_in() = 0;
    // The kernel waits in a loop that reads memory of the host. `is_stuck`: no warp does anything else. `has_changed`:
    // since the last time, one did. Returns when the loop may look again; false: the host cannot help.
    virtual bool wait(bool is_stuck, bool has_changed) = 0;
    virtual bool may_copy() = 0;        // in other streams: to memory of the device that the kernel waits for
    virtual bool holds_back() = 0;      // has launches that begin only when this kernel has ended, and need not have
    virtual std::string why_not() = 0;  // why the host cannot help
};

class Device {
  public:
    virtual ~Device() = default;
    virtual void set_host(HostSide*) = 0;  // nullptr: it waits for each kernel to end
    virtual Status configure(const Options&) = 0;
    // PTX texts that were linked into one module. The message tells what could not be parsed or linked.
    // `places`: addresses of __managed__ variables, from kVariablesFirst on (memory.h).
    virtual Status load(std::span<const std::string> ptx, const VariablePlaces& places, ModuleId& out,
                        std::string& message) = 0;
    virtual Status function(ModuleId, std::string_view name, FunctionInfo& out) = 0;
    virtual Status symbol(ModuleId, std::string_view name, DevicePtr& out, std::size_t& bytes) = 0;
    // `label` says where the allocation was made, for findings.
    virtual Status allocate(std::size_t bytes, std::string_view label, DevicePtr& out) = 0;
    virtual Status release(DevicePtr) = 0;
    // Memory that the host has, too: see Memory.
    virtual Status allocate_on_host(std::size_t bytes, std::string_view label, DevicePtr& out, int& file) = 0;
    virtual Status share(DevicePtr, bool keeps, int& file) = 0;
    virtual Status adopt(std::uintptr_t host, std::size_t bytes, std::string_view label) = 0;
    virtual void abandon(std::uintptr_t host) = 0;
    virtual void host_has(DevicePtr, std::size_t bytes) = 0;
    virtual bool has_undefined(DevicePtr) = 0;  // perhaps
    virtual Status write(DevicePtr to, std::span<const std::byte> from) = 0;
    virtual Status read(DevicePtr from, std::span<std::byte> to) = 0;
    virtual Status copy(DevicePtr to, DevicePtr from, std::size_t bytes) = 0;
    virtual Status fill(DevicePtr to, std::uint32_t value, int width, std::size_t count) = 0;
    // Fills with garbage and marks the bytes as never written.
    virtual Status poison(DevicePtr, std::size_t bytes) = 0;
    // Marks the bytes as never written; the values stay, so that a caller may poison with values of its own.
    virtual Status forget(DevicePtr, std::size_t bytes) = 0;
    virtual Status reuse(DevicePtr freed) = 0;  // by the next allocation
    // The range goes to the host. True if it holds undefined values that were stored there: the finding then says all
    // but where the copy is. It is told once.
    virtual bool take_undefined(DevicePtr, std::size_t bytes, Finding&) = 0;
    // A name for an allocation, used by findings instead of where it was made.
    virtual Status label(DevicePtr, std::string_view name) = 0;
    // The allocation that an address belongs to (also when outside it by up to gigabytes).
    virtual bool find(DevicePtr, DevicePtr& base, std::size_t& bytes) = 0;
    // What the last launch that used this array has done to these bytes of it; only while memory is checked.
    virtual KernelUse use_of(DevicePtr, std::size_t bytes) = 0;
    // The device's own view of memory that the host has, too; nullptr: it is no such memory.
    virtual std::byte* view(DevicePtr) = 0;
    // Runs the kernel, and all that it launches, to the end. On failure `message` is a sentence with kernel and source
    // line.
    virtual Status launch(const Launch&, LaunchReport& out, std::string& message) = 0;
    // What comes next is this operation in a stream: a launch, or what accesses() says. nullptr: no matter which.
    // Only while memory is checked.
    virtual void begin_operation(const StreamOrder::Operation*, std::uint32_t era, ModuleId = 0) = 0;
    virtual void set_beside(bool) = 0;  // operations from now on are made while a kernel waits
    // The operation was a launch, the last one, of a kernel of this module.
    virtual void follow_last_launch(ModuleId) = 0;
    virtual void accesses(DevicePtr, std::size_t bytes, bool is_write) = 0;
    // Of this operation. `seen`: operations of which the kernel has seen that they were done, and that count as before.
    virtual std::vector<StreamRace> take_stream_races(std::vector<StreamOrder::Operation>& seen) = 0;
    // Ends the running launch and every later one with Status::timed_out. From any thread, from a signal handler too.
    virtual void stop() = 0;
    virtual std::vector<Finding> take_findings() = 0;
    virtual std::optional<Trace> take_trace() = 0;
    // Under the rule that asks for it: the host has made a copy or, with `from` 0, a fill or a copy from itself, there.
    virtual void moved(DevicePtr to, DevicePtr from, std::size_t bytes, const std::string& name,
                       const std::string& place, bool is_fill) = 0;
    virtual std::vector<Watched> take_watched() = 0;
    virtual std::vector<Unread> take_unread() = 0;
    // As if something else had used the device: L2 has nothing of earlier work, and least_time() begins anew. Variables
    // are changed, if Options::what_if says so.
    virtual void begin_call() = 0;
    // What all work since begin_call() takes at least.
    virtual LeastTime least_time() = 0;
    virtual std::string take_printf() = 0;
    virtual std::string take_assertions() = 0;  // those that failed, as CUDA prints them
    virtual std::size_t bytes_free() = 0;
    virtual std::size_t bytes_total() = 0;
};

std::unique_ptr<Device> make_device(const Options&);

}  // namespace vgpu
