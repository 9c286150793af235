// Block barriers, warp barriers, and what is said when they cannot complete.
#include <algorithm>
#include <cstring>
#include <set>

#include "virtual_gpu/exec/machine/machine.h"
#include "virtual_gpu/exec/machine/meeting.h"
#include "virtual_gpu/ptx/blocks.h"

namespace vgpu {
namespace {

std::string range(const Reporter& reporter, std::uint32_t first, std::uint32_t last) {
    return first == last ? "thread " + reporter.thread_number(first)
                         : "threads " + reporter.thread_number(first) + ".." + reporter.thread_number(last);
}

Place place_before(const Fragment& f) { return {f.frame->function, (f.ip - 1)->source}; }

// Lanes that came from different source lines.
void check_lines(Block& block, Warp& w, const Instr* i, Barrier& b, Mask mask) {
    if (b.named || !b.first || b.first == i) return;
    Run& run = *w.run;
    const Place here = run.reporter.place(w, i), there{b.first_function, b.first->source};
    const ptx::Location x = run.reporter.location(here), y = run.reporter.location(there);
    if (x.file == y.file && x.line == y.line) return;
    Finding* f = nullptr;
    if (!run.reporter.add(Kind::divergent_barrier, here, there, f)) return;
    const auto thread = static_cast<std::uint32_t>(w.number * kLanes + first_lane(mask));
    f->thread = run.thread_index(thread);
    f->other_thread = run.thread_index(static_cast<std::uint32_t>(b.first_thread));
    f->block = f->other_block = block.index;
    f->what = run.reporter.thread_name(block, thread) + " waits at the barrier at " + run.reporter.at(here) +
              " while " + run.reporter.thread_name(block, static_cast<std::uint32_t>(b.first_thread)) +
              " waits at another one, at " + run.reporter.at(there);
    f->help = "every thread of the block has to reach the same __syncthreads()";
}

// Where threads of a block left the kernel, of which others have come to this barrier. nvcc makes one return of all:
// then it is the branch that leads there and past the barrier, if all such branches are of one line.
Place left_at(const Block& block, Place barrier) {
    const Place exit{block.exit_function, block.exit_at->source};
    if (exit.function != barrier.function) return exit;
    const ptx::Function& f = *exit.function->source;
    const ptx::Blocks blocks(f);
    const auto ends = [&](std::size_t b) {  // without having done anything
        for (int depth = 0; depth < 8; ++depth) {
            const ptx::Block& one = blocks.all[b];
            const auto is = [&](std::uint32_t n, std::initializer_list<Opcode> opcodes) {
                return ptx::is_one_of(f.body[n].opcode, opcodes);
            };
            if (one.begin == one.end) return b + 1 == blocks.all.size();
            if (one.end - one.begin != 1) return false;
            if (is(one.begin, {Opcode::ret, Opcode::exit})) return true;
            if (!is(one.begin, {Opcode::bra}) || one.next.size() != 1) return false;
            b = one.next[0];
        }
        return false;
    };
    std::vector<bool> comes(blocks.all.size());  // to the barrier
    comes[blocks.of[barrier.source]] = true;
    for (bool grows = true; grows;) {
        grows = false;
        for (std::size_t b = 0; b < blocks.all.size(); ++b)
            for (const std::size_t next : blocks.all[b].next)
                if (comes[next] && !comes[b]) comes[b] = grows = true;
    }
    const Reporter& reporter = block.warps.front().run->reporter;
    Place found = exit;
    ptx::Location line;
    for (const ptx::Block& one : blocks.all) {
        if (one.next.size() != 2 || one.begin == one.end) continue;
        const bool leaves = (ends(one.next[0]) && comes[one.next[1]]) || (ends(one.next[1]) && comes[one.next[0]]);
        if (!leaves) continue;
        const Place branch{exit.function, one.end - 1};
        const ptx::Location at = reporter.location(branch);
        if (line.line > 0 && (at.line != line.line || at.file != line.file)) return exit;
        found = branch;
        line = at;
    }
    return line.line > 0 ? found : exit;
}

void note_early_exit(Block& block, Barrier& b) {
    if (block.exit_thread < 0 || !b.first) return;
    Run& run = *block.warps.front().run;
    const Place here{b.first_function, b.first->source};
    Finding* f = nullptr;
    if (!run.reporter.add(Kind::early_exit, here, {block.exit_function, block.exit_at->source}, f)) return;
    const Place there = left_at(block, here);
    f->other_place = run.reporter.source(there);
    f->is_note = true;
    f->thread = run.thread_index(static_cast<std::uint32_t>(b.first_thread));
    f->other_thread = run.thread_index(static_cast<std::uint32_t>(block.exit_thread));
    f->block = f->other_block = block.index;
    f->what = counted(block.threads - block.live, "thread") + " of " + run.reporter.block_name(block.linear) +
              " had left the kernel, at " + run.reporter.at(there) + ", when others came to the barrier at " +
              run.reporter.at(here);
    f->help =
        "threads that have left count as arrived, so nobody waits in vain; a guard around the work, in place of a "
        "return before the barrier, keeps them for what comes behind it";
}

// Whether a waiting fragment waits at a barrier of this bypass, or in a function that it called from there.
bool waits_at(const Fragment& f, const Passed& p) {
    const std::vector<std::uint32_t>& barriers = p.function->bypasses[p.bypass].barriers;
    const Instr* at = f.ip - 1;
    for (const Frame* frame = f.frame; frame; at = frame->return_to - 1, frame = frame->parent)
        if (frame->function == p.function)
            return std::find(barriers.begin(), barriers.end(), at->source) != barriers.end();
    return false;
}

// Whether a thread has skipped the barrier at which others wait, and has met no other barrier of the block since. Such
// a thread has left the kernel, or waits at the same barrier in another iteration of a loop.
bool find_passed(Block& block, int number) {
    Run& run = *block.warps.front().run;
    for (const Passed& p : block.passed)
        for (const Warp& w : block.warps)
            for (const Fragment& f : w.fragments) {
                if (f.state != State::at_barrier || f.barrier != number || !waits_at(f, p)) continue;
                Mask with = 0;  // lanes of this warp that went past it, too
                for (const Passed& other : block.passed)
                    if (other.function == p.function && other.bypass == p.bypass && other.warp == w.number)
                        with = other.lanes;
                if ((f.mask & ~with) == 0) continue;
                const Place here = place_before(f), there{p.function, p.function->bypasses[p.bypass].branch};
                Finding* found = nullptr;
                if (!run.reporter.add(Kind::divergent_barrier, here, there, found)) return true;
                const auto waiting = static_cast<std::uint32_t>(w.number * kLanes + first_lane(f.mask & ~with));
                const auto passed = static_cast<std::uint32_t>(p.warp * kLanes + first_lane(p.lanes));
                const bool left = (block.warps[static_cast<std::size_t>(p.warp)].alive >> (passed % kLanes) & 1) == 0;
                found->thread = run.thread_index(waiting);
                found->other_thread = run.thread_index(passed);
                found->block = found->other_block = block.index;
                found->what = run.reporter.thread_name(block, waiting) + " waits at the barrier at " +
                              run.reporter.at(here) + ", but " + run.reporter.thread_name(block, passed) +
                              " went past it at " + run.reporter.at(there) +
                              (left ? ", and on to the end of the kernel" : ", and waits in another round of the loop");
                found->help = "every thread of the block has to reach the same __syncthreads(), equally often";
                return true;
            }
    return false;
}

void complete(Block& block, int number) {
    Barrier& b = block.barriers[static_cast<std::size_t>(number)];
    Run& run = *block.warps.front().run;
    run.progress.note_same();
    if (!b.named) {
        if (!find_passed(block, number) && block.live < block.threads) note_early_exit(block, b);
        block.passed.clear();
    }
    const std::uint32_t threads = b.arrived;
    const Latencies& cost = run.options.latencies;
    const std::uint32_t latency = static_cast<std::uint32_t>(cost.barrier) +
                                  static_cast<std::uint32_t>(cost.barrier_warp) * ((threads + 31) / 32);
    int taking_part[kLanes];
    std::size_t count = 0;
    for (Warp& w : block.warps) {
        // Threads that have left count as arrived, unless the barrier has a count of its own.
        if ((b.waiting >> w.number & 1) != 0 || (w.alive == 0 && !b.named)) taking_part[count++] = w.number;
        if (b.lanes[static_cast<std::size_t>(w.number)] == 0) continue;
        for (Fragment& f : w.fragments) {
            if (f.state != State::at_barrier || f.barrier != number) continue;
            f.state = State::ready;
            f.passed = true;
            f.now = std::max(f.now, b.latest) + latency;
            const Instr* i = f.ip - 1;
            if (i->d == 0) continue;  // no bar.red
            Mask* predicate = reinterpret_cast<Mask*>(f.frame->registers + i->d);
            if (i->small == 1) {  // popc
                auto* d = reinterpret_cast<std::uint32_t*>(predicate);
                for (int l : lanes(f.mask)) d[l] = b.true_count;
            } else {
                const bool value = i->small == 2 ? b.true_count == threads : b.true_count > 0;  // and, or
                *predicate = value ? *predicate | f.mask : *predicate & ~f.mask;
            }
        }
    }
    if (run.checking) {
        block.races->barrier({taking_part, count}, number);
        run.global_races.order().barrier(*block.order, {taking_part, count}, number);
    }
    b = Barrier{};
}

}  // namespace

const Instr* arrive(Warp& w, const Instr* i, Mask mask, int number, std::uint32_t expected, bool wait) {
    if (mask != w.mask) return split(w, i, mask, i);
    Block& block = *w.block;
    Run& run = *w.run;
    Barrier& b = block.barriers[static_cast<std::size_t>(number)];
    if (run.counting) run.tally.counters[w.function->count_base + i->source].barriers += 1;
    if (expected != 0) {
        b.named = true;
        b.expected = expected;
    }
    check_lines(block, w, i, b, mask);
    if (!b.first) {
        b.first = i;
        b.first_function = w.function;
        b.first_thread = w.number * kLanes + first_lane(mask);
    }
    b.arrived += static_cast<std::uint32_t>(std::popcount(mask));
    b.latest = std::max(b.latest, w.now);
    if (i->d != 0) {
        const Mask p = w.predicate(i->a);
        b.true_count += static_cast<std::uint32_t>(std::popcount((i->aux != 0 ? ~p : p) & mask));
    }
    b.lanes[static_cast<std::size_t>(w.number)] |= mask;
    Fragment& f = w.fragments[w.current];
    if (wait) {
        f.state = State::at_barrier;
        f.barrier = static_cast<std::uint8_t>(number);
        b.waiting |= 1u << w.number;
    } else if (run.checking) {
        block.races->arrive(w.number, number);
        run.global_races.order().arrive(*block.order, w.number, number);
    }
    w.resume = i + 1;
    w.stop = Stop::barrier;
    return nullptr;
}

void pass_barriers(Warp& w, Mask lanes, std::uint32_t bypass) {
    for (Passed& p : w.block->passed)
        if (p.function == w.function && p.bypass == bypass && p.warp == w.number) {
            p.lanes |= lanes;
            return;
        }
    w.block->passed.push_back({w.function, bypass, w.number, lanes});
}

void check_barriers(Block& block) {
    for (int n = 0; n < 16; ++n) {
        const Barrier& b = block.barriers[static_cast<std::size_t>(n)];
        if (b.arrived == 0) continue;
        const std::uint32_t gone = block.threads - block.live;
        const std::uint32_t expected = b.expected != 0 && b.named ? b.expected : block.threads - gone;
        if (b.arrived >= expected) complete(block, n);
    }
}

void sync_lanes(Warp& w, Mask mask) {
    if (!w.run->checking) return;
    w.block->races->warp_sync(w.number, mask);
    w.run->global_races.order().warp_sync(*w.block->order, w.number, mask);
}

void meet_lanes(Warp& w, Mask mask) {
    if (!w.run->checking) return;
    w.block->races->lanes_met(w.number, mask);
    w.run->global_races.order().lanes_met(*w.block->order, w.number, mask);
}

bool have_one_mask(const std::uint32_t* masks, Mask m, Mask alive) {
    for (Mask rest = m; rest != 0;) {
        const Mask named = masks[first_lane(rest)] & alive;
        Mask same = 0;
        for (int l = 0; l < kLanes; ++l) same |= Mask{(masks[l] & alive) == named} << l;
        if ((named & m & ~same) != 0) return false;
        rest &= ~same;
    }
    return true;
}

void sync_groups(Warp& w, Mask m, const std::uint32_t* masks) {
    while (m != 0) {
        const Mask group = masks[first_lane(m)] & m;
        sync_lanes(w, group);
        m &= ~(group | Mask{1} << first_lane(m));
    }
}

void release_warp_barriers(Warp& w) {
    Mask waiting = 0;
    std::uint32_t masks[kLanes] = {};
    for (const Fragment& f : w.fragments) {
        if (f.state != State::at_warp_barrier) continue;
        waiting |= f.mask;
        const Column members = (f.ip - 1)->a;
        const std::uint8_t* base = (members & kConstantBit) != 0 ? w.base[1] : f.frame->registers;
        for (int l : lanes(f.mask))
            std::memcpy(&masks[l], base + (members & ~kConstantBit) + static_cast<std::size_t>(l) * 4, 4);
    }
    for (std::size_t n = 0; n < w.fragments.size(); ++n) {
        if (w.fragments[n].state != State::at_warp_barrier) continue;
        // Fragments that cannot go on without each other.
        Mask together = w.fragments[n].mask | (w.fragments[n].wants & w.alive), before = 0;
        while (before != together) {
            before = together;
            for (const Fragment& other : w.fragments)
                if (other.state == State::at_warp_barrier && (other.mask & together) != 0)
                    together |= other.mask | (other.wants & w.alive);
        }
        if ((together & ~waiting) != 0 || !have_one_mask(masks, together, w.alive)) continue;
        for (Fragment& other : w.fragments)
            if (other.state == State::at_warp_barrier && (other.mask & together) != 0) other.state = State::ready;
        sync_groups(w, together, masks);
    }
}

Place place_of_wait(const Fragment& f) {
    std::uint32_t at = f.ip->source;
    for (const Frame* frame = f.frame; frame; frame = frame->parent) {
        const auto head = ptx::loop_around(*frame->function->source, at);
        if (head) return {frame->function, *head};
        if (frame->parent) at = (frame->return_to - 1)->source;
    }
    return {f.frame->function, f.ip->source};
}

void report_deadlock(Run& run, const std::vector<Block*>& blocks, bool spinning, const std::string& not_started,
                     const std::string& about_host) {
    // The sentence is about the first block that cannot go on.
    for (Block* block : blocks) {
        if (block->done) continue;
        if (!spinning && report_mismatch(run, *block)) return;
        struct Group {
            Place place;
            std::string doing;
            std::vector<std::pair<std::uint32_t, std::uint32_t>> threads;
        };
        std::vector<Group> groups;
        std::uint32_t first_thread = ~0u;
        bool plain_spin = false, at_barrier = false;
        for (Warp& w : block->warps)
            for (const Fragment& f : w.fragments) {
                Place place = f.state == State::ready ? place_of_wait(f) : Place{f.frame->function, f.ip->source};
                std::string doing = "go round in a loop at ";
                if (f.state == State::at_barrier)
                    place = place_before(f), doing = "wait at the barrier at ", at_barrier = true;
                if (f.state == State::held) doing = "wait for others, by a what-if rule, at ";
                if (f.state == State::at_sync || f.state == State::at_warp_barrier) {
                    place = place_of_sync(f);
                    doing = "wait for other lanes of their warp in " + name_of_sync(f) + "() at ";
                }
                if (f.state == State::ready && !f.strong) plain_spin = true;
                auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& g) {
                    return g.doing == doing && run.reporter.at(g.place) == run.reporter.at(place);
                });
                if (group == groups.end()) group = groups.insert(groups.end(), Group{place, doing, {}});
                for (int l : lanes(f.mask)) {
                    const auto t = static_cast<std::uint32_t>(w.number * kLanes + l);
                    first_thread = std::min(first_thread, t);
                    if (!group->threads.empty() && group->threads.back().second + 1 == t)
                        group->threads.back().second = t;
                    else
                        group->threads.emplace_back(t, t);
                }
            }
        if (groups.empty()) continue;
        std::string what =
            run.reporter.block_name(block->linear) + " of " + run.reporter.kernel_name() + " cannot go on: ";
        for (std::size_t g = 0; g < groups.size() && g < 4; ++g) {
            if (g > 0) what += "; ";
            auto& ranges = groups[g].threads;
            std::sort(ranges.begin(), ranges.end());
            for (std::size_t r = 0; r < ranges.size() && r < 3; ++r)
                what += (r > 0 ? ", " : "") + range(run.reporter, ranges[r].first, ranges[r].second);
            if (ranges.size() > 3) what += " and more";
            const bool single = ranges.size() == 1 && ranges[0].first == ranges[0].second;
            std::string doing = groups[g].doing;
            if (single) doing.insert(doing.find(' '), doing.starts_with("go") ? "es" : "s");
            what += " " + doing + run.reporter.at(groups[g].place);
        }
        if (block->exit_thread >= 0)
            what += "; " + counted(block->threads - block->live, "thread") +
                    (block->threads - block->live == 1 ? " has left, at " : " have left, the first at ") +
                    run.reporter.at(left_at(*block, groups[0].place));
        if (!not_started.empty()) what += "; " + not_started;
        if (!about_host.empty()) what += "; " + about_host;
        Finding* f = nullptr;
        const Place other = groups.size() > 1 ? groups[1].place : Place{};
        if (run.reporter.add(Kind::deadlock, groups[0].place, other, f)) {
            f->what = what;
            f->thread = run.thread_index(first_thread);
            f->block = block->index;
            f->help =
                !spinning ? "every thread that is named has to reach the same barrier or warp operation"
                : !not_started.empty()
                    ? "blocks that wait for each other all have to be on the device at once: launch no more than it "
                      "holds, as cudaLaunchCooperativeKernel() checks, or wait only for blocks that have started"
                : at_barrier ? "every thread of the block has to come to this barrier: find what keeps some in the loop"
                : plain_spin
                    ? "a plain load in a waiting loop may be read once and kept in a register forever: a flag is "
                      "read as volatile, by atomicAdd(p, 0) or by cuda::atomic_ref"
                : !about_host.empty() ? "the host has to write what the loop waits for before it waits for the kernel"
                                      : "";
        }
        run.fail(Status::launch_failure, what);
        return;
    }
    run.fail(Status::launch_failure, "the kernel cannot go on");
}

}  // namespace vgpu
