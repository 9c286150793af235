#include "virtual_gpu/what_if/experiment.h"

#include <algorithm>

#include "virtual_gpu/exec/machine/machine.h"

namespace vgpu::what_if {
namespace {

constexpr std::uint8_t kTurn = 255;  // Fragment::barrier of lanes that wait for their turn, by index
constexpr int kEdge = 15;            // the barrier's number for the race checks: nobody arrives there without waiting

bool is_earlier(const Fragment& a, const Fragment& b) {
    if (a.frame->function != b.frame->function) return a.frame->function->number < b.frame->function->number;
    return a.ip < b.ip;
}

// As a block barrier: what all warps did before comes before what these do next. Those that go another way only wait,
// so that the order is no more than what it says.
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
        run.global_races.order().arrive(*block.order, w.number, kEdge);
    }
    block.races->barrier({released, count}, kEdge);
    run.global_races.order().barrier(*block.order, {released, count}, kEdge);
}

const Instr* hold_for_order(const Instr* i, Warp& w, Mask mask) {
    if (mask != w.mask) return split(w, i, mask, i);
    Fragment& f = w.fragments[w.current];
    f.state = State::held;
    f.barrier = static_cast<std::uint8_t>(i->aux);
    // Whether they go another way; held lanes want no others.
    f.wants = (i->aux & kGoesAnotherWay) != 0 ? f.mask : 0;
    w.resume = i + 1;
    w.stop = Stop::sync;
    return nullptr;
}

// By index: lanes that come to an atomic go on one after the other, each as far as it can.
const Instr* wait_for_turn(const Instr* i, Warp& w, Mask mask) {
    if (mask != w.mask) return split(w, i, mask, i);
    const Experiment& experiment = *w.run->watch.what_if;
    if (experiment.has_turn(w, mask)) {
        const Mask others = mask & ~(Mask{1} << experiment.lane_whose_turn_it_is());
        return others == 0 ? i + 1 : split(w, i, others, i);
    }
    Fragment& f = w.fragments[w.current];
    f.state = State::held;
    f.barrier = kTurn;
    w.resume = i + 1;
    w.stop = Stop::sync;
    return nullptr;
}

// The fragment goes on when all others of its warp have stopped.
void go_last(const Warp& w, Fragment& f) {
    for (const Fragment& other : w.fragments) f.queue_place = std::max(f.queue_place, other.queue_place + 1);
}

// One at a time: between the load and the store there is no more than one lane of the grid.
const Instr* begin_alone(const Instr* i, Warp& w, Mask mask) {
    if (mask != w.mask) return split(w, i, mask, i);
    const int lane = w.run->watch.what_if->enter(w, mask);
    if (lane < 0) {
        Fragment& f = w.fragments[w.current];
        go_last(w, f);
        f.spins = true;
        w.resume = i;
        w.stop = Stop::poll;
        return nullptr;
    }
    const Mask others = mask & ~(Mask{1} << lane);
    if (others == 0) return i + 1;
    split(w, i, others, i);
    go_last(w, w.fragments.back());
    return nullptr;
}

const Instr* end_alone(const Instr* i, Warp& w, Mask mask) {
    if (!w.run->watch.what_if->leave(w, mask) || w.fragments.size() == 1) return i + 1;
    go_last(w, w.fragments[w.current]);  // the other lanes come here one by one, and all go on together
    w.resume = i + 1;
    w.stop = Stop::diverged;
    return nullptr;
}

const Fragment* fragment_of(const Warp& w, int lane) {
    for (const Fragment& f : w.fragments)
        if ((f.mask >> lane & 1) != 0) return &f;
    return nullptr;
}

bool is_ready(const Warp& w, int lane) {
    const Fragment* f = fragment_of(w, lane);
    return f != nullptr && f->state == State::ready;
}

}  // namespace

bool Experiment::go_on(Block& block) {
    const Fragment* first = nullptr;
    for (const Warp& w : block.warps)
        for (const Fragment& f : w.fragments)
            if (f.state == State::held && f.barrier != kTurn && (!first || is_earlier(f, *first))) first = &f;
    if (!first) return false;
    const std::uint8_t rule = first->barrier;
    std::uint32_t warps = 0;
    for (Warp& w : block.warps)
        for (Fragment& f : w.fragments) {
            if (f.state != State::held || f.barrier != rule) continue;
            f.state = State::ready;
            if (f.wants == 0) warps |= 1u << w.number;
        }
    order_accesses(block, warps);
    block.warps.front().run->progress.note();
    return true;
}

bool Experiment::next_lane(Warp& w) {
    if (turn_.warp == &w && is_ready(w, turn_.lane)) return false;
    turn_ = {};
    std::size_t next = w.fragments.size();
    for (std::size_t n = 0; n < w.fragments.size(); ++n) {
        const Fragment& f = w.fragments[n];
        if (f.state != State::held || f.barrier != kTurn) continue;
        if (next == w.fragments.size() || first_lane(f.mask) < first_lane(w.fragments[next].mask)) next = n;
    }
    if (next == w.fragments.size()) return false;
    turn_ = {&w, first_lane(w.fragments[next].mask)};
    Fragment alone = w.fragments[next];
    alone.mask = Mask{1} << turn_.lane;
    alone.state = State::ready;
    if (w.fragments[next].mask == alone.mask) {
        w.fragments[next] = alone;
    } else {
        w.fragments[next].mask &= ~alone.mask;
        w.fragments.push_back(alone);
    }
    w.run->progress.note();
    return true;
}

// Whoever waits for others, or has left, has not come to the store, and holds nobody up.
bool Experiment::is_taken() const {
    return owner_.block != nullptr && owner_.block->linear == owner_.linear && !owner_.block->done &&
           is_ready(owner_.block->warps[static_cast<std::size_t>(owner_.warp)], owner_.lane);
}

int Experiment::enter(const Warp& w, Mask lanes) {
    if (is_taken()) {
        const bool is_here = owner_.block == w.block && owner_.warp == w.number && (lanes >> owner_.lane & 1) != 0;
        return is_here ? owner_.lane : -1;
    }
    owner_ = {w.block, w.block->linear, w.number, first_lane(lanes)};
    return owner_.lane;
}

bool Experiment::leave(const Warp& w, Mask lanes) {
    if (owner_.block != w.block || owner_.warp != w.number || (lanes >> owner_.lane & 1) == 0) return false;
    owner_ = {};
    return true;
}

Handler turn_handler() { return wait_for_turn; }
Handler enter_handler() { return begin_alone; }
Handler leave_handler() { return end_alone; }
Handler order_handler() { return hold_for_order; }

}  // namespace vgpu::what_if
