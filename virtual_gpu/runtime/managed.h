// Memory that the host and kernels share: cudaMallocManaged, __managed__ variables, pinned and registered memory. It
// has one address on both sides, and one set of bytes: what either side writes, the other has at once. The device uses
// a view of its own. The host's view is closed while a kernel may use the memory, so that the first access of the host
// faults: that is the only way to see an access of the host that nothing orders after the kernel. Registered memory
// shares its pages with other data, and is never closed. Only for a device in this process.
//
// Any thread of the host may fault at any time, so this has a lock of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "virtual_gpu/session/local_session.h"

namespace vgpu::runtime {

class ManagedMemory {
  public:
    enum class Sort : std::uint8_t { managed, pinned, registered };
    // Maps the host's view of the pages in `file`, and closes the file; false if the addresses are in use.
    bool make(std::uintptr_t host, std::size_t bytes, int file, Sort, const std::string& name);
    void adopt(std::uintptr_t host, std::size_t bytes);  // registered
    bool forget(std::uintptr_t host);                    // false: there is none
    void forget_managed();                               // all that cudaMallocManaged made
    bool is_empty();
    bool contains(const void*);  // not registered memory
    bool is_managed(const void*);

    // Before anything that the device does; a kernel with these arguments in particular; and when the host has waited.
    void to_device(LocalSession&);
    void launched(LocalSession&, std::span<const std::uint8_t> arguments);
    void awaited(LocalSession*);

    // An access of the host has faulted.
    enum class Fault : std::uint8_t {
        unknown,  // none of this memory
        open,     // it can be used now
        once      // by one instruction: then close_again()
    };
    // Is it memory that the host can use already, as another thread has faulted before?
    Fault is_open(std::uintptr_t address);
    // `session` is nullptr if the device is busy: then nothing is checked. `is_running`: a kernel has not ended.
    Fault fault(LocalSession* session, std::uintptr_t address, bool writes, bool is_running, const HostPlace&);
    bool is_in_use(std::uintptr_t address);  // by a kernel that was started with its address
    void close_again();

  private:
    struct Range {
        std::size_t bytes = 0, mapped = 0;
        Sort sort = Sort::managed;
        bool is_open = true, is_in_use = false;
        std::string name;
        std::map<std::uintptr_t, int> pages;  // that are open while the range is not, and how
        int looks = 0;                        // accesses that were let through one by one
    };
    using At = std::map<std::uintptr_t, Range>::iterator;
    At find(std::uintptr_t);
    static void open(std::uintptr_t host, Range&);
    static void close(std::uintptr_t host, Range&);
    void open_all();
    Fault look(LocalSession&, At, std::uintptr_t address, bool writes, bool is_running, const HostPlace&);
    static void tell(LocalSession&, const Range&, bool writes, const HostPlace&);

    std::mutex mutex_;
    std::map<std::uintptr_t, Range> ranges_;
    std::vector<std::pair<std::thread::id, std::uintptr_t>> once_;  // pages that are open for one instruction
    std::set<std::uintptr_t> looked_at_;  // read in this way: perhaps flags that a kernel sets at this moment
};

}  // namespace vgpu::runtime
