// One warp: its fragments, and the inner loop of the interpreter.
#include <algorithm>
#include <cstring>

#include "virtual_gpu/exec/machine/machine.h"
#include "virtual_gpu/exec/machine/spare_frames.h"
#include "virtual_gpu/undefined/shadow.h"
#include "virtual_gpu/what_if/experiment.h"

namespace vgpu {
namespace {

// Backward branches while other fragments wait, in a loop that looks like a spin and in any other loop, until the
// others may go on. Any numbers are right; larger ones cost time where lanes wait for each other.
constexpr int kSpinLoops = 64, kOtherLoops = 1 << 14;
constexpr std::size_t kRoundsOfFragment = 1;  // of a loop of each fragment, if all wait for other warps

// Deepest call first, then the lowest place: so lanes meet again where they do on a GPU (ptx/block_order.h).
bool before(const Fragment& a, const Fragment& b) {
    if (a.queue_place != b.queue_place) return a.queue_place < b.queue_place;
    if (a.frame->depth != b.frame->depth) return a.frame->depth > b.frame->depth;
    if (a.frame->function != b.frame->function) return a.frame->function->number < b.frame->function->number;
    if (a.ip != b.ip) return a.ip < b.ip;
    return first_lane(a.mask) < first_lane(b.mask);
}

// Under a what-if rule, a thread's variables start as zeros.
bool zeros_local(const Run& run) { return run.watch.what_if && run.watch.what_if->rules().zero_local; }

bool may_run(State s) { return s == State::ready || s == State::at_sync; }

void merge_equal(Warp& w) {
    auto& all = w.fragments;
    for (std::size_t i = 0; i + 1 < all.size(); ++i)
        for (std::size_t j = i + 1; j < all.size();) {
            Fragment &a = all[i], &b = all[j];
            if (a.frame != b.frame || a.ip != b.ip || !may_run(a.state) || !may_run(b.state)) {
                ++j;
                continue;
            }
            a.mask |= b.mask;
            a.state = State::ready;
            a.queue_place = std::min(a.queue_place, b.queue_place);
            a.now = std::max(a.now, b.now);
            a.waited |= b.waited || b.spins;
            a.passed |= b.passed;
            a.timed |= b.timed;
            all.erase(all.begin() + static_cast<std::ptrdiff_t>(j));
        }
}

// Chooses the fragment that runs next; false if all wait.
bool choose(Warp& w) {
    if (w.fragments.size() > 1) merge_equal(w);
    const Fragment* best = nullptr;
    for (const Fragment& f : w.fragments)
        if (f.state == State::ready && (!best || before(f, *best))) best = &f;
    if (!best) return false;
    w.current = static_cast<std::size_t>(best - w.fragments.data());
    w.mask = best->mask;
    w.frame = best->frame;
    w.function = best->frame->function;
    w.base[0] = best->frame->registers;
    w.ready = best->frame->ready;
    w.now = w.slot = w.latest = best->now;
    w.resume = best->ip;
    w.since_chosen.alone = w.fragments.size() == 1;
    w.limit = w.function->code.data() + w.function->code.size() + 1;
    if (!w.since_chosen.alone)
        for (const Fragment& f : w.fragments)
            if (f.frame == w.frame && f.ip > best->ip && f.ip < w.limit && may_run(f.state)) w.limit = f.ip;
    return true;
}

// The latency chain: when the instruction starts, and when its result is ready.
inline void keep_time(Warp& w, const Instr* i, const Timing& t) {
    const std::uint64_t* ready = w.ready;
    const std::uint64_t operands = std::max(std::max(ready[t.a], ready[t.b]), std::max(ready[t.c], ready[t.guard]));
    if (!i->hidden) {
        w.now = std::max(++w.slot, operands);
        w.latest = std::max(w.latest, w.now);
        if (t.stays) w.now = w.slot = w.latest;
    }
    w.ready[t.d] = std::max(w.now, operands) + w.run->setup.latency[t.latency];
}

// Of an instruction in a straight run, which its guard keeps some lanes from.
void count_guarded(Warp& w, const Instr* i, Mask mask) {
    if (i->hidden) return;
    w.run->tally.hot[w.function->count_base + i->source].lanes -= static_cast<unsigned>(std::popcount(w.mask & ~mask));
}

// A straight run has ended: instructions that followed each other.
void count_run(Warp& w, const Function& f, const Instr* first, const Instr* end, Mask mask) {
    const auto from = static_cast<std::size_t>(first - f.code.data()),
               to = static_cast<std::size_t>(end - f.code.data());
    w.spent.instructions += f.work[to].instructions - f.work[from].instructions;
    w.spent.f64 += f.work[to].f64 - f.work[from].f64;
    w.spent.sfu += f.work[to].sfu - f.work[from].sfu;
    std::vector<Hot>& runs = w.run->tally.runs[f.number];
    if (runs.empty()) runs.resize(f.work.size());
    const auto lane_count = static_cast<unsigned>(std::popcount(mask));
    ++runs[from].instructions;
    --runs[to].instructions;
    runs[from].lanes += lane_count;
    runs[to].lanes -= lane_count;
}

// kTracks: the frame holds undefined values.
template <bool kCount, bool kTracks>
std::int64_t run_fragment(Warp& w, std::int64_t budget) {
    const Instr *ip = w.resume, *first = ip;  // of a straight run
    const std::int64_t at_start = budget;
    const Function& function = *w.function;
    const auto timing_of = [&](const Instr* i) { return function.timing.data() + (i - function.code.data()); };
    const Timing* timing = timing_of(ip);
    const Mask all = w.mask;
    for (;;) {
        Mask mask = all;
        if (ip->guard != kNoColumn) mask &= ip->guard_negated ? ~w.predicate(ip->guard) : w.predicate(ip->guard);
        if constexpr (kTracks) pass_on(w, ip, mask, all);
        if constexpr (kCount) {
            keep_time(w, ip, *timing++);
            if (mask != all) count_guarded(w, ip, mask);
        }
        const Instr* next = mask != 0 ? ip->run(ip, w, mask) : ip + 1;
        --budget;
        if constexpr (kCount)
            if (next != ip + 1) {
                count_run(w, function, first, ip + 1, all);
                first = next;
                if (next != nullptr) timing = timing_of(next);
            }
        if (next == nullptr) break;
        ip = next;
        if (ip >= w.limit || budget <= 0 || (kTracks && !w.shadow->any())) {
            if (kCount && ip != first) count_run(w, function, first, ip, all);
            w.resume = ip;
            w.stop = Stop::boundary;
            break;
        }
    }
    return at_start - budget;
}

std::int64_t run_fragment(Warp& w, std::int64_t budget) {
    Shadow* shadow = w.frame->shadow.get();
    const bool counts = w.run->counting;
    if (!shadow || !shadow->any()) [[likely]] {
        const std::int64_t steps =
            counts ? run_fragment<true, false>(w, budget) : run_fragment<false, false>(w, budget);
        w.shadow = nullptr;
        return steps;
    }
    w.shadow = shadow;
    const std::int64_t steps = counts ? run_fragment<true, true>(w, budget) : run_fragment<false, true>(w, budget);
    w.shadow = nullptr;
    w.undefined.guessed = 0;
    return steps;
}

}  // namespace

Frame::Frame() = default;
Frame::~Frame() = default;

void Frame::prepare(const Function& f) {
    const std::size_t ready_at = f.register_bytes;
    const std::size_t params_at = (ready_at + f.register_bytes / 64 * sizeof(std::uint64_t) + 63) / 64 * 64;
    const std::size_t bytes = params_at + std::size_t{kLanes} * f.param_bytes + 128;
    if (storage_bytes < bytes) {
        storage.reset();
        storage = std::make_unique_for_overwrite<std::uint8_t[]>(bytes);
        storage_bytes = bytes;
    }
    auto* start = reinterpret_cast<std::uint8_t*>((reinterpret_cast<std::uintptr_t>(storage.get()) + 63) / 64 * 64);
    // Registers that nothing was written to hold garbage, as on a GPU: poison, or what a call of the same function
    // left. To fill those that are written before they are read would take a twentieth of a grid of short blocks.
    const auto poison = [&](Column c, int width) {
        std::fill_n(reinterpret_cast<std::uint32_t*>(start + c), column_bytes(width) / sizeof kPoisonWord, kPoisonWord);
    };
    if (function != &f) {
        for (const auto& [column, width] : f.unwritten) poison(column, width);
        poison(f.carry, 0);
    }
    std::memset(start + ready_at, 0, bytes - 64 - ready_at);
    function = &f;
    registers = start;
    ready = reinterpret_cast<std::uint64_t*>(start + ready_at);
    params = start + params_at;
}

Frame* Warp::new_frame(const Function& f) {
    std::unique_ptr<Frame> frame;
    if (spare_frames.empty()) {
        frame = take_kept_frame();
        if (!frame) frame = std::make_unique<Frame>();
    } else {
        frame = std::move(spare_frames.back());
        spare_frames.pop_back();
    }
    frame->prepare(f);
    frame->parent = nullptr;
    frame->site = nullptr;
    frame->return_to = nullptr;
    frame->depth = 0;
    frame->local_base = 0;
    frame->params_below = 0;
    if (frame->shadow) frame->shadow->reset(f);
    if (zeros_local(*run)) {
        std::memset(frame->registers, 0, f.register_bytes);
    } else if (run->checking && !f.unwritten.empty()) {
        if (!frame->shadow) frame->shadow = std::make_unique<Shadow>(f);
        for (const auto& [column, bytes] : f.unwritten) frame->shadow->leave_unwritten(column, bytes, kAllLanes);
    }
    frames.push_back(std::move(frame));
    return frames.back().get();
}

namespace {

constexpr std::size_t kKeptBytes = std::size_t{64} << 20;
struct KeptFrames {
    std::vector<std::unique_ptr<Frame>> frames;
    std::size_t bytes = 0;
};
thread_local KeptFrames kept;

}  // namespace

void keep_frames(Warp& w) {
    for (auto* frames : {&w.frames, &w.spare_frames}) {
        for (auto& frame : *frames) {
            if (kept.bytes + frame->storage_bytes > kKeptBytes) break;
            kept.bytes += frame->storage_bytes;
            frame->function = nullptr;  // no call of it
            kept.frames.push_back(std::move(frame));
        }
        frames->clear();
    }
}

std::unique_ptr<Frame> take_kept_frame() {
    if (kept.frames.empty()) return nullptr;
    std::unique_ptr<Frame> frame = std::move(kept.frames.back());
    kept.frames.pop_back();
    kept.bytes -= frame->storage_bytes;
    return frame;
}

void Warp::begin_shadow() {
    if (!frame->shadow) frame->shadow = std::make_unique<Shadow>(*function);
    if (shadow) return;
    shadow = frame->shadow.get();
    limit = nullptr;  // the fragment stops, and goes on with an eye on its registers
}

void Warp::drop_frame(Frame* frame) {
    const auto found = std::find_if(frames.begin(), frames.end(), [&](const auto& f) { return f.get() == frame; });
    spare_frames.push_back(std::move(*found));
    frames.erase(found);
}

DevicePtr Warp::local_window(int lane) const {
    const std::uint64_t thread = (block->linear * run->setup.warps_per_block + static_cast<unsigned>(number)) * kLanes +
                                 static_cast<unsigned>(lane);
    return kLocalWindow + (thread % kLocalThreads << kLocalBits);
}

void Warp::grow_local(std::uint64_t bytes) {
    if (bytes <= local.capacity) return;
    const std::uint64_t capacity = std::max(bytes, local.capacity * 2);
    std::vector<std::uint8_t> bigger(capacity * kLanes + 64);
    const std::uint32_t fresh = zeros_local(*run) ? 0 : kPoisonWord;
    for (std::size_t i = 0; i + 4 <= bigger.size(); i += 4) std::memcpy(&bigger[i], &fresh, 4);
    for (std::uint64_t lane = 0; lane < kLanes && local.capacity != 0; ++lane)
        std::memcpy(&bigger[lane * capacity], &local.bytes[lane * local.capacity], local.capacity);
    local.bytes = std::move(bigger);
    if (run->checking) {
        std::vector<std::uint8_t> flags(capacity * kLanes + 64, fresh == 0 ? kWritten : kNeverWritten);
        auto undefined = local.undefined ? std::make_unique<UndefinedBytes>(flags.size()) : nullptr;
        for (std::uint64_t lane = 0; lane < kLanes; ++lane)
            for (std::uint64_t at = 0; at < local.capacity; ++at) {
                const std::uint64_t to = lane * capacity + at, from = lane * local.capacity + at;
                flags[to] = local.written[from];
                if (flags[to] != kUndefined) continue;
                undefined->bits(to) = local.undefined->bits(from);
                undefined->origin(to) = local.undefined->origin(from);
            }
        local.written = std::move(flags);
        local.undefined = std::move(undefined);
    }
    local.capacity = capacity;
}

void Warp::forget_local(Mask mask, std::uint64_t base, std::uint64_t bytes) {
    const bool zeros = zeros_local(*run);
    if (bytes == 0 || (!run->checking && !zeros)) return;
    for (int lane : lanes(mask)) {
        const std::size_t at = static_cast<std::size_t>(lane) * local.capacity + base;
        if (zeros) std::memset(&local.bytes[at], 0, bytes);
        if (run->checking) std::memset(&local.written[at], zeros ? kWritten : kNeverWritten, bytes);
    }
}

void start_warp(Warp& w, const Function& kernel) {
    while (!w.frames.empty()) w.drop_frame(w.frames.back().get());
    w.fragments.clear();
    w.copies.async.clear();
    w.copies.arrivals.clear();
    w.copies.bulk_arrival = 0;
    w.undefined.either_ways.clear();
    w.spent = {};
    w.now = 0;
    w.alive = w.exists;
    Frame* frame = w.new_frame(kernel);
    frame->lanes = w.exists;
    w.grow_local(kernel.local_bytes);
    w.forget_local(kAllLanes, 0, kernel.local_bytes);
    Fragment f;
    f.frame = frame;
    f.ip = kernel.code.data();
    f.mask = w.exists;
    w.fragments.push_back(f);
}

const Instr* split(Warp& w, const Instr* i, Mask mask, const Instr* ip) {
    Fragment other;
    other.frame = w.frame;
    other.ip = ip;
    other.mask = mask;
    other.now = w.now;
    const Fragment& from = w.fragments[w.current];
    other.queue_place = from.queue_place;
    other.waited = from.waited || from.spins;
    other.passed = from.passed;
    w.mask &= ~mask;
    w.fragments.push_back(other);
    w.resume = i + 1;
    w.stop = Stop::diverged;
    return nullptr;
}

void exit_lanes(Warp& w, const Instr* i, Mask mask) {
    Block& block = *w.block;
    const auto left = static_cast<std::uint32_t>(std::popcount(mask));
    w.alive &= ~mask;
    block.live -= left;
    if (block.exit_thread < 0) {
        block.exit_at = i;
        block.exit_function = w.function;
        block.exit_thread = w.number * kLanes + first_lane(mask);
    }
    w.spent.finished_at = std::max(w.spent.finished_at, w.now);
    w.run->progress.note();
}

const Instr* leave_kernel(const Instr* i, Warp& w, Mask mask) {
    exit_lanes(w, i, mask);
    for (Frame* frame = w.frame; frame;) {
        Frame* parent = frame->parent;
        frame->lanes &= ~mask;
        if (frame->lanes == 0) w.drop_frame(frame);
        frame = parent;
    }
    w.mask &= ~mask;
    w.resume = i + 1;
    w.stop = Stop::exit;
    return nullptr;
}

bool run_warp(Warp& w, std::int64_t budget) {
    bool ran = false;
    std::size_t polls = 0;
    const Run& run = *w.run;
    while (budget > 0 && !run.failed && choose(w)) {
        ran = true;
        w.since_chosen.strong = w.since_chosen.seems_to_wait = w.since_chosen.polls = w.since_chosen.timed = false;
        w.since_chosen.polled = 0;
        const std::int64_t steps = run_fragment(w, budget);
        budget -= steps;
        w.run->progress.steps += static_cast<std::uint64_t>(steps);
        Fragment& f = w.fragments[w.current];
        f.mask = w.mask;
        f.now = w.latest;
        f.frame = w.frame;
        f.ip = w.resume;
        f.strong |= w.since_chosen.strong;
        f.spins |= w.since_chosen.strong || w.since_chosen.seems_to_wait;
        f.timed |= w.since_chosen.timed;
        f.ran += static_cast<std::uint64_t>(steps);
        if (w.stop == Stop::loop && ++f.loops >= (f.spins ? kSpinLoops : kOtherLoops)) {
            std::uint32_t highest = 0;
            for (const Fragment& other : w.fragments) highest = std::max(highest, other.queue_place);
            f.queue_place = highest + 1;
            f.loops = 0;
            f.waited |= f.spins;
            f.spins = false;
        }
        const Stop stop = w.stop;
        const bool all_poll = stop == Stop::poll || (w.since_chosen.polls && stop == Stop::loop &&
                                                     ++polls > kRoundsOfFragment * w.fragments.size());
        if (all_poll) budget = 0;
        if (f.mask == 0) w.fragments.erase(w.fragments.begin() + static_cast<std::ptrdiff_t>(w.current));
        if (stop == Stop::exit) {
            // Fragments that waited for lanes that have exited check again.
            for (Fragment& other : w.fragments)
                if (other.state == State::at_sync) other.state = State::ready;
            release_warp_barriers(w);
            check_barriers(*w.block);
        } else if (stop == Stop::warp_barrier) {
            release_warp_barriers(w);
        } else if (stop == Stop::barrier) {
            check_barriers(*w.block);
        }
    }
    return ran;
}

}  // namespace vgpu
