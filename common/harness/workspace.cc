#include "harness/workspace.h"

#include <algorithm>

#include "grading/format.h"
#include "harness/control.h"

namespace lab {

void PooledWorkspace::begin(const std::string& purpose, std::size_t limit_bytes) {
    if (purpose != purpose_) release();
    purpose_ = purpose;
    limit_ = limit_bytes;
    total_ = next_ = 0;
}

void PooledWorkspace::poison() const {
    for (const Slot& slot : slots_) poison(slot);
}

void PooledWorkspace::release() {
    for (const Slot& slot : slots_) cudaFree(slot.device);
    forget();
}

void* PooledWorkspace::get_bytes(std::size_t bytes) {
    bytes = std::max<std::size_t>(bytes, 1);
    total_ += bytes;
    if (limit_ != 0 && total_ > limit_)
        throw MemoryLimit("the Workspace was asked for " + format_bytes(total_) + ", the limit is " +
                          format_bytes(limit_));
    if (next_ == slots_.size()) slots_.push_back({nullptr, 0});
    Slot& slot = slots_[next_++];
    if (slot.bytes != bytes) {
        if (slot.device != nullptr) cudaFree(slot.device);
        slot = {nullptr, 0};
        CUDA_CHECK(cudaMalloc(&slot.device, bytes));
        slot.bytes = bytes;
        control::label(slot.device, "workspace array " + std::to_string(next_));
        poison(slot);
    }
    return slot.device;
}

void PooledWorkspace::poison(const Slot& slot) {
    if (slot.device == nullptr) return;
    if (control::is_virtual())
        control::poison(slot.device, slot.bytes);
    else
        cudaMemset(slot.device, 0xa5, slot.bytes);
}

}  // namespace lab
