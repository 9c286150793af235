// Asynchronous copies between the device and pinned memory that the host has not waited for. Here a copy is done when
// the call returns; on a GPU it may not have begun. So the pages of the memory are protected until the host has waited:
// those that a copy writes from any access, those that it reads from being written. A fault is the proof that the
// program did not wait; it is told once, and the program goes on.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "virtual_gpu/check/stream_order.h"
#include "virtual_gpu/session/session.h"

namespace vgpu::runtime {

class PendingCopies {
  public:
    struct Copy {
        std::string name;  // "cudaMemcpyAsync"
        StreamId stream = 0;
        bool to_host = false;
        HostPlace place;
    };

    // `bytes` from `memory` on, which is `room` bytes away from the end of an allocation that has its pages to itself.
    // Pages that the copy shares with other parts of the allocation stay as they are, as system calls may use those
    // parts (write(2) would fail); but the only page of a small allocation is protected, see open_page().
    void add(Copy&&, std::uintptr_t memory, std::size_t bytes, std::size_t room, bool is_small);
    // The library itself is about to use or free this memory.
    void forget(std::uintptr_t memory, std::size_t bytes);

    StreamOrder& order() { return order_; }
    void settle();  // after the host has waited for something

    // The copy that an access of the host disturbs; its memory can be used from now on.
    std::optional<Copy> at_fault(std::uintptr_t address) { return take(address, 1); }
    std::optional<Copy> take(std::uintptr_t memory, std::size_t bytes);
    // Lets the host use a page that is protected though no copy needs the address, until protect_again().
    bool open_page(std::uintptr_t address);
    void protect_again();
    // Without the lock of whoever has this.
    bool is_empty() const { return count_ == 0; }
    bool has_open_pages() const { return has_open_; }

  private:
    struct Pending {
        Copy copy;
        std::uintptr_t first, last;  // protected pages, up to behind the last
        std::uintptr_t memory, end;  // of the copy
        StreamOrder::Operation operation;
        std::uint32_t era;
    };
    template <class IsOver>
    void erase_if(IsOver&&);
    void set_protection(std::uintptr_t first, std::uintptr_t last);

    StreamOrder order_;
    std::vector<Pending> pending_;
    std::vector<std::uintptr_t> open_;    // pages
    std::atomic<std::size_t> count_ = 0;  // of pending_
    std::atomic<bool> has_open_ = false;
};

}  // namespace vgpu::runtime
