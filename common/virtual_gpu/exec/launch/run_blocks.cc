// Runs the blocks of one launch: which are resident, in which order they and their warps go on.
#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>

#include "virtual_gpu/exec/machine/machine.h"

namespace vgpu {
namespace {

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

// In which order blocks start. Seed 0: ascending; else shuffled, or backwards.
class Order {
  public:
    Order(std::uint64_t blocks, std::uint64_t seed, Random& random) : blocks_(blocks) {
        if (seed == 0) return;
        if (seed % 8 == 5 || blocks > kLargest) {
            backwards_ = true;
            return;
        }
        order_.resize(blocks);
        std::iota(order_.begin(), order_.end(), 0u);
        for (std::uint64_t i = blocks; i > 1; --i) std::swap(order_[i - 1], order_[random.below(i)]);
    }
    std::uint64_t operator[](std::uint64_t n) const {
        return backwards_ ? blocks_ - 1 - n : order_.empty() ? n : order_[n];
    }

  private:
    static constexpr std::uint64_t kLargest = 1 << 24;
    std::uint64_t blocks_;
    bool backwards_ = false;
    std::vector<std::uint32_t> order_;
};

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
    b.exit_thread = -1;
    b.barriers.fill(Barrier{});
    b.passed.clear();
    for (std::size_t i = 0; i + 4 <= b.shared.size(); i += 4) std::memcpy(&b.shared[i], &kPoisonWord, 4);
    if (run.checking) {
        std::fill(b.shared_written.begin(), b.shared_written.end(), std::uint8_t{0});
        b.races->reset();
        run.global_races->order().start(*b.order, linear);
    }
    for (Warp& w : b.warps) start_warp(w, *run.grid.kernel);
}

void finish(Run& run, Block& b) {
    b.done = true;
    if (!run.counting) return;
    for (const Warp& w : b.warps) {
        b.cost.instructions += w.instructions;
        b.cost.cycles = std::max<std::uint64_t>(b.cost.cycles, w.finished_at);
    }
    run.result.blocks[b.linear] = b.cost;
}

// Each warp of the block once; false: none could run.
bool turn(Run& run, Block& b, std::int64_t quantum) {
    bool ran = false;
    const auto n = static_cast<std::uint32_t>(b.warps.size());
    const auto first = run.options.seed == 0 ? 0 : static_cast<std::uint32_t>(run.random.below(n));
    const bool down = run.options.seed != 0 && run.random.below(2) == 1;
    for (std::uint32_t k = 0; k < n && !run.failed; ++k) {
        Warp& w = b.warps[(first + (down ? n - k : k)) % n];
        if (w.alive == 0) continue;
        const std::int64_t budget =
            run.options.seed == 0
                ? quantum
                : 1 + static_cast<std::int64_t>(run.random.below(static_cast<std::uint64_t>(quantum) * 2));
        ran |= run_warp(w, budget);
    }
    return ran;
}

// Has every lane that could run been waiting in a loop that reads strongly?
bool all_spin(const std::vector<Block*>& blocks) {
    for (const Block* b : blocks)
        for (const Warp& w : b->warps)
            for (const Fragment& f : w.fragments)
                if (f.state == State::ready && !f.spins) return false;
    return true;
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

void forget_spins(const std::vector<Block*>& blocks) {
    for (Block* b : blocks)
        for (Warp& w : b->warps)
            for (Fragment& f : w.fragments) f.spins = f.strong = false;
}

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
    // With 64 resident blocks, a look-back may go back over more blocks than a warp has lanes.
    constexpr std::uint64_t kResident[] = {1, 2, 4, 8, 16, 64};
    std::uint64_t resident = options.seed == 0 ? 8 : kResident[random.below(6)];
    resident = std::min<std::uint64_t>(resident, static_cast<std::uint64_t>(std::max(1, options.max_resident_blocks)));
    if (grid.launch.cooperative) resident = blocks;
    resident = std::min(resident, blocks);
    constexpr std::int64_t kQuanta[] = {8, 64, 256, 1024, 4096};
    const std::int64_t quantum = options.seed == 0 ? 4096 : kQuanta[random.below(5)];
    const Order order(blocks, options.seed, random);

    setup.tid_columns.resize(std::size_t{setup.warps_per_block} * 3 * kLanes);
    for (std::uint32_t t = 0; t < setup.warps_per_block * kLanes; ++t) {
        const Index3 index = thread_index(t);
        for (std::uint32_t d = 0; d < 3; ++d) setup.tid_columns[(t / kLanes * 3 + d) * kLanes + t % kLanes] = index[d];
    }
    GlobalRaceSink sink(*this);
    if (checking) global_races->begin_grid(grid.number, setup.warps_per_block, blocks, grid.known, sink);
    std::deque<Slot> slots(resident);
    std::vector<Slot*> spare;
    for (Slot& s : slots) {
        prepare(*this, s);
        spare.push_back(&s);
    }
    std::vector<Block*> active;
    std::unordered_map<Block*, Slot*> slot_of;
    for (Slot& s : slots) slot_of[&s.block] = &s;
    std::uint64_t started = 0, checked_at = 0;
    while (!failed && (started < blocks || !active.empty())) {
        while (started < blocks && !spare.empty()) {
            Slot* s = spare.back();
            spare.pop_back();
            start(*this, *s, order[started++]);
            active.push_back(&s->block);
        }
        for (std::size_t n = 0; n < active.size() && !failed;) {
            Block& b = *active[n];
            if (stop_requested.load(std::memory_order_relaxed)) {
                fail(Status::timed_out, standing(*this, b));
                break;
            }
            if (!turn(*this, b, quantum) && b.live != 0) {
                std::swap(active[0], active[n]);
                report_deadlock(*this, active, false);
                break;
            }
            if (b.live != 0) {
                ++n;
                continue;
            }
            finish(*this, b);
            spare.push_back(slot_of[&b]);
            active.erase(active.begin() + static_cast<std::ptrdiff_t>(n));
            progress.note();
            if (started < blocks) break;
        }
        if (failed) break;
        // Whether all warps only wait. A loop that does not look like waiting gets much more time.
        const std::uint64_t still = progress.steps - progress.last;
        if (still > options.max_stall_steps / 2 && checked_at <= progress.last) {
            forget_spins(active);
            checked_at = progress.steps;
        }
        if ((still > options.max_stall_steps && checked_at > progress.last &&
             progress.steps - checked_at > options.max_stall_steps / 4 && all_spin(active)) ||
            still > options.max_stall_steps * 256 || progress.steps > options.max_steps)
            report_deadlock(*this, active, true);
    }
}

}  // namespace vgpu
