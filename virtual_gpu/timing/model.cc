#include "virtual_gpu/timing/model.h"

#include <algorithm>
#include <cmath>
#include <queue>
#include <span>

namespace vgpu {
namespace {

constexpr double kSectorBytes = 32;

// What the busiest SM has to do, and when the last block ends if only latencies counted.
struct Load {
    double issue = 0, shared = 0, sectors = 0, requests = 0, atomics = 0, f64 = 0, sfu = 0;
    void add(const BlockCost& block) {
        issue += static_cast<double>(block.instructions);
        shared += static_cast<double>(block.shared_wavefronts);
        sectors += static_cast<double>(block.global_sectors);
        requests += static_cast<double>(block.global_requests);
        atomics += static_cast<double>(block.atomic_lanes);
        f64 += static_cast<double>(block.f64_instructions);
        sfu += static_cast<double>(block.sfu_instructions);
    }
};
struct Spread {
    Load busiest, all;    // of an SM, part by part; of all SMs
    double makespan = 0;  // cycles
};

// Blocks go, in order, to the place that is free first; places are filled SM by SM, as the hardware does.
Spread spread(const DeviceProperties& p, int resident, const std::vector<BlockCost>& blocks, double start_cycles) {
    struct Place {
        double free_at;
        int number;
        bool operator>(const Place& o) const { return free_at != o.free_at ? free_at > o.free_at : number > o.number; }
    };
    std::priority_queue<Place, std::vector<Place>, std::greater<>> places;
    const auto count = static_cast<std::size_t>(resident) * static_cast<std::size_t>(p.sms);
    for (std::size_t i = 0; i < std::min(count, blocks.size()); ++i) {
        places.push({0, static_cast<int>(i)});
    }
    std::vector<Load> sms(static_cast<std::size_t>(p.sms));
    Spread out;
    for (const BlockCost& block : blocks) {
        Place place = places.top();
        places.pop();
        sms[static_cast<std::size_t>(place.number % p.sms)].add(block);
        out.all.add(block);
        place.free_at += static_cast<double>(block.cycles) + start_cycles * static_cast<double>(block.blocks);
        out.makespan = std::max(out.makespan, place.free_at);
        places.push(place);
    }
    for (const Load& sm : sms) {
        out.busiest.issue = std::max(out.busiest.issue, sm.issue);
        out.busiest.shared = std::max(out.busiest.shared, sm.shared);
        out.busiest.sectors = std::max(out.busiest.sectors, sm.sectors);
        out.busiest.requests = std::max(out.busiest.requests, sm.requests);
        out.busiest.atomics = std::max(out.busiest.atomics, sm.atomics);
        out.busiest.f64 = std::max(out.busiest.f64, sm.f64);
        out.busiest.sfu = std::max(out.busiest.sfu, sm.sfu);
    }
    return out;
}

// Of one SM.
Demand work_of(const DeviceProperties& p, const Load& load) {
    const double cycle = 1 / p.clock_hz;
    Demand out;
    out[Part::atomics] = load.atomics / p.atomics_sm_per_cycle * cycle;
    out[Part::issue] = load.issue / p.issue_per_cycle * cycle;
    out[Part::shared] = load.shared / p.shared_per_cycle * cycle;
    out[Part::lsu] = std::max(load.sectors / p.sectors_per_cycle, load.requests / p.requests_per_cycle) * cycle;
    out[Part::f64] = load.f64 / p.f64_per_cycle * cycle;
    out[Part::sfu] = load.sfu / p.sfu_per_cycle * cycle;
    return out;
}

constexpr int kMemoryTerms = 3;  // the first of ModelledTime::terms: dram, l2, atomics

// (sum of t^power)^(1/power): slightly more than the largest term, and the closer to it the larger the power is.
double together(std::span<const Term> terms, double power) {
    double largest = 0;
    for (const Term& term : terms) {
        largest = std::max(largest, term.seconds);
    }
    double sum = 0;
    for (const Term& term : terms) {
        sum += largest > 0 ? std::pow(term.seconds / largest, power) : 0;
    }
    return largest * std::pow(sum, 1 / power);
}

// Bytes to and from DRAM: each sector that L2 does not have comes once, if it is loaded, and once more for each time
// that L2 has evicted it in between. What has to go for it is written back: always, if it is from before all launches,
// which left L2 full of stores; else as often as this kernel's own sectors are stored to. An atomic loads and stores.
// `local_bytes` of local memory, of all threads that run at once, share L2 as far as L1 has lost them.
double dram_bytes(const DeviceProperties& p, const LaunchResult& r, double local_bytes) {
    const auto unique = static_cast<double>(r.unique_sectors);
    const auto local = static_cast<double>(r.local_misses);
    const auto loads = static_cast<double>(r.load_sectors + r.atomic_sectors);
    const auto stores = static_cast<double>(r.store_sectors + r.atomic_sectors);
    const auto first_loads = static_cast<double>(r.first_load_sectors);
    const double footprint = unique * kSectorBytes + (local > 0 ? local_bytes : 0);
    const double lost =
        footprint > 0 ? std::max(0.0, 1 - static_cast<double>(p.l2_bytes) / footprint) * p.reuse_distance : 0;
    const auto old_victims = static_cast<double>(r.old_victims);
    const double stored = unique > 0 ? std::min(stores, unique) / unique : 0;
    const double written = old_victims + (static_cast<double>(r.new_sectors) - old_victims) * stored;
    const double again = std::max(0.0, loads - first_loads) + std::max(0.0, stores - std::min(stores, unique)) + local;
    return (first_loads + written + lost * again) * kSectorBytes;
}

}  // namespace

Latencies latencies_of(const DeviceProperties& p) {
    Latencies l;
    l.alu = l.integer_multiply = p.latency_alu;
    l.sfu = p.latency_sfu;
    l.f64 = p.latency_f64;
    l.divide = p.latency_divide;
    l.shared = p.latency_shared;
    l.global_first = p.latency_dram;
    l.global_again = p.latency_l2;
    l.global_l1 = p.latency_l1;
    l.atomic_global = p.latency_atomic;
    l.atomic_shared = p.latency_atomic_shared;
    l.local = p.latency_l1;
    l.barrier = p.latency_barrier;
    l.barrier_warp = p.latency_barrier_warp;
    l.shuffle = p.latency_shuffle;
    l.fence = p.latency_fence;
    l.launch = static_cast<int>(p.device_launch_call * p.clock_hz);
    l.issue_per_warp = p.issue_per_warp;
    return l;
}

ModelledTime model(const DeviceProperties& p, const BlockNeeds& needs, const LaunchResult& r) {
    ModelledTime out;
    const double cycle = 1 / p.clock_hz;
    if (r.blocks.empty()) {  // counters are off: no more is known than how many instructions there were
        out.seconds = out.work[Part::issue] = static_cast<double>(r.steps) / (p.issue_per_cycle * p.sms) * cycle;
        out.limited_by = "issue";
        return out;
    }
    const int resident = std::max(1, blocks_per_sm(p, needs));
    const Spread s = spread(p, resident, r.blocks, p.block_start * p.clock_hz);
    const Demand busiest = work_of(p, s.busiest);
    out.work = work_of(p, s.all);
    for (double& seconds : out.work.seconds) seconds /= p.sms;
    const double local_bytes = std::min(static_cast<double>(resident) * p.sms, static_cast<double>(r.blocks.size())) *
                               needs.threads * static_cast<double>(r.local_bytes);
    out.work[Part::dram] = dram_bytes(p, r, local_bytes) / p.dram_bandwidth;
    out.work[Part::l2] = static_cast<double>(r.load_sectors + r.store_sectors + r.atomic_sectors + r.local_misses) *
                         kSectorBytes / p.l2_bandwidth;
    const double one_line = static_cast<double>(r.most_atomics_on_one_line) / p.atomic_per_cycle * cycle;
    out.terms = {
        {"dram", out.work[Part::dram]},
        {"l2", out.work[Part::l2]},
        {"atomics", std::max(busiest[Part::atomics], one_line)},
        {"issue", busiest[Part::issue]},
        {"shared", busiest[Part::shared]},
        {"lsu", busiest[Part::lsu]},
        {"f64", busiest[Part::f64]},
        {"sfu", busiest[Part::sfu]},
        {"latency", s.makespan * cycle},
    };
    const Term* largest = out.terms.data();
    for (const Term& term : out.terms) {
        if (term.seconds > largest->seconds) {
            largest = &term;
        }
    }
    // Inside an SM, a warp's waiting for a slot adds to its own latencies. Memory and SMs overlap better, but never
    // completely.
    const auto* memory = out.terms.data() + kMemoryTerms;
    const double sm = together({memory, out.terms.data() + out.terms.size()}, p.overlap_sm);
    std::vector<Term> parts(out.terms.begin(), out.terms.begin() + kMemoryTerms);
    parts.push_back({"sm", sm});
    out.seconds = together(parts, p.overlap);
    out.limited_by = largest->name;
    return out;
}

}  // namespace vgpu
