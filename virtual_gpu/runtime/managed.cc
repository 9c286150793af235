#include "virtual_gpu/runtime/managed.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <vector>

namespace vgpu::runtime {
namespace {

constexpr std::size_t kPage = 4096;
std::size_t whole_pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

std::span<std::byte> bytes_at(std::uintptr_t host, std::size_t bytes) {
    return {reinterpret_cast<std::byte*>(host), bytes};
}

}  // namespace

bool ManagedMemory::make(std::uintptr_t host, DevicePtr device, std::size_t bytes, const std::string& name) {
    const std::size_t mapped = whole_pages(bytes);
    void* const wanted = reinterpret_cast<void*>(host);
    void* const got = mmap(wanted, mapped, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (got == MAP_FAILED) {
        return false;
    }
    if (got != wanted) {
        munmap(got, mapped);
        return false;
    }
    ranges_[host] = {.device = device, .bytes = bytes, .mapped = mapped, .is_ours = true, .name = name};
    return true;
}

void ManagedMemory::share(std::uintptr_t host, DevicePtr device, std::size_t bytes, const std::string& name) {
    ranges_[host] = {.device = device, .bytes = bytes, .mapped = whole_pages(bytes), .name = name};
}

void ManagedMemory::fetched_first(std::uintptr_t host) {
    ranges_[host].is_new = false;
    protect(host, ranges_[host], false);
}

DevicePtr ManagedMemory::forget(std::uintptr_t host) {
    const auto found = ranges_.find(host);
    if (found == ranges_.end()) {
        return 0;
    }
    const Range range = found->second;
    if (range.is_ours) {
        munmap(reinterpret_cast<void*>(host), range.mapped);
    } else {
        protect(host, found->second, true);
    }
    ranges_.erase(found);
    return range.device;
}

std::map<std::uintptr_t, ManagedMemory::Range>::iterator ManagedMemory::find(std::uintptr_t address) {
    auto next = ranges_.upper_bound(address);
    if (next == ranges_.begin()) {
        return ranges_.end();
    }
    --next;
    return address < next->first + next->second.mapped ? next : ranges_.end();
}

bool ManagedMemory::contains(const void* pointer) const {
    auto& self = const_cast<ManagedMemory&>(*this);
    return !ranges_.empty() && self.find(reinterpret_cast<std::uintptr_t>(pointer)) != ranges_.end();
}

DevicePtr ManagedMemory::device_of(std::uintptr_t host) const {
    const auto found = ranges_.find(host);
    return found == ranges_.end() ? 0 : found->second.device;
}

void ManagedMemory::protect(std::uintptr_t host, const Range& range, bool open) {
    ranges_[host].is_open = open;
    mprotect(reinterpret_cast<void*>(host), range.mapped, open ? PROT_READ | PROT_WRITE : PROT_NONE);
}

void ManagedMemory::to_device(LocalSession& session) {
    for (auto& [host, range] : ranges_) {
        if (!range.is_open) {
            continue;
        }
        session.bring(range.device, bytes_at(host, range.bytes), range.is_new);
        range.is_new = false;
        protect(host, range, false);
    }
}

void ManagedMemory::launched(std::span<const std::uint8_t> arguments) {
    if (ranges_.empty()) {
        return;
    }
    for (std::size_t at = 0; at + sizeof(DevicePtr) <= arguments.size(); at += sizeof(DevicePtr)) {
        DevicePtr value = 0;
        std::memcpy(&value, arguments.data() + at, sizeof value);
        for (auto& [host, range] : ranges_) {
            range.is_in_use |= value >= range.device && value - range.device < range.bytes;
        }
    }
}

void ManagedMemory::awaited() {
    for (auto& [host, range] : ranges_) {
        range.is_in_use = false;
    }
}

bool ManagedMemory::fault(LocalSession& session, std::uintptr_t address, bool writes, const HostPlace& place) {
    const auto found = find(address);
    if (found == ranges_.end() || found->second.is_open) {
        return false;
    }
    auto& [host, range] = *found;
    protect(host, range, true);
    std::vector<std::byte> now(range.bytes);
    session.fetch(range.device, now, place);
    const std::span<std::byte> pages = bytes_at(host, range.bytes);
    const bool has_changed = !std::ranges::equal(pages, now);
    if (has_changed) {
        std::ranges::copy(now, pages.begin());
    }
    if (range.is_in_use && !writes && session.has_signalled(range.device)) {
        awaited();  // a flag, by which the kernel tells how far it is
    }
    if (range.is_in_use && session.checks_memory() && (writes || has_changed)) {
        session.add_finding(Kind::race,
                            std::string("the host ") + (writes ? "wrote" : "read") + " " + range.name +
                                " while a kernel that was started with its address may still use it: the host has not "
                                "waited for the kernel",
                            "cudaDeviceSynchronize(), or a wait for the kernel's stream, before the host uses what the "
                            "kernel uses",
                            place);
    }
    range.is_in_use = false;
    return true;
}

}  // namespace vgpu::runtime
