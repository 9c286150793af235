#include "virtual_gpu/what_if/experiment.h"

#include <algorithm>

#include "virtual_gpu/exec/machine/machine.h"

namespace vgpu::what_if {
namespace {

constexpr int kEdge = 15;  // the barrier's number for the race checks: nobody arrives there without waiting

bool is_earlier(const Fragment& a, const Fragment& b) {
    if (a.frame->function != b.frame->function) return a.frame->function->number < b.frame->function->number;
    return a.ip < b.ip;
}

// As a block barrier: what all warps did before comes before what these do next.
void order_accesses(Block& block, std::uint32_t warps) {
    Run& run = *block.warps.front().run;
    if (!run.checking) return;
    int released[kLanes];
    std::size_t count = 0;
    for (const Warp& w : block.warps) {
        if (w.alive == 0 || (warps >> w.number & 1) != 0) {
            released[count++] = w.number;
            continue;
        }
        block.races->arrive(w.number, kEdge);
        run.global_races->order().arrive(*block.order, w.number, kEdge);
    }
    block.races->barrier({released, count}, kEdge);
    run.global_races->order().barrier(*block.order, {released, count}, kEdge);
}

const Instr* hold_for_order(const Instr* i, Warp& w, Mask mask) {
    if (mask != w.mask) return split(w, i, mask, i);
    Fragment& f = w.fragments[w.current];
    f.state = State::held;
    f.barrier = static_cast<std::uint8_t>(i->aux);
    w.resume = i + 1;
    w.stop = Stop::sync;
    return nullptr;
}

}  // namespace

bool Experiment::go_on(Block& block) {
    const Fragment* first = nullptr;
    for (const Warp& w : block.warps)
        for (const Fragment& f : w.fragments)
            if (f.state == State::held && (!first || is_earlier(f, *first))) first = &f;
    if (!first) return false;
    const std::uint8_t rule = first->barrier;
    std::uint32_t warps = 0;
    for (Warp& w : block.warps)
        for (Fragment& f : w.fragments) {
            if (f.state != State::held || f.barrier != rule) continue;
            f.state = State::ready;
            warps |= 1u << w.number;
        }
    order_accesses(block, warps);
    block.warps.front().run->progress.note();
    return true;
}

Handler order_handler() { return hold_for_order; }

}  // namespace vgpu::what_if
