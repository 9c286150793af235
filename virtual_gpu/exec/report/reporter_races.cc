// Races in words.
#include <algorithm>

#include "virtual_gpu/exec/decode/plain_reads.h"
#include "virtual_gpu/exec/machine/machine.h"
#include "virtual_gpu/exec/report/names.h"

namespace vgpu {
namespace {

const char* name_of_access(AccessKind k) {
    return k == AccessKind::read ? "read" : k == AccessKind::write ? "write" : "atomic";
}
const char* verb_of(AccessKind k) {
    return k == AccessKind::read ? "read" : k == AccessKind::write ? "wrote" : "did an atomic on";
}

// Two blocks tell more than two warps, and these more than two lanes of one.
int distance(bool same_block, bool same_warp) { return !same_block ? 2 : !same_warp ? 1 : 0; }

// If two threads write where only one should, no barrier helps.
bool both_write(AccessKind one, AccessKind other) { return one == AccessKind::write && other == AccessKind::write; }
constexpr const char* kTwoWrites =
    "if only one of the two should write this element, an index is wrong; if both should, a barrier between the two "
    "decides who is last";

// One side of a race: who, what it did, and where.
struct Side {
    std::string who;
    AccessKind kind;
    std::string at;
};

// "thread 3 of block 0 wrote s[3] at a.cu:7 and thread 35 of block 0 read it at a.cu:9"
std::string told(const Side& one, const Side& other, const std::string& element) {
    const bool same_line = one.at == other.at;
    return one.who + " " + verb_of(one.kind) + " " + element + (same_line ? "" : " at " + one.at) + " and " +
           other.who + " " + verb_of(other.kind) + " it" + (same_line ? ", both at " : " at ") + other.at;
}

void swap_sides(Finding& f, Side& one, Side& other) {
    std::swap(one, other);
    std::swap(f.place, f.other_place);
    std::swap(f.thread, f.other_thread);
    std::swap(f.block, f.other_block);
    f.access = name_of_access(one.kind);
}

// Two lanes at one store: no order could be right.
void tell_same_store(Finding& f, const Side& one, const Side& other, const std::string& element) {
    f.what =
        one.who + " and " + other.who + " wrote different values to " + element + " by the same store, at " + one.at;
    f.help = "let one thread write, or use an atomic";
}

// See Reporter::RaceKey. `more`: what only one of the spaces has.
constexpr std::uint32_t kInShared = 16;
template <class Key, class Conflict>
Key key_of(const Conflict& c, std::uint32_t more) {
    const auto bit = [](bool is, unsigned n) { return (is ? 1u : 0u) << n; };
    const std::uint32_t kinds = static_cast<std::uint32_t>(c.kind) | static_cast<std::uint32_t>(c.other_kind) << 2;
    return {std::uint64_t{c.pc} << 32 | c.other_pc, more | kinds << 8 | bit(c.is_strong, 16) |
                                                        bit(c.other_is_strong, 17) | bit(c.has_met, 18) |
                                                        bit(c.same_instruction, 19)};
}

bool is_volatile(Place p) {
    if (!p.function || p.source >= p.function->source->body.size()) return false;
    return std::ranges::count(p.function->source->body[p.source].modifiers, "volatile") != 0;
}

}  // namespace

// What to do about a race in global memory.
std::string Reporter::help_for(const GlobalConflict& c, bool same_line) const {
    if (c.grid != c.other_grid) {
        const Grids& grids = run_->grids;
        if (grids.is_below(c.grid, c.other_grid) || grids.is_below(c.other_grid, c.grid))
            return "a kernel sees what was done before its launch, by the thread that launches it or before a "
                   "__syncthreads() ahead of the launch; what needs its results goes into a kernel launched into "
                   "cudaStreamTailLaunch";
        return "kernels in different streams run in any order: launch both into one stream, or give each its own part "
               "of the array";
    }
    if (c.is_of_block)
        return "an atomic of block scope (atomicAdd_block, thread_scope_block) counts only among the threads of one "
               "block: "
               "other blocks need one of device scope";
    if (c.is_strong && c.other_is_strong)
        return "volatile and atomic accesses of one place have to be of one size: read a packed word whole";
    if (c.is_strong || c.other_is_strong)
        return "one of the two is a plain access: where some threads use an atomic or volatile, all have to, unless a "
               "barrier, or a flag with __threadfence() on both sides, comes between";
    const bool same_block = c.block == c.other_block;
    const std::string fences =
        "a flag, counter or lock orders nothing without fences: data, __threadfence(), flag where "
        "it is set; flag, __threadfence(), data where it is read";
    const std::string or_fences = c.has_observed ? "; " + fences : "";
    if (same_line)
        return "an atomic such as atomicAdd() if several threads update one element; a second array if a thread reads "
               "what another one writes" +
               or_fences;
    if (same_block && both_write(c.kind, c.other_kind)) return kTwoWrites + or_fences;
    if (same_block && c.thread / kLanes == c.other_thread / kLanes)
        return "a __syncwarp() or barrier between the two accesses, or a warp shuffle instead of memory";
    if (same_block) return "a __syncthreads() between the two accesses, or a second array" + or_fences;
    if (c.has_observed) return fences;
    return "blocks of one launch run in any order and do not wait for each other: let one block do both, write to "
           "another "
           "array than is read, or go on in a second launch";
}

bool Reporter::count_known(const RaceKey& key, int how_far) {
    const auto known = known_races_.find(key);
    if (known == known_races_.end() || how_far > known->second.distance) return false;
    if (known->second.finding < findings_.size()) ++findings_[known->second.finding].count;
    return true;
}

// A race that has no finding of its own, because there are too many, has none later.
void Reporter::remember(const RaceKey& key, const Finding* f, int how_far) {
    KnownRace& known = known_races_[key];
    known.finding = f != nullptr ? static_cast<std::size_t>(f - findings_.data()) : ~std::size_t{0};
    known.distance = std::max(known.distance, how_far);
}

void Reporter::explain(Place p, AccessKind kind, const Finding& race) {
    if (kind == AccessKind::write || kind == AccessKind::reduction) return;
    Origins& origins = run_->memory.origins();
    origins.explain(origins.place(source(p), at(p)), origins.array({race.array, race.space, race.array_bytes, {}}));
}

// True if the race is new, or says more than what is known of these two lines. Two stores are the same mistake in
// either order.
bool Reporter::add_race(Place here, Place there, const char* space, bool both_write, int how_far, Finding*& f) {
    if (add(Kind::race, here, there, f)) return true;
    if (f == nullptr || f->space != space || both_write ||
        how_far <= distance(f->block == f->other_block, run_->warp_of(f->thread) == run_->warp_of(f->other_thread)))
        return false;
    f->place = source(here);
    f->other_place = source(there);
    return true;
}

// The compare-and-swap loop of CUDA's programming guide begins with a plain load. By the memory model it races with
// other threads' atomics, but its value is compared before it is used. True for such a load; `f` is filled in unless it
// is null.
bool Reporter::note_plain_read(Place here, AccessKind kind, bool is_strong, Place there, AccessKind other_kind,
                               bool other_is_strong, Finding*& f) {
    const auto feeds = [&](Place place, AccessKind access, bool strong, AccessKind other) {
        if (access != AccessKind::read || strong || other == AccessKind::read || other == AccessKind::write)
            return false;
        const auto [found, is_new] = reads_for_cas_.try_emplace(place.function);
        if (is_new) found->second = reads_for_compare_and_swap(*place.function->source);
        return static_cast<bool>(found->second[place.source]);
    };
    const bool is_here = feeds(here, kind, is_strong, other_kind);
    if (!is_here && !feeds(there, other_kind, other_is_strong, kind)) return false;
    if (!add(Kind::plain_read, is_here ? here : there, is_here ? there : here, f)) f = nullptr;
    if (f) f->is_note = true;
    return true;
}

constexpr const char* kPlainRead = ": a plain read beside atomics, whose value goes to an atomicCAS()";
constexpr const char* kReadAsVolatile =
    "this works, as atomicCAS() compares the value again; to CUDA's memory model it is a race: a read through a "
    "volatile pointer, or by cuda::atomic_ref, is none";

constexpr const char* kShuffleOrder =
    ": two lanes of one warp that have met in an operation of the warp between, but in no __syncwarp()";
constexpr const char* kSyncAsWell =
    "this works, as the read comes first in the warp; but CUDA does not promise that these operations order memory: a "
    "__syncwarp() between the two does";

void Reporter::race(const Block& block, const SharedConflict& c) {
    const bool same_warp = c.thread / kLanes == c.other_thread / kLanes;
    const int how_far = distance(true, same_warp);
    const RaceKey key = key_of<RaceKey>(c, kInShared | (c.is_on_its_way ? 1u : 0) | (c.reports_to_barrier ? 2u : 0));
    if (count_known(key, how_far)) return;
    Finding* f = nullptr;
    const Place here = place_of(c.pc), there = place_of(c.other_pc);
    bool is_note = note_plain_read(here, c.kind, c.is_strong, there, c.other_kind, c.other_is_strong, f);
    const bool needs_shuffle = !is_note && c.has_met;
    if (needs_shuffle) {
        if (!add(Kind::shuffle_order, here, there, f)) return remember(key, f, how_far);
        is_note = f->is_note = true;
    }
    const bool is_new = is_note ? f != nullptr : add_race(here, there, "shared", c.kind == c.other_kind, how_far, f);
    remember(key, f, how_far);
    if (!is_new) return;
    f->access = name_of_access(c.kind);
    f->space = "shared";
    f->access_bytes = c.bytes;
    f->thread = run_->thread_index(c.thread);
    f->other_thread = run_->thread_index(c.other_thread);
    f->block = f->other_block = block.index;
    const std::string element = name_shared(*f, c.offset, c.bytes);
    if (!is_note) explain(here, c.kind, *f), explain(there, c.other_kind, *f);
    const Side one{thread_name(block, c.thread), c.kind, at(here)};
    const Side other{thread_name(block, c.other_thread), c.other_kind, at(there)};
    if (c.same_instruction) return tell_same_store(*f, one, other, element);
    if (is_note) {
        f->what = told(one, other, element) + (needs_shuffle ? kShuffleOrder : kPlainRead);
        f->help = needs_shuffle ? kSyncAsWell : kReadAsVolatile;
        return;
    }
    if (c.reports_to_barrier) {
        f->what = told(one, other, element) +
                  ": an asynchronous copy that reports to a barrier in shared memory, for which no thread has waited";
        f->help =
            "__syncthreads() does not wait for such a copy: wait for the barrier to which it reports (cuda::barrier's "
            "wait or arrive_and_wait, consumer_wait of a pipeline, mbarrier.try_wait) before the bytes are used";
        return;
    }
    if (c.is_on_its_way) {
        f->what = told(one, other, element) + ": an asynchronous copy that its thread had not waited for";
        f->help =
            "a thread waits for the copies that it has started (__pipeline_wait_prior, consumer_wait of a pipeline, "
            "cp.async.wait_group); then a barrier tells the other threads";
        return;
    }
    const bool same_line = one.at == other.at;
    f->what = told(one, other, element) +
              (same_warp ? ": two lanes of one warp, no __syncwarp() between" : ": two warps, no barrier between");
    f->help = c.kind != c.other_kind && c.is_strong != c.other_is_strong && is_volatile(c.is_strong ? there : here)
                  ? (same_warp ? "volatile orders nothing, and since Volta the lanes of a warp need not run in step: a "
                                 "__syncwarp() between the two accesses"
                               : "volatile orders nothing: a barrier between the two accesses")
              : both_write(c.kind, c.other_kind) && !same_line ? kTwoWrites
              : !same_warp ? "a barrier between the two accesses, or a second buffer"
              : block.warps.size() == 1
                  ? "a __syncwarp() or barrier between the two, or a warp shuffle instead of shared memory"
                  : "a __syncwarp() between the two if only this warp uses these elements, else a barrier";
}

void Reporter::race(const GlobalConflict& c) {
    const bool same_grid = c.grid == c.other_grid, same_block = same_grid && c.block == c.other_block;
    const bool same_warp = same_block && c.thread / kLanes == c.other_thread / kLanes;
    const int how_far = distance(same_block, same_warp);
    const RaceKey key = key_of<RaceKey>(
        c, (c.is_of_block ? 1u : 0) | (c.is_read_only ? 2u : 0) | (c.has_observed ? 4u : 0) | (same_grid ? 8u : 0));
    if (count_known(key, how_far)) return;
    Finding* f = nullptr;
    const Place here = place_of(c.pc), there = place_of(c.other_pc);
    bool is_note = note_plain_read(here, c.kind, c.is_strong, there, c.other_kind, c.other_is_strong, f);
    const bool needs_shuffle = !is_note && c.has_met;
    if (needs_shuffle) {
        if (!add(Kind::shuffle_order, here, there, f)) return remember(key, f, how_far);
        is_note = f->is_note = true;
    }
    const bool is_new = is_note ? f != nullptr : add_race(here, there, "global", c.kind == c.other_kind, how_far, f);
    remember(key, f, how_far);
    if (!is_new) return;
    const Allocation& a = *run_->memory.find(c.address);
    f->access = name_of_access(c.kind);
    f->space = "global";
    f->access_bytes = c.bytes;
    f->thread = run_->thread_index(c.thread);
    const Launch& other_launch = run_->grids.grid(c.other_grid).launch;
    f->other_thread = index_in(other_launch.block, c.other_thread);
    f->block = run_->block_index(c.block);
    f->other_block = index_in(other_launch.grid, c.other_block);
    f->array = name_of(a);
    f->array_bytes = a.array_bytes();
    const Element named = global_element(a, c.address, c.bytes);
    const std::string& element = named.text;
    f->index = named.index;
    if (!is_note) explain(here, c.kind, *f), explain(there, c.other_kind, *f);
    Side one{thread_name(c.block, c.thread), c.kind, at(here)};
    Side other{thread_name(other_launch, c.other_block, c.other_thread), c.other_kind, at(there)};
    if (!same_grid) {
        one.who += " of the kernel " + kernel_name();
        other.who += " of the kernel " + short_name(other_launch.kernel);
        if (run_->grids.is_below(c.grid, c.other_grid)) swap_sides(*f, one, other);  // the parent first
    }
    if (c.same_instruction) return tell_same_store(*f, one, other, element);
    if (is_note) {
        f->what = told(one, other, element) + (needs_shuffle ? kShuffleOrder : kPlainRead);
        f->help = needs_shuffle ? kSyncAsWell : kReadAsVolatile;
        return;
    }
    if (c.is_read_only) {
        f->what =
            told(one, other, element) + ", but __ldg() is for memory that no thread of the launch writes" + made_at(a);
        f->help =
            "a plain read, and no const __restrict__ pointer to what the kernel writes: the compiler makes such reads "
            "of it, too. They may get an old value, even after a barrier";
        return;
    }
    f->what = told(one, other, element) +
              (same_warp    ? ": two lanes of one warp, no __syncwarp() between"
               : same_block ? ": two warps, no barrier between"
               : same_grid  ? ": two blocks, nothing orders them"
                            : ": " + run_->grids.relation(c.grid, c.other_grid) + ", nothing orders them") +
              made_at(a);
    f->help = help_for(c, one.at == other.at);
}

}  // namespace vgpu
