#include "virtual_gpu/exec/launch/stall.h"

#include <algorithm>
#include <cstring>

namespace vgpu {
namespace {

constexpr std::uint64_t kSoon = 64;     // part of the usual patience, where all can be seen to wait for a time
constexpr std::uint64_t kRound = 1024;  // warp instructions in which a waiting loop reads the clock again
// How much more patience there is where the loops do not look so much like waiting. The second: before other blocks are
// tried.
constexpr std::uint64_t kCounting = 16, kWithBarriers = 4, kOnlyBarriers = 64, kOnlyBarriersTry = 4, kOther = 256;

struct Waiting {
    bool all = true;           // lanes that could run
    bool only_passed = false;  // those of some block go from barrier to barrier
    bool is_timed = false;     // some look at a clock
    bool is_strong = false;    // some read what others may write
};

Waiting waiting_of(const std::vector<Block*>& blocks, bool counts_time) {
    Waiting out;
    for (const Block* b : blocks) {
        bool is_ready = false, spins = false;
        for (const Warp& w : b->warps)
            for (const Fragment& f : w.fragments) {
                const bool is_timed = f.timed && counts_time;
                spins |= f.spins || f.waited || is_timed;
                if (f.state != State::ready) continue;
                if (!f.spins && !f.waited && !is_timed && !f.passed) return {.all = false};
                is_ready = true;
                out.is_timed |= is_timed;
                out.is_strong |= f.strong;
            }
        out.only_passed |= is_ready && !spins;
    }
    return out;
}

std::uint64_t mixed(std::uint64_t hash, const void* bytes, std::size_t count) {
    const auto* at = static_cast<const std::uint8_t*>(bytes);
    for (std::size_t n = 0; n + 8 <= count; n += 8) {
        std::uint64_t word;
        std::memcpy(&word, at + n, sizeof word);
        hash = (hash ^ word) * 0x9E37'79B9'7F4A'7C15u;
        hash ^= hash >> 29;
    }
    return hash;
}

// Where the calls of a fragment return to, their registers, and local memory.
std::uint64_t state_of(const Warp& w, const Fragment& f) {
    std::uint64_t hash = 1;
    for (const Frame* frame = f.frame; frame; frame = frame->parent) {
        hash = mixed(hash, &frame->return_to, sizeof frame->return_to);
        hash = mixed(hash, frame->registers, frame->function->register_bytes);
    }
    return mixed(hash, w.local.bytes.data(), w.local.bytes.size());
}

// A loop that looks at a clock has other registers in each round, whatever it waits for.
bool waits_for_clock(const Fragment& f) {
    for (const Frame* frame = f.frame; frame; frame = frame->parent)
        if (frame->function->waits_for_clock) return true;
    return false;
}

bool may_count(const Fragment& f) {
    bool counts = false;
    for (const Frame* frame = f.frame; frame; frame = frame->parent) counts |= frame->function->counts_to_a_limit;
    return counts && !waits_for_clock(f);
}

}  // namespace

Stall::Stall(Run& run)
    : max_steps_(run.options.max_steps), max_stall_(run.options.max_stall_steps), progress_(run.progress) {}

Stall::Verdict Stall::look(const std::vector<Block*>& blocks, bool all_started) {
    Progress& p = progress_;
    p.watches = p.steps - moved_at_ > max_stall_ / 4;
    const std::uint64_t still = p.steps - p.changed;
    const bool time_helps = may_skip();
    const std::uint64_t limit = time_helps ? max_stall_ / kSoon : max_stall_;
    if (p.steps > max_steps_ || p.steps - p.last > max_stall_ * kOther) return Verdict::deadlocked;
    if (still > limit / 2 && looked_at_ <= p.changed) forget(blocks);
    const std::uint64_t settled = skipped() != 0 && time_helps ? settle_ : limit / 4;
    if (still <= limit || looked_at_ <= p.changed || p.steps - looked_at_ <= settled) return Verdict::none;
    const Waiting waiting = waiting_of(blocks, time_helps);
    if (!waiting.all) {  // loops that wait for nothing: no other block may change what they read
        const bool is_closed = all_started && still > max_stall_ && !p.polls_host && p.timed == 0;
        return is_closed && repeats(blocks, false) == Repeats::yes ? Verdict::repeated : Verdict::none;
    }
    if (waiting.is_timed && (all_started || !waiting.is_strong)) return Verdict::time;
    // Time that has been skipped, and after that has not helped, was not needed.
    const std::uint64_t patience = waiting.only_passed ? kOnlyBarriers : p.last > p.changed ? kWithBarriers : 1;
    if (still > max_stall_ * patience && (!waiting.is_timed || !time_helps)) {
        // A loop that is in the same state again has no end. One that counts may have.
        const Repeats found = still > max_stall_ * std::max(patience, kCounting) ? Repeats::yes : repeats(blocks, true);
        if (found == Repeats::yes) return Verdict::deadlocked;
        if (found == Repeats::unknown) return Verdict::none;
    }
    return still > max_stall_ * (waiting.only_passed ? kOnlyBarriersTry : 1) ? Verdict::suspected : Verdict::none;
}

void Stall::skip(const std::vector<Block*>& blocks) {
    skipped_ = skipped();
    skipped_since_ = progress_.changed;
    const std::uint64_t more = std::max(skipped_ / 2, progress_.steps - progress_.changed);
    skipped_ += more;
    progress_.skipped += more;
    std::uint64_t warps = 0;
    for (const Block* b : blocks) warps += b->warps.size();
    settle_ = std::min(warps * kRound, max_stall_ / kSoon);
    forget(blocks);
}

Stall::Repeats Stall::repeats(const std::vector<Block*>& blocks, bool only_counting) {
    if (probed_since_ <= progress_.changed) {
        states_.clear();
        repeated_.clear();
        probed_since_ = progress_.steps;
        is_probing_ = true;
    }
    if (!is_probing_) return Repeats::no;
    bool all = true;
    for (const Block* b : blocks)
        for (const Warp& w : b->warps)
            for (const Fragment& f : w.fragments) {
                if (f.state != vgpu::State::ready || repeated_.contains({&w, f.mask})) continue;
                if (only_counting && !may_count(f)) continue;
                if (!only_counting && waits_for_clock(f)) return Repeats::no;
                const State state{state_of(w, f), f.ran};
                const auto [known, is_new] = states_.try_emplace({&w, f.ip, f.mask}, state);
                if (!is_new && known->second.registers == state.registers && known->second.ran != state.ran)
                    repeated_.emplace(&w, f.mask);
                else
                    known->second = state, all = false;
            }
    if (all) return Repeats::yes;
    is_probing_ = progress_.steps - probed_since_ <= max_stall_ / 2;
    return is_probing_ ? Repeats::unknown : Repeats::no;
}

void Stall::forget(const std::vector<Block*>& blocks) {
    for (Block* b : blocks)
        for (Warp& w : b->warps)
            for (Fragment& f : w.fragments) f.spins = f.strong = f.waited = f.passed = f.timed = false;
    looked_at_ = progress_.steps;
}

}  // namespace vgpu
