#include "harness/workspace.h"

#include <algorithm>
#include <optional>

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
    return placed(next_++, bytes);
}

void* PooledWorkspace::at(std::size_t index, std::size_t bytes) {
    if (index > slots_.size()) throw std::out_of_range("an array of the Workspace was left out");
    bytes = std::max<std::size_t>(bytes, 1);
    std::size_t others = 0;
    for (std::size_t i = 0; i < slots_.size(); ++i) others += i == index ? 0 : slots_[i].bytes;
    if (limit_ != 0 && (bytes > limit_ || others > limit_ - bytes))
        throw MemoryLimit("the Workspace was asked for more than " + format_bytes(limit_));
    return placed(index, bytes);
}

void* PooledWorkspace::placed(std::size_t index, std::size_t bytes) {
    if (index == slots_.size()) slots_.push_back({nullptr, 0});
    Slot& slot = slots_[index];
    if (slot.bytes != bytes) {
        std::optional<control::HeldClock> no_time;  // a new array was there before; another size is the program's doing
        if (slot.device == nullptr)
            no_time.emplace();
        else
            cudaFree(slot.device);
        slot = {nullptr, 0};
        CUDA_CHECK(cudaMalloc(&slot.device, bytes));
        slot.bytes = bytes;
        control::label(slot.device, "workspace array " + std::to_string(index + 1));
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
