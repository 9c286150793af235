// Runs the blocks of one launch: which are resident, in which order they and their warps go on.
#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <optional>

#include "virtual_gpu/exec/launch/beside_host.h"
#include "virtual_gpu/exec/launch/loop_watch.h"
#include "virtual_gpu/exec/launch/schedule.h"
#include "virtual_gpu/exec/launch/stall.h"
#include "virtual_gpu/exec/machine/machine.h"
#include "virtual_gpu/exec/machine/spare_frames.h"
#include "virtual_gpu/what_if/experiment.h"

namespace vgpu {
namespace {

// More blocks are resident only if they fit into this much of the host's memory.
constexpr std::uint64_t kAlwaysResident = 64, kHostBytes = std::uint64_t{128} << 20;
constexpr std::int64_t kTicketQuantum = 64;           // warp instructions of a turn
constexpr std::int64_t kCloseQuantum = 61;            // of a launch that seems only to wait
constexpr std::uint64_t kStepsAfterAssert = 1 << 20;  // warp instructions
// All blocks of a grid that fits on the device, if they wait for each other.
constexpr std::uint64_t kHostBytesForAll = std::uint64_t{1} << 30;

class RaceSink final : public SharedConflictSink {
  public:
    RaceSink(Run& run, Block& block) : run_(run), block_(block) {}
    void conflict(const SharedConflict& c) override { run_.reporter.race(block_, c); }

