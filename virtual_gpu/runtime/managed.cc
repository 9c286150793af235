#include "virtual_gpu/runtime/managed.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "virtual_gpu/memory/memory.h"

namespace vgpu::runtime {
namespace {

constexpr std::size_t kPage = 4096;
constexpr int kMostLooks = 2000;
constexpr std::size_t kMostLookedAt = 100;
constexpr int kBoth = PROT_READ | PROT_WRITE;
std::size_t whole_pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

void set_access(std::uintptr_t first, std::size_t bytes, int how) {
    mprotect(reinterpret_cast<void*>(first), bytes, how);
}

}  // namespace

bool ManagedMemory::make(std::uintptr_t host, std::size_t bytes, int file, Sort sort, const std::string& name) {
    const std::size_t mapped = whole_pages(bytes);
    void* const wanted = reinterpret_cast<void*>(host);
    const std::uintptr_t first = host / kPage * kPage;
    void* const got =
        first == host ? mmap(wanted, mapped, kBoth, MAP_SHARED | MAP_FIXED_NOREPLACE, file, 0) : MAP_FAILED;
    ::close(file);
    if (got == MAP_FAILED) {
        return false;
    }
    if (got != wanted) {
        munmap(got, mapped);
        return false;
    }
    const std::lock_guard lock(mutex_);
    ranges_[host] = {.bytes = bytes, .mapped = mapped, .sort = sort, .name = name, .pages = {}};
    return true;
}

void ManagedMemory::adopt(std::uintptr_t host, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    ranges_[host] = {.bytes = bytes, .sort = Sort::registered, .name = {}, .pages = {}};
}

bool ManagedMemory::forget(std::uintptr_t host) {
    const std::lock_guard lock(mutex_);
    const auto found = ranges_.find(host);
    if (found == ranges_.end()) {
        return false;
    }
    if (found->second.sort != Sort::registered) {
        munmap(reinterpret_cast<void*>(host), found->second.mapped);
    }
    ranges_.erase(found);
    return true;
}

void ManagedMemory::forget_managed() {
    const std::lock_guard lock(mutex_);
    std::erase_if(ranges_, [](const auto& entry) {
        const bool is_gone = entry.second.sort == Sort::managed && entry.first < kGlobalEnd;
        return is_gone && (munmap(reinterpret_cast<void*>(entry.first), entry.second.mapped), true);
    });
}

ManagedMemory::At ManagedMemory::find(std::uintptr_t address) {
    auto next = ranges_.upper_bound(address);
    if (next == ranges_.begin()) {
        return ranges_.end();
    }
    --next;
    return address < next->first + next->second.mapped ? next : ranges_.end();  // registered memory has mapped nothing
}

bool ManagedMemory::is_empty() {
    const std::lock_guard lock(mutex_);
    return ranges_.empty();
}

bool ManagedMemory::contains(const void* pointer) {
    const std::lock_guard lock(mutex_);
    return find(reinterpret_cast<std::uintptr_t>(pointer)) != ranges_.end();
}

bool ManagedMemory::is_managed(const void* pointer) {
    const std::lock_guard lock(mutex_);
    const At at = find(reinterpret_cast<std::uintptr_t>(pointer));
    return at != ranges_.end() && at->second.sort == Sort::managed;
}

void ManagedMemory::open(std::uintptr_t host, Range& range) {
    if (!range.is_open) {
        set_access(host, range.mapped, kBoth);
    }
    range.is_open = true;
    range.pages.clear();
    range.looks = 0;
}

void ManagedMemory::close(std::uintptr_t host, Range& range) {
    if (range.is_open || !range.pages.empty()) {
        set_access(host, range.mapped, PROT_NONE);
    }
    range.is_open = false;
    range.pages.clear();
    range.looks = 0;
}

void ManagedMemory::open_all() {
    looked_at_.clear();
    for (auto& [host, range] : ranges_) {
        range.is_in_use = false;
        open(host, range);
    }
}

void ManagedMemory::to_device(LocalSession& session) {
    const std::lock_guard lock(mutex_);
    for (auto& [host, range] : ranges_) {
        if (range.is_open) {
            session.host_has(host, range.bytes);
        }
    }
}

void ManagedMemory::launched(LocalSession& session, std::span<const std::uint8_t> arguments) {
    const std::lock_guard lock(mutex_);
    if (ranges_.empty() || !session.checks_memory()) {
        return;
    }
    for (std::size_t at = 0; at + sizeof(DevicePtr) <= arguments.size(); at += sizeof(DevicePtr)) {
        DevicePtr value = 0;
        std::memcpy(&value, arguments.data() + at, sizeof value);
        if (const At found = find(value); found != ranges_.end()) {
            found->second.is_in_use = true;
        }
    }
    for (auto& [host, range] : ranges_) {
        if (range.sort == Sort::managed || range.is_in_use) {
            close(host, range);
        }
    }
}

// A system call fails if it is given memory that is closed. So whatever needs no look is opened now.
void ManagedMemory::awaited(LocalSession* session) {
    const std::lock_guard lock(mutex_);
    looked_at_.clear();
    for (auto& [host, range] : ranges_) {
        range.is_in_use = false;
        if (!range.is_open && (session == nullptr || !session->has_undefined(host))) {
            open(host, range);
        }
    }
}

ManagedMemory::Fault ManagedMemory::is_open(std::uintptr_t address) {
    const std::lock_guard lock(mutex_);
    const At at = find(address);
    return at != ranges_.end() && at->second.is_open ? Fault::open : Fault::unknown;
}

bool ManagedMemory::is_in_use(std::uintptr_t address) {
    const std::lock_guard lock(mutex_);
    const At at = find(address);
    return at != ranges_.end() && at->second.is_in_use;
}

ManagedMemory::Fault ManagedMemory::fault(LocalSession* session, std::uintptr_t address, bool writes, bool is_running,
                                          const HostPlace& place) {
    const std::lock_guard lock(mutex_);
    const At at = find(address);
    if (at == ranges_.end()) {
        return Fault::unknown;
    }
    auto& [host, range] = *at;
    if (range.is_open) {
        return Fault::open;
    }
    if (session != nullptr && range.is_in_use && session->checks_memory()) {
        return look(*session, at, address, writes, is_running, place);
    }
    open(host, range);
    if (session != nullptr) {
        session->host_gets(host, range.bytes, place);
    }
    return Fault::open;
}

// The host uses what a kernel may be using.
ManagedMemory::Fault ManagedMemory::look(LocalSession& session, At at, std::uintptr_t address, bool writes,
                                         bool is_running, const HostPlace& place) {
    auto& [host, range] = *at;
    const auto conflicts = [&](const KernelUse& use) { return use.writes || (writes && use.reads); };
    const KernelUse here = session.use_of(address, 1);
    // A flag by which the kernel tells how far it is. It may have been set between the fault and the access.
    const auto has_signalled = [&](std::uintptr_t flag) { return session.use_of(flag, 1).signals; };
    if ((!writes && here.signals) || std::ranges::any_of(looked_at_, has_signalled)) {
        open_all();
        return Fault::open;
    }
    if (conflicts(here)) {
        tell(session, range, writes, place);
        range.is_in_use = false;
        open(host, range);
        return Fault::open;
    }
    const std::uintptr_t page = address / kPage * kPage;
    if (range.looks > kMostLooks) {
        open_all();
        return Fault::open;
    }
    if (!is_running) {
        const KernelUse on_page = session.use_of(std::max(page, host), kPage);
        if (!conflicts(on_page) && range.pages.size() < 1000) {
            const int how = writes || !on_page.reads ? kBoth : PROT_READ;
            range.pages[page] = how;
            set_access(page, kPage, how);
            return Fault::open;
        }
    }
    // While the kernel runs, each access may be to a flag.
    if (!writes && is_running && looked_at_.size() < kMostLookedAt) {
        looked_at_.insert(address);
    }
    ++range.looks;
    once_.emplace_back(std::this_thread::get_id(), page);
    set_access(page, kPage, kBoth);
    return Fault::once;
}

void ManagedMemory::tell(LocalSession& session, const Range& range, bool writes, const HostPlace& place) {
    session.add_finding(Kind::race,
                        std::string("the host ") + (writes ? "wrote" : "read") + " " + range.name +
                            " while a kernel that was started with its address may still use it: the host has not "
                            "waited for the kernel",
                        "cudaDeviceSynchronize(), or a wait for the kernel's stream, before the host uses what the "
                        "kernel uses",
                        place);
}

void ManagedMemory::close_again() {
    const std::lock_guard lock(mutex_);
    std::erase_if(once_, [&](const auto& entry) {
        if (entry.first != std::this_thread::get_id()) {
            return false;
        }
        const At at = find(entry.second);
        if (at != ranges_.end() && !at->second.is_open) {
            const auto open = at->second.pages.find(entry.second);
            set_access(entry.second, kPage, open != at->second.pages.end() ? open->second : PROT_NONE);
        }
        return true;
    });
}

}  // namespace vgpu::runtime
