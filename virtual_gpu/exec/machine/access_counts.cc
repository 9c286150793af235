// What accesses to global, constant, shared and local memory cost: counters, sectors, and the time until the result may
// be used.
#include <algorithm>
#include <bit>
#include <utility>

#include "virtual_gpu/counters/access_cost.h"
#include "virtual_gpu/exec/machine/access.h"
#include "virtual_gpu/exec/machine/touch.h"

namespace vgpu {
namespace {

// Whether L1 has a sector for this block, which has an equal share of it; a load brings it in.
bool in_l1(Block& block, std::uint64_t address) {
    const std::uint64_t sector = address / 32;
    static_assert((kGlobalEnd / 32 / kL1Sectors) >> 32 == 0);
    const auto tag = static_cast<std::uint32_t>(sector / kL1Sectors);
    return std::exchange(block.l1[sector % kL1Sectors], tag) == tag;
}

int most_lanes(const Lanes& l, Mask mask) {
    return l.shape == AccessShape::row    ? 1
           : l.shape == AccessShape::same ? std::popcount(mask)
                                          : most_lanes_on_one_address(l.address, mask);
}

void count_data(Warp& w, const Instr* i, Mask mask, Lanes& l, const Request& r, Allocation* one) {
    Run& run = *w.run;
    Counters& c = run.tally.counters[w.function->count_base + i->source];
    const Latencies& lat = run.options.latencies;
    const auto lane_count = static_cast<unsigned>(std::popcount(mask));
    const auto bytes = static_cast<std::uint64_t>(r.bytes);
    std::uint64_t n, hits = 0;
    int fresh = 0;
    const bool by_l1 = r.use == Use::read && !r.strong;
    if (one && (l.shape == AccessShape::same || (l.shape == AccessShape::row && is_gapless(mask)))) {
        const std::uint64_t begin = l.address[first_lane(mask)], end = l.address[last_lane(mask)] + bytes;
        n = (end - 1) / 32 - begin / 32 + 1;
        fresh = touch(run, *one, begin - one->base, end - one->base);
        for (std::uint64_t s = 0; s < n && by_l1; ++s) hits += in_l1(*w.block, begin + 32 * s) ? 1 : 0;
    } else {
        n = static_cast<std::uint64_t>(sectors(l.address, mask, r.bytes));
        std::uint64_t last = ~std::uint64_t{0};
        for (int lane : lanes(mask)) {
            const std::uint64_t at = l.address[lane];
            if (at / 32 == last) continue;
            last = at / 32;
            if (by_l1) hits += in_l1(*w.block, at) ? 1 : 0;
            Allocation* a = one ? one : run.memory.find(at);
            if (a && !a->freed && at >= a->base && at - a->base + bytes <= a->bytes)
                fresh += touch(run, *a, at - a->base, at - a->base + bytes);
        }
    }
    BlockCost& cost = w.block->cost;
    hits = std::min(hits, n);
    cost.global_sectors += n;
    ++cost.global_requests;
    const std::uint64_t ideal = static_cast<std::uint64_t>(ideal_sectors(static_cast<int>(lane_count), r.bytes));
    if (r.use == Use::read) {
        ++c.global_loads;
        c.load_sectors += n;
        run.result.load_sectors += n;
        c.ideal_load_sectors += ideal;
        run.result.first_load_sectors += static_cast<unsigned>(fresh);
        l.cycles = static_cast<std::uint32_t>(fresh > 0   ? lat.global_first
                                              : hits == n ? lat.global_l1
                                                          : lat.global_again) +
                   static_cast<std::uint32_t>(n) * static_cast<std::uint32_t>(lat.sector);
    } else if (r.use == Use::write) {
        ++c.global_stores;
        c.store_sectors += n;
        run.result.store_sectors += n;
        c.ideal_store_sectors += ideal;
    } else {
        ++c.atomics;
        c.atomic_lanes += lane_count;
        c.atomic_sectors += n;
        run.result.atomic_sectors += n;
        run.result.first_load_sectors += static_cast<unsigned>(fresh);
        const int most = most_lanes(l, mask);
        c.most_lanes_on_one_address = std::max(c.most_lanes_on_one_address, static_cast<std::uint64_t>(most));
        add_atomic(l.address, mask, run.tally.atomics);
        cost.atomic_lanes += lane_count;
        const int from_dram = fresh > 0 ? lat.global_first - lat.global_again : 0;
        l.cycles = static_cast<std::uint32_t>(lat.atomic_global + from_dram + most * lat.atomic_lane);
    }
}

// The constant cache has what the launch has read before. It serves one word at a time; lanes with another address wait
// for the next pass (CUDA C++ Programming Guide, "Constant Memory"). A load whose address is known at compile time is
// hidden: on a GPU it is an operand of the instruction that uses the value, and takes no time of its own.
void count_constant(Warp& w, const Instr* i, Mask mask, Lanes& l, Allocation& a) {
    Run& run = *w.run;
    const Latencies& lat = run.options.latencies;
    const int passes = l.shape == AccessShape::same ? 1 : distinct_addresses(l.address, mask);
    w.block->cost.instructions += static_cast<unsigned>(passes - 1);
    std::uint64_t misses = 0, fresh = 0;
    for (int lane : lanes(passes == 1 ? mask & (~mask + 1) : mask)) {
        const std::uint64_t at = l.address[lane] - a.base;
        if (a.touched[at / 32] == run.setup.launch_number) continue;
        ++misses;
        fresh += static_cast<unsigned>(touch(run, a, at, at + 1));
    }
    run.result.load_sectors += misses;
    run.result.first_load_sectors += fresh;
    const int miss = fresh != 0 ? lat.global_first : misses != 0 ? lat.global_again : 0;
    l.cycles = i->hidden ? 0 : static_cast<std::uint32_t>(lat.constant * passes + miss);
}

// Only what is in constant memory goes through its cache, whatever the instruction.
Allocation* constants_of(const Run& run, Mask mask, const Lanes& l, const Request& r, Allocation* one) {
    if (!r.is_constant) return nullptr;
    Allocation* a = one ? one : run.memory.find(l.address[first_lane(mask)]);
    if (!a || !a->read_only) return nullptr;
    if (one) return a;
    for (int lane : lanes(mask))
        if (l.address[lane] - a->base >= a->bytes) return nullptr;
    return a;
}

}  // namespace

void count_global(Warp& w, const Instr* i, Mask mask, Lanes& l, const Request& r, Allocation* one) {
    if (Allocation* constants = constants_of(*w.run, mask, l, r, one))
        count_constant(w, i, mask, l, *constants);
    else
        count_data(w, i, mask, l, r, one);
}

void count_local(Warp& w, const Instr* i, Mask mask, Lanes& l, std::uint64_t bytes) {
    // Lanes' local words lie side by side: eight lanes at one offset share a sector. Warps have memory of their own.
    constexpr int kShare = 8;
    const std::uint64_t words = std::max<std::uint64_t>(1, bytes / 4);
    const std::uint64_t first = kLocalWindow + static_cast<unsigned>(w.number) * w.local.capacity * kLanes;
    std::uint64_t n = 0, misses = 0;
    for (int lane : lanes(mask)) {
        const int group = lane / kShare * kShare;
        const std::uint64_t word = l.address[lane] / 4;
        bool known = false;
        for (int other = group; other < lane; ++other)
            known |= (mask >> other & 1) != 0 && l.address[other] / 4 == word;
        if (known) continue;
        n += words;
        const std::uint64_t sector = first + word * 128 + static_cast<std::uint64_t>(group) * 4;
        for (std::uint64_t k = 0; k < words; ++k) misses += !in_l1(*w.block, sector + 128 * k);
    }
    Run& run = *w.run;
    const Latencies& lat = run.options.latencies;
    run.tally.counters[w.function->count_base + i->source].local_sectors += n;
    run.result.local_misses += misses;
    // L1 finds them one after the other, as those of global memory.
    w.block->cost.global_sectors += n;
    ++w.block->cost.global_requests;
    l.cycles = static_cast<std::uint32_t>(misses != 0 ? lat.global_again : lat.local) +
               static_cast<std::uint32_t>(n) * static_cast<std::uint32_t>(lat.sector);
}

void count_shared(Warp& w, const Instr* i, Mask good, Lanes& l, const Request& r,
                  const std::uint32_t (&offset)[kLanes]) {
    Run& run = *w.run;
    Block& block = *w.block;
    const Latencies& lat = run.options.latencies;
    Counters& c = run.tally.counters[w.function->count_base + i->source];
    const bool is_free = r.bytes <= 4 && l.shape != AccessShape::other;  // words side by side, or one for all
    const SharedCost cost = r.atomic_passes > 0 ? shared_atomic_cost(offset, good, r.bytes, r.atomic_passes)
                            : is_free           ? SharedCost{.wavefronts = 1, .ideal = 1}
                                                : shared_cost(offset, good, r.bytes, r.use == Use::read);
    ++(r.use == Use::read ? c.shared_loads : c.shared_stores);
    c.shared_wavefronts += static_cast<unsigned>(cost.wavefronts);
    c.ideal_wavefronts += static_cast<unsigned>(cost.ideal);
    c.bank_conflicts += static_cast<unsigned>(cost.conflicts);
    block.cost.shared_wavefronts += static_cast<unsigned>(cost.wavefronts);
    l.cycles = static_cast<std::uint32_t>(lat.shared + (cost.wavefronts - 1) * lat.shared_wavefront);
    if (r.use >= Use::atomic) {
        ++c.atomics;
        c.atomic_lanes += static_cast<unsigned>(std::popcount(good));
        const int most = most_lanes(l, good);
        c.most_lanes_on_one_address = std::max(c.most_lanes_on_one_address, static_cast<std::uint64_t>(most));
        l.cycles = static_cast<std::uint32_t>(lat.atomic_shared + most * lat.atomic_lane);
    }
}

}  // namespace vgpu
