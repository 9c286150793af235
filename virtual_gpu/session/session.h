// One program's use of a device. All that decides a verdict is kept here: memory, the order of work, the modelled
// clock, findings, counters, and the bytes that went to the host. Values only: no pointer into the device ever leaves
// it, so that the session may live in another process than the program (remote_session.cc, server.cc).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "virtual_gpu/device.h"
#include "virtual_gpu/timing/profile.h"

namespace vgpu {

inline constexpr const char* kLaunchName = "a kernel launch";  // the name of a call that came by <<<>>>

using HostPlace = std::string;  // where in the program a call was made: a token, see host_place.h

// The device code of one module: what __cudaRegisterFatBinary was given.
struct ModuleImages {
    std::vector<std::string> ptx;
    int ptx_version = 0;  // the highest compute capability of these texts
    std::string why_no_ptx = {};
    bool is_too_new = false;                    // why: no device of this capability runs it, a GPU neither
    std::map<std::string, int> registers = {};  // of kernels, from machine code where there is some
    std::vector<std::uint64_t> addresses = {};  // of its fat binaries in the program's file
    VariablePlaces places = {};                 // of its __managed__ variables, if the device is in this process
};

enum class Way : std::uint8_t { host_to_host, host_to_device, device_to_host, device_to_device };

// `height` rows of `width` bytes; the rows of one array are `pitch` bytes apart. A plain copy has one row.
struct CopyCall {
    std::string name;  // "cudaMemcpy"
    Way way{};
    DevicePtr to = 0, from = 0;  // on the device, else 0
    std::size_t to_pitch = 0, from_pitch = 0, width = 0, height = 1;
    StreamId stream = 0;
    bool async = false, pinned = false;
    HostPlace place;
};

struct FillCall {
    std::string name;
    DevicePtr to = 0;
    std::size_t pitch = 0, width = 0, height = 1;
    std::uint8_t value = 0;
    StreamId stream = 0;
    HostPlace place;
};

// What the program waits for.
struct Wait {
    enum class For : std::uint8_t { device, stream, event } what = For::device;
    int id = 0;             // of the stream or event
    bool only_ask = false;  // cudaStreamQuery, cudaEventQuery
};

class Session {
  public:
    virtual ~Session() = default;

    virtual const DeviceProperties& profile() const = 0;
    // Each call of the API begins with this: `host_seconds` of CPU time were spent since the last one (a remote session
    // has them measured by the other process), and errors that nobody has looked at are ignored errors if the call does
    // more work.
    virtual void begin(double host_seconds, bool does_work) = 0;
    // After a kernel has failed, every operation fails with its status, until reset().
    virtual Status failed() const = 0;
    virtual void reset() = 0;  // of a session with another process: that one decides

    virtual Status load(const ModuleImages&, ModuleId& out) = 0;
    virtual Status function(ModuleId, std::string_view name, FunctionInfo& out) = 0;
    virtual Status symbol(ModuleId, std::string_view name, DevicePtr& out, std::size_t& bytes) = 0;

    // `async`: in the order of the stream.
    virtual Status allocate(std::size_t bytes, bool async, StreamId, const HostPlace&, DevicePtr& out) = 0;
    virtual Status release(DevicePtr, const char* name, bool async, StreamId, const HostPlace&) = 0;
    virtual void release_all() = 0;  // cudaDeviceReset
    virtual bool find(DevicePtr, DevicePtr& base, std::size_t& bytes) = 0;
    virtual std::size_t bytes_free() = 0;
    virtual std::size_t bytes_total() = 0;

    // `host_to` and `host_from` are the host's side of a copy to or from the host.
    virtual Status copy(const CopyCall&, void* host_to, const void* host_from) = 0;
    virtual Status fill(const FillCall&) = 0;
    virtual Status launch(const Launch&, const HostPlace&) = 0;

    virtual StreamId make_stream(bool blocking) = 0;
    virtual void destroy_stream(StreamId) = 0;
    virtual void host_function(StreamId) = 0;  // the time of one
    virtual EventId make_event() = 0;
    virtual void destroy_event(EventId) = 0;
    virtual Status record(EventId, StreamId) = 0;
    virtual Status wait_event(StreamId, EventId) = 0;
    virtual Status elapsed(EventId from, EventId to, double& seconds) = 0;
    virtual Status wait(const Wait&) = 0;
    virtual void spend(double host_seconds) = 0;  // modelled time of a call that only the host's side makes

    virtual void call_failed(const std::string& name, int code, const HostPlace&) = 0;
    virtual void errors_seen() = 0;
    virtual void add_finding(Kind, const std::string& what, const std::string& help, const HostPlace&) = 0;
    // Host code used device memory or, if it has a name, a managed variable; told on stderr too.
    virtual void host_access(DevicePtr, const std::string& managed, const HostPlace&) = 0;
    // The program was asked where it is while no kernel ran (launched_at empty), or its kernel was ended.
    virtual void stopped(const HostPlace& host_code, const HostPlace& launched_at) = 0;
};

}  // namespace vgpu
