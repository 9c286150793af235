// Memory that the host and kernels share: cudaMallocManaged, __managed__ variables, and pinned memory of which the
// program has asked for the device's pointer. Each has the host's pages and an array of the device; whoever used it
// last has the current bytes. Before the device does anything, what the host has changed is written to the array, and
// the pages are closed. The host's next access faults, and fetches the array. A managed allocation has one address on
// both sides. Only for a device in this process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "virtual_gpu/session/local_session.h"

namespace vgpu::runtime {

class ManagedMemory {
  public:
    // Fresh pages at `host`, which hold zeros; false if the addresses are in use.
    bool make(std::uintptr_t host, DevicePtr device, std::size_t bytes, const std::string& name);
    // Pages that the program has already. The array is the device's own: forget() tells which one.
    void share(std::uintptr_t host, DevicePtr device, std::size_t bytes, const std::string& name);
    void fetched_first(std::uintptr_t host);  // the array has the current bytes: those of a variable
    DevicePtr forget(std::uintptr_t host);    // 0: there is none
    bool contains(const void*) const;
    DevicePtr device_of(std::uintptr_t host) const;  // 0: not shared

    // Before anything that runs on the device.
    void to_device(LocalSession&);
    // A kernel has been started with these arguments; the host has waited for what was started.
    void launched(std::span<const std::uint8_t> arguments);
    void awaited();

    // An access of the host has faulted; false: it is none of these.
    bool fault(LocalSession&, std::uintptr_t address, bool writes, const HostPlace&);

  private:
    struct Range {
        DevicePtr device = 0;
        std::size_t bytes = 0, mapped = 0;
        bool is_new = true, is_open = true, is_ours = false, is_in_use = false;
        std::string name;
    };
    void protect(std::uintptr_t host, const Range&, bool open);
    std::map<std::uintptr_t, Range>::iterator find(std::uintptr_t);

    std::map<std::uintptr_t, Range> ranges_;
};

}  // namespace vgpu::runtime
