// In place: plain reads of global memory get what was there before the grid began.
#include <algorithm>
#include <utility>

#include "virtual_gpu/exec/machine/access.h"
#include "virtual_gpu/what_if/experiment.h"

namespace vgpu::what_if {

void Experiment::access_in_place(Warp& w, const Instr* i, Mask mask, Lanes& l, const Request& r, Allocation* one) {
    Memory& memory = w.run->memory;
    if (r.use != Use::read || r.strong) {
        for (int lane : lanes(mask)) keep(one ? *one : *memory.find(l.address[lane]));
        return check_global(w, i, mask, l, r, one);
    }
    // No race with a write: nobody can change what is read.
    Request alone = r;
    alone.order |= kCheckedLate;
    swap_known(memory);
    check_global(w, i, mask, l, alone, one);
    swap_known(memory);
    read_kept(mask, l, static_cast<std::size_t>(r.bytes), memory, one);
}

void Experiment::keep(const Allocation& a) {
    const auto [found, is_new] = kept_.try_emplace(a.base);
    if (!is_new) return;
    Kept& kept = found->second;
    kept.data.assign(a.data, a.data + a.bytes + 64);  // as there, a vector access may read a little further
    kept.written.assign(a.written, a.written + a.bytes);
    // Where an undefined value came from is not kept.
    std::ranges::replace(kept.written, kUndefined, kNeverWritten);
    kept.written.resize(a.bytes + 64);
    kept.whole.resize(a.whole.size());
}

void Experiment::swap_known(Memory& memory) {
    for (auto& [base, kept] : kept_) {
        Allocation* a = memory.find(base);
        if (a == nullptr || a->base != base) continue;
        std::swap(kept.whole, a->whole);
        if (kept.other == nullptr) {
            kept.other = std::exchange(a->written, kept.written.data());
        } else {
            a->written = std::exchange(kept.other, nullptr);
        }
    }
}

void Experiment::read_kept(Mask mask, Lanes& l, std::size_t bytes, Memory& memory, Allocation* one) const {
    if (l.contiguous) {
        if (const auto found = kept_.find(one->base); found != kept_.end())
            l.first = const_cast<std::uint8_t*>(found->second.data.data()) + (l.address[0] - one->base);
        return;
    }
    for (int lane : lanes(mask)) {
        const Allocation* a = one ? one : memory.find(l.address[lane]);
        const auto found = kept_.find(a->base);
        if (found == kept_.end() || l.address[lane] - a->base + bytes > a->bytes) continue;
        l.host[lane] = const_cast<std::uint8_t*>(found->second.data.data()) + (l.address[lane] - a->base);
    }
}

}  // namespace vgpu::what_if
