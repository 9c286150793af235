// Memory that the host has, too: pages with two views, variables at addresses that the program chose, and the program's
// own memory.
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <iterator>
#include <utility>

#include "virtual_gpu/memory/memory.h"

namespace vgpu {
namespace {

constexpr std::uint64_t kPage = 4096, kNearby = 1 << 16;
constexpr std::uintptr_t kAlignment = 63;  // of an allocation, less one

// Pages of zeros in a file of their own, one more than `bytes` need: a vector access to the last element may read on.
std::uint8_t* map_pages(std::uint64_t bytes, std::uint64_t& mapped, int& file) {
    mapped = (bytes + kPage - 1) / kPage * kPage + kPage;
    file = memfd_create("shared with the virtual GPU", MFD_CLOEXEC);
    if (file < 0) return nullptr;
    void* pages = ftruncate(file, static_cast<off_t>(mapped)) == 0
                      ? mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
                      : MAP_FAILED;
    if (pages != MAP_FAILED) return static_cast<std::uint8_t*>(pages);
    close(std::exchange(file, -1));
    mapped = 0;
    return nullptr;
}

}  // namespace

Status Memory::allocate_on_host(std::uint64_t bytes, std::string_view label, DevicePtr& out, int& file) {
    out = 0;
    auto a = std::make_unique<Allocation>();
    a->bytes = bytes;
    a->on_host = true;
    if (!take_slots(*a, true)) return Status::out_of_memory;
    const DevicePtr base = a->base;
    std::uint8_t* const pages = map_pages(bytes, a->mapped, file);
    const Status status = make(std::move(a), pages, label);
    if (status == Status::ok)
        out = base;
    else if (pages)
        close(std::exchange(file, -1));
    return status;
}

Status Memory::allocate_at(DevicePtr at, std::uint64_t bytes, std::string_view label) {
    if (at < kVariablesFirst + kVariableRoom || bytes > bytes_free()) return Status::out_of_memory;
    auto a = std::make_unique<Allocation>();
    a->bytes = bytes;
    a->base = at;
    a->narrow = true;
    a->first_slot = (at - kVariableRoom - kNarrowFirst) >> kNarrowBits;
    a->slots = ((at + bytes + kVariableRoom - kNarrowFirst) >> kNarrowBits) + 1 - a->first_slot;
    if (a->first_slot + a->slots > kAllNarrowSlots) return Status::out_of_memory;
    for (std::uint64_t s = 0; s < a->slots; ++s)
        if (narrow_[a->first_slot + s]) return Status::out_of_memory;
    set_slots(*a, a.get());
    return make(std::move(a), storage(bytes), label);
}

Status Memory::share(DevicePtr base, bool keeps, int& file) {
    Allocation* a = find(base);
    if (!a || a->freed || a->base != base || a->mapped != 0 || a->is_foreign) return Status::invalid_value;
    std::uint64_t mapped = 0;
    std::uint8_t* const pages = map_pages(a->bytes, mapped, file);
    if (!pages) return Status::out_of_memory;
    if (keeps)
        std::memcpy(pages, a->data, a->bytes);
    else
        a->mark_written(0, a->bytes);
    std::free(a->data);
    a->data = pages;
    a->mapped = mapped;
    return Status::ok;
}

Status Memory::adopt(std::uintptr_t host, std::uint64_t bytes, std::string_view label) {
    if (bytes == 0 || (host >= kGlobalFirst && host < kVariablesEnd)) return Status::invalid_value;
    auto a = std::make_unique<Allocation>();
    a->base = host & ~kAlignment;
    a->first = host;
    a->bytes = host + bytes - a->base;
    a->is_foreign = a->on_host = true;
    return make(std::move(a), reinterpret_cast<std::uint8_t*>(host & ~kAlignment), label);
}

void Memory::abandon(std::uintptr_t host) {
    const auto found = adopted_.find(host & ~kAlignment);
    if (found == adopted_.end()) return;
    free_storage(*found->second);
    adopted_.erase(found);
}

Allocation* Memory::find_adopted(DevicePtr address) {
    auto next = adopted_.upper_bound(address);
    Allocation* before = next == adopted_.begin() ? nullptr : std::prev(next)->second.get();
    Allocation* behind = next == adopted_.end() ? nullptr : next->second.get();
    if (before && address - before->base < before->bytes) return before;
    if (before && address - before->base - before->bytes < kNearby) return before;
    return behind && behind->base - address <= kNearby ? behind : nullptr;
}

void Memory::host_has(DevicePtr at, std::uint64_t bytes) {
    Allocation* a = inside(at, bytes);
    if (a && a->undefined) mark_written(at, bytes);
}

}  // namespace vgpu
