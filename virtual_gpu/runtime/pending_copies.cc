#include "virtual_gpu/runtime/pending_copies.h"

#include <sys/mman.h>

#include <algorithm>
#include <utility>

namespace vgpu::runtime {
namespace {

constexpr std::uintptr_t kPageBytes = 4096;
constexpr std::size_t kMost = 256;  // each may cost the process two mappings

bool protect(std::uintptr_t first, std::uintptr_t last, int how) {
    return mprotect(reinterpret_cast<void*>(first), last - first, how) == 0;
}

}  // namespace

void PendingCopies::add(Copy&& copy, std::uintptr_t memory, std::size_t bytes, std::size_t room, bool is_small) {
    const std::uintptr_t end = memory + bytes;
    std::uintptr_t first = (memory + kPageBytes - 1) / kPageBytes * kPageBytes;
    std::uintptr_t last = (bytes == room ? end + kPageBytes - 1 : end) / kPageBytes * kPageBytes;
    if (is_small) {
        first = memory / kPageBytes * kPageBytes;
        last = first + kPageBytes;
    }
    if (first >= last || pending_.size() == kMost) {
        return;
    }
    const StreamOrder::Operation operation = order_.begin(copy.stream);
    pending_.push_back({std::move(copy), first, last, memory, end, operation, order_.era()});
    count_ = pending_.size();
    set_protection(first, last);
}

// Of each page, the strictest that a copy asks for.
void PendingCopies::set_protection(std::uintptr_t first, std::uintptr_t last) {
    for (std::uintptr_t page = first; page < last;) {
        int how = PROT_READ | PROT_WRITE;
        std::uintptr_t same = last;  // up to where
        for (const Pending& one : pending_) {
            if (one.last <= page || one.first >= last) {
                continue;
            }
            if (one.first > page) {
                same = std::min(same, one.first);
                continue;
            }
            same = std::min(same, one.last);
            how = one.copy.to_host || how == PROT_NONE ? PROT_NONE : PROT_READ;
        }
        protect(page, same, how);
        page = same;
    }
}

template <class IsOver>
void PendingCopies::erase_if(IsOver&& is_over) {
    std::vector<std::pair<std::uintptr_t, std::uintptr_t>> ended;
    std::erase_if(pending_, [&](const Pending& pending) {
        const bool is_one = is_over(pending);
        if (is_one) {
            ended.emplace_back(pending.first, pending.last);
        }
        return is_one;
    });
    count_ = pending_.size();
    for (const auto& [first, last] : ended) {
        set_protection(first, last);
    }
}

void PendingCopies::forget(std::uintptr_t memory, std::size_t bytes) {
    erase_if([&](const Pending& pending) { return memory < pending.end && pending.memory < memory + bytes; });
}

void PendingCopies::settle() {
    const StreamOrder::Operation host = order_.by_host();
    erase_if([&](const Pending& pending) {
        return pending.era != order_.era() || host.comes_after(pending.operation.number, pending.operation.line);
    });
}

std::optional<PendingCopies::Copy> PendingCopies::take(std::uintptr_t memory, std::size_t bytes) {
    const auto at = std::find_if(pending_.begin(), pending_.end(), [&](const Pending& pending) {
        return memory < pending.end && pending.memory < memory + bytes;
    });
    if (at == pending_.end()) {
        return std::nullopt;
    }
    Copy copy = at->copy;
    forget(at->memory, at->end - at->memory);
    return copy;
}

bool PendingCopies::open_page(std::uintptr_t address) {
    const std::uintptr_t page = address / kPageBytes * kPageBytes;
    const bool is_shared = std::ranges::any_of(
        pending_, [&](const Pending& pending) { return page >= pending.first && page < pending.last; });
    if (!is_shared || !protect(page, page + kPageBytes, PROT_READ | PROT_WRITE)) {
        return false;
    }
    open_.push_back(page);
    has_open_ = true;
    return true;
}

void PendingCopies::protect_again() {
    has_open_ = false;
    for (const std::uintptr_t page : std::exchange(open_, {})) {
        set_protection(page, page + kPageBytes);
    }
}

}  // namespace vgpu::runtime