  private:
    Run& run_;
    Block& block_;
};

// A block and what is made for it once and used again by the blocks that follow.
struct Slot {
    Block block;
    std::unique_ptr<RaceSink> sink;
};

// Bytes that a resident block takes on the host.
std::uint64_t slot_bytes(const Run& run) {
    const std::uint64_t shared = run.setup.shared.bytes, registers = run.grid.kernel->register_bytes;
    return run.setup.warps_per_block * (registers + registers / 16 + sizeof(Warp)) + shared * (run.checking ? 9 : 1);
}

void prepare(Run& run, Slot& slot) {
    Block& b = slot.block;
    b.threads = run.setup.threads_per_block;
    const std::uint32_t bytes = (run.setup.shared.bytes + 63) / 64 * 64;
    b.shared.resize(bytes + 128);
    if (run.checking) {
        b.shared_written.resize(bytes + 128);
        slot.sink = std::make_unique<RaceSink>(run, b);
        b.races = std::make_unique<SharedRaces>(run.setup.shared.bytes, static_cast<int>(run.setup.warps_per_block),
                                                *slot.sink);
        b.order = std::make_unique<BlockOrder>();
        b.order->shared = b.races.get();
    }
    b.warps.resize(run.setup.warps_per_block);
    for (std::uint32_t n = 0; n < run.setup.warps_per_block; ++n) {
        Warp& w = b.warps[n];
        w.run = &run;
        w.block = &b;
        w.number = static_cast<int>(n);
        const std::uint32_t left = b.threads - n * kLanes;
        w.exists = left >= kLanes ? kAllLanes : (Mask{1} << left) - 1;
        w.base[1] = run.module.constants_at;
        for (std::uint32_t d = 0; d < 3; ++d) w.tid[d] = &run.setup.tid_columns[(n * 3 + d) * kLanes];
    }
}

void start(Run& run, Slot& slot, std::uint64_t linear) {
    Block& b = slot.block;
    b.linear = linear;
    b.index = run.block_index(linear);
    b.live = b.threads;
    b.done = false;
    b.cost = BlockCost{};
    b.skipped = run.progress.skipped;
    b.exit_thread = -1;
    b.barriers.fill(Barrier{});
    b.passed.clear();
    const bool zeros_shared = run.watch.what_if && run.watch.what_if->rules().zero_shared;
    const std::uint32_t fresh = zeros_shared ? 0 : kPoisonWord;
    std::uint8_t* const shared = b.shared.data();
    for (std::size_t i = 0, end = b.shared.size(); i + 4 <= end; i += 4) std::memcpy(shared + i, &fresh, 4);
    if (run.counting) b.l1.assign(kL1Sectors, 0);
    b.arrived.clear();
    if (run.checking) {
        std::fill(b.shared_written.begin(), b.shared_written.end(), zeros_shared ? kWritten : kNeverWritten);
        b.races->reset();
        run.global_races.order().start(*b.order, linear);
    }
    if (const std::uint32_t zeros = run.setup.shared.zeros_at; zeros != ~0u) {
        std::memset(&b.shared[zeros], 0, kReservedSharedBytes);
        if (run.checking) std::memset(&b.shared_written[zeros], kWritten, kReservedSharedBytes);
    }
    for (Warp& w : b.warps) start_warp(w, *run.grid.kernel);
}

// Ways that lanes take apart go side by side in the latency chain, but a warp issues one instruction after the other.
std::uint64_t shortest(const Run& run, const Warp& w) {
    return static_cast<std::uint64_t>(static_cast<double>(w.spent.instructions) / run.options.latencies.issue_per_warp);
}

void finish(Run& run, Block& b) {
    b.done = true;
    if (run.checking) run.global_races.order().end(*b.order);
    if (!run.counting) return;
    for (const Warp& w : b.warps) {
        b.cost.instructions += w.spent.instructions;
        b.cost.f64_instructions += w.spent.f64;
        b.cost.sfu_instructions += w.spent.sfu;
        b.cost.cycles = std::max({b.cost.cycles, w.spent.finished_at, shortest(run, w)});
    }
    b.cost.cycles += run.progress.skipped - b.skipped;
    b.cost.blocks = 1;
    run.result.blocks[b.linear / run.setup.blocks_per_cost].add(b.cost);
}

// By index: the lowest warp that can run goes on as far as it can, and in it one lane after the other.
bool turn_by_index(Run& run, Block& b, std::int64_t quantum) {
    bool ran = false;
    for (std::size_t n = 0; n < b.warps.size() && !run.failed; ++n) {
        Warp& w = b.warps[n];
        if (w.alive == 0) continue;
        do ran |= run_warp(w, quantum);
        while (run.watch.what_if->next_lane(w));
        const auto is_ready = [](const Fragment& f) { return f.state == State::ready; };
        if (std::ranges::any_of(w.fragments, is_ready) && !w.since_chosen.polls) return true;  // its time was over
    }
    return ran;
}

// Each warp of the block once; false: none could run.
bool turn(Run& run, Block& b, std::int64_t quantum, std::vector<Hold>& holds) {
    bool ran = false;
    const auto n = static_cast<std::uint32_t>(b.warps.size());
    const auto first = run.options.seed == 0 ? 0 : static_cast<std::uint32_t>(run.random.below(n));
    const bool down = run.options.seed != 0 && run.random.below(2) == 1;
    if (run.watch.what_if && run.watch.what_if->rules().by_index) return turn_by_index(run, b, quantum);
    for (std::uint32_t k = 0; k < n && !run.failed; ++k) {
        Warp& w = b.warps[(first + (down ? n - k : k)) % n];
        if (w.alive == 0) continue;
        const std::int64_t budget =
            run.options.seed == 0
                ? quantum
                : 1 + static_cast<std::int64_t>(run.random.below(static_cast<std::uint64_t>(quantum) * 2));
        const auto hold = std::ranges::find_if(holds, [&](const Hold& one) { return one.chose(w); });
        ran |= hold != holds.end() ? hold->run(w, budget) : run_warp(w, budget);
    }
    return ran;
}

// Where a block is: "kernel sum_up at reduce.cu:31, thread 0 of block 3, after 12 million warp instructions".
std::string standing(const Run& run, const Block& b) {
    std::string text = "kernel " + run.reporter.kernel_name();
    for (const Warp& w : b.warps) {
        const auto f = std::find_if(w.fragments.begin(), w.fragments.end(),
                                    [](const Fragment& one) { return one.state == State::ready; });
        if (f == w.fragments.end()) continue;
        const auto thread = static_cast<std::uint32_t>(w.number * kLanes + first_lane(f->mask));
        text +=
            " at " + run.reporter.at({f->frame->function, f->ip->source}) + ", " + run.reporter.thread_name(b, thread);
        break;
    }
    const std::uint64_t millions = run.progress.steps / 1'000'000;
    return text + ", after " +
           (millions != 0 ? std::to_string(millions) + " million" : std::to_string(run.progress.steps)) +
           " warp instructions";
}

// Each further sentence is a line of its own: how many blocks have ended, which loop a thread is in.
void stop(Run& run, const Block& b, const std::vector<Block*>& active, std::uint64_t left) {
    std::string text = standing(run, b);
    const std::uint64_t blocks =
        std::uint64_t{run.grid.launch.grid[0]} * run.grid.launch.grid[1] * run.grid.launch.grid[2];
    const std::string progress = progress_in_words(blocks - left - active.size(), blocks);
    if (!progress.empty()) text += "\n" + progress;
    if (const auto loop = watch_loop(run, active)) text += "\n" + in_words(run, *loop);
    run.fail(Status::timed_out, text);
}

// Where resident blocks waited for one that had not started.
struct WaitedFor {
    Place place;
    std::uint64_t block = 0;
    std::uint32_t thread = 0;
};

WaitedFor waited_for(const std::vector<Block*>& blocks) {
    for (const Block* b : blocks)
        for (const Warp& w : b->warps)
            for (const Fragment& f : w.fragments)
                if (f.state == State::ready)
                    return {place_of_wait(f), b->linear,
                            static_cast<std::uint32_t>(w.number * kLanes + first_lane(f.mask))};
    return {};
}

// A wait that ends by what CUDA does not promise.
void note(Run& run, Kind kind, const WaitedFor& waited, const char* relies_on, const char* help) {
    Finding* f = nullptr;
    if (!run.reporter.add(kind, waited.place, {}, f)) return;
    f->is_note = true;
    f->thread = run.thread_index(waited.thread);
    f->block = run.block_index(waited.block);
    f->what = run.reporter.thread_name(waited.block, waited.thread) + " waited at " + run.reporter.at(waited.place) +
              " for a block that had not started: the kernel relies on " + relies_on;
    f->help = help;
}

void note_block_order(Run& run, const WaitedFor& waited) {
    note(run, Kind::block_order, waited, "blocks starting in ascending order, which CUDA does not promise",
         "this works on the GPUs of today; a ticket, taken by atomicAdd() when a block starts, numbers the blocks in "
         "their true order");
}

void note_co_residency(Run& run, const WaitedFor& waited) {
    note(run, Kind::co_residency, waited, "all its blocks being on the device at once",
         "here they fit, if nothing else runs on the device; only cudaLaunchCooperativeKernel() promises it, and "
         "refuses a grid that is too large");
}

// Why the blocks that have not started never do.
std::string not_started(const Run& run, const StartOrder& order, std::uint64_t resident, std::uint64_t blocks) {
    if (order.is_over()) return "";
    const std::uint64_t room = run.grid.launch.room;
    return order.left_in_words() + ", as " +
           (room != 0 && room < blocks ? "the device holds " + std::to_string(room) + " of " + counted(blocks, "block")
                                       : "this schedule has only " + counted(resident, "block")) +
           " at once";
}

// The blocks of a running grid: those that are resident, and the room for more.
class Residents {
  public:
    Residents(Run& run, std::uint64_t count) : run_(run) { add(count); }
    ~Residents() {
        for (Slot& slot : slots_)
            for (Warp& w : slot.block.warps) keep_frames(w);
    }
    Residents(const Residents&) = delete;
    Residents& operator=(const Residents&) = delete;

