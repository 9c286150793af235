#include "virtual_gpu/runtime/pending_copies.h"

#include <sys/mman.h>

#include <algorithm>
#include <utility>

namespace vgpu::runtime {
namespace {

constexpr std::uintptr_t kPage = 4096;
constexpr std::size_t kMost = 256;  // each may cost the process two mappings

bool protect(std::uintptr_t first, std::uintptr_t last, int how) {
    return mprotect(reinterpret_cast<void*>(first), last - first, how) == 0;
}

}  // namespace

void PendingCopies::add(Copy&& copy, std::uintptr_t memory, std::size_t bytes, std::size_t room) {
    const std::uintptr_t end = memory + bytes;
    const std::uintptr_t first = (memory + kPage - 1) / kPage * kPage;
    const std::uintptr_t last = (bytes == room ? end + kPage - 1 : end) / kPage * kPage;
    if (first >= last || pending_.size() == kMost || !protect(first, last, copy.to_host ? PROT_NONE : PROT_READ)) {
        return;
    }
    const StreamOrder::Operation operation = order_.begin(copy.stream);
    pending_.push_back({std::move(copy), first, last, operation, order_.era()});
}

template <class IsOver>
void PendingCopies::erase_if(IsOver&& is_over) {
    std::erase_if(pending_, [&](const Pending& pending) {
        return is_over(pending) && protect(pending.first, pending.last, PROT_READ | PROT_WRITE);
    });
}

void PendingCopies::forget(std::uintptr_t memory, std::size_t bytes) {
    erase_if([&](const Pending& pending) { return memory < pending.last && pending.first < memory + bytes; });
}

void PendingCopies::settle() {
    const StreamOrder::Operation host = order_.by_host();
    erase_if([&](const Pending& pending) {
        return pending.era != order_.era() || host.comes_after(pending.operation.number, pending.operation.line);
    });
}

std::optional<PendingCopies::Copy> PendingCopies::at_fault(std::uintptr_t address) {
    const auto at = std::find_if(pending_.begin(), pending_.end(), [&](const Pending& pending) {
        return address >= pending.first && address < pending.last;
    });
    if (at == pending_.end()) {
        return std::nullopt;
    }
    Copy copy = at->copy;
    forget(at->first, at->last - at->first);
    return copy;
}

}  // namespace vgpu::runtime