    void add(std::uint64_t count) {
        for (; count > 0; --count) {
            Slot& slot = slots_.emplace_back();
            prepare(run_, slot);
            slot_of_[&slot.block] = &slot;
            spare_.push_back(&slot);
        }
    }
    bool fill(StartOrder& order, std::vector<Hold>& holds) {
        const std::size_t before = active.size();
        for (; !order.is_over() && !spare_.empty(); spare_.pop_back()) {
            start(run_, *spare_.back(), order.next());
            active.push_back(&spare_.back()->block);
            for (Hold& hold : holds) hold.started(*active.back());
        }
        return active.size() != before;
    }
    void end(std::size_t n) {
        finish(run_, *active[n]);
        spare_.push_back(slot_of_[active[n]]);
        active.erase(active.begin() + static_cast<std::ptrdiff_t>(n));
    }

    std::vector<Block*> active;  // in the order in which they started

  private:
    Run& run_;
    std::deque<Slot> slots_;
    std::vector<Slot*> spare_;
    std::unordered_map<Block*, Slot*> slot_of_;
};

}  // namespace

Index3 Run::thread_index(std::uint32_t t) const { return index_in(grid.launch.block, t); }

std::uint32_t Run::warp_of(const Index3& t) const {
    const Index3& b = grid.launch.block;
    return ((t[2] * b[1] + t[1]) * b[0] + t[0]) / kLanes;
}

Index3 Run::block_index(std::uint64_t linear) const { return index_in(grid.launch.grid, linear); }

void Run::execute() {
    const std::uint64_t blocks = std::uint64_t{grid.launch.grid[0]} * grid.launch.grid[1] * grid.launch.grid[2];
    random.state = options.seed * 0x2545'F491'4F6C'DD1Du + (setup.launch_number - options.launches_before);
    Schedule schedule = schedule_of(options.seed, random);
    if (setup.takes_turns && grid.launch.room != 0) {
        schedule.resident = grid.launch.room;
        schedule.quantum = kTicketQuantum;
    }
    if (relies_on_order.contains(grid.kernel)) schedule.in_order = true;
    if (watch.what_if && watch.what_if->rules().by_index) {
        schedule = Schedule{};
        schedule.resident = 1;
    }
    std::uint64_t resident = schedule.resident;
    if (resident > kAlwaysResident)
        resident = std::max(kAlwaysResident, std::min(resident, kHostBytes / slot_bytes(*this)));
    resident = std::min<std::uint64_t>(resident, static_cast<std::uint64_t>(std::max(1, options.max_resident_blocks)));
    if (grid.launch.cooperative) resident = blocks;
    const bool may_hold_all = grid.launch.room >= blocks && blocks * slot_bytes(*this) <= kHostBytesForAll;
    if (may_hold_all && relies_on_all.contains(grid.kernel)) resident = blocks;
    resident = std::min(resident, blocks);
    StartOrder order(blocks, schedule, random);
    std::vector<Hold> holds = holds_of(schedule, resident, blocks, random);

    setup.tid_columns.resize(std::size_t{setup.warps_per_block} * 3 * kLanes);
    for (std::uint32_t t = 0; t < setup.warps_per_block * kLanes; ++t) {
        const Index3 index = thread_index(t);
        for (std::uint32_t d = 0; d < 3; ++d) setup.tid_columns[(t / kLanes * 3 + d) * kLanes + t % kLanes] = index[d];
    }
    GlobalRaceSink sink(*this);
    if (checking) global_races.begin_grid(grid.number, setup.warps_per_block, blocks, grid.known, sink);
    Residents residents(*this, resident);
    std::vector<Block*>& active = residents.active;
    std::optional<WaitedFor> waited, waited_for_all;
    Stall stall(*this);
    LoopWatch loops(*this);
    bool has_skipped = false;
    BesideHost beside(*this);
    while (!failed && (!order.is_over() || !active.empty())) {
        if (residents.fill(order, holds)) stall.block_came_or_went();
        const std::int64_t quantum = stall.is_close() ? std::min(schedule.quantum, kCloseQuantum) : schedule.quantum;
        for (std::size_t done = 0; done < active.size() && !failed;) {
            const std::size_t n = schedule.newest_first ? active.size() - 1 - done : done;
            Block& b = *active[n];
            if (stop_requested.load(std::memory_order_relaxed)) {
                stop(*this, b, active, order.left());
                break;
            }
            if (!turn(*this, b, quantum, holds) && b.live != 0 && !(watch.what_if && watch.what_if->go_on(b))) {
                std::swap(active[0], active[n]);
                report_deadlock(*this, active, false, "", "");
                break;
            }
            if (b.live != 0) {
                ++done;
                continue;
            }
            for (Hold& hold : holds) hold.ended(b);
            residents.end(n);
            stall.block_came_or_went();
            progress.note();
            if (!order.is_over()) break;
        }
        for (Hold& hold : holds) hold.round_over(progress);
        if (has_asserted() && progress.steps - progress.asserted > kStepsAfterAssert) fail(Status::device_assert, "");
        if (failed || loops.has_found(active)) break;
        beside.round_over(active);
        const Stall::Verdict verdict = stall.look(active, order.is_over());
        if (verdict == Stall::Verdict::none) continue;
        const bool is_stalled = verdict != Stall::Verdict::time, is_same = verdict == Stall::Verdict::repeated;
        const bool will_not_end = is_same || verdict == Stall::Verdict::deadlocked;
        const auto is_behind_others = [&] {
            return std::ranges::any_of(active, [&](const Block* b) { return b->linear > order.lowest_left(); });
        };
        if (is_stalled && !schedule.in_order && !order.is_over() && !waited && is_behind_others()) {
            // Would it have gone on, had the blocks started in order?
            waited = waited_for(active);
            order.sort();
            residents.add(resident);
            progress.note();
        } else if (is_stalled && may_hold_all && !order.is_over()) {
            // And if they all were on the device at once?
            waited_for_all = waited_for(active);
            residents.add(order.left());
            progress.note();
        } else if (is_stalled && beside.may_go_on(active)) {
            progress.note();
        } else if (stall.may_skip() && !will_not_end) {
            stall.skip(active);
            has_skipped = true;
        } else if (will_not_end) {
            const auto loop = watch_loop(*this, active, std::size_t{1} << 18, is_same);
            if (failed) break;
            if (loop && loop->is_endless)
                report_endless(*this, *loop);
            else
                report_deadlock(*this, active, true, not_started(*this, order, resident, blocks), beside.why_not());
        }
    }
    if (failed || has_asserted()) return;
    if (has_skipped) return;  // it may have ended because its time was over, not because of other blocks
    if (waited_for_all) {
        relies_on_all.insert(grid.kernel);
        note_co_residency(*this, *waited_for_all);
    } else if (waited) {
        relies_on_order.insert(grid.kernel);
        note_block_order(*this, *waited);
    }
}

}  // namespace vgpu
