// What the interpreter hands back after a kernel: findings, counters, and the raw material of the modelled time.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "virtual_gpu/device.h"

namespace vgpu {

// Cycles until a result may be used, for the latency chain of a warp. From the profile; these are an H200's.
struct Latencies {
    int alu = 4, integer_multiply = 4, sfu = 18, f64 = 8, divide = 36;
    int shared = 29, shared_wavefront = 1;       // one more cycle for each further wavefront
    int global_first = 620, global_again = 260;  // first touch of a sector in this launch (DRAM); later (L2)
    int global_l1 = 38;                          // a sector that the block has loaded lately
    int sector = 1;                              // one more cycle for each further sector of a request
    int atomic_global = 320, atomic_shared = 60, atomic_lane = 2;
    int constant = 8, local = 38, barrier = 20, barrier_warp = 2, shuffle = 23, branch = 8, fence = 200;
    int launch = 2000;          // of a kernel by a thread, until the thread goes on
    double issue_per_warp = 1;  // instructions that a warp starts in a cycle
};

// One block, for spreading blocks over SMs. Of a grid of more than kMostCosts blocks, several that follow each other:
// one after the other, in one place.
struct BlockCost {
    std::uint64_t blocks = 0;
    std::uint64_t instructions = 0;  // issued warp instructions
    std::uint64_t cycles = 0;        // latency chain of the slowest warp, as if alone on its SM
    std::uint64_t shared_wavefronts = 0, global_sectors = 0, global_requests = 0, atomic_lanes = 0;
    std::uint64_t f64_instructions = 0, sfu_instructions = 0;
    void add(const BlockCost& o) {
        blocks += o.blocks;
        instructions += o.instructions;
        cycles += o.cycles;
        shared_wavefronts += o.shared_wavefronts;
        global_sectors += o.global_sectors;
        global_requests += o.global_requests;
        atomic_lanes += o.atomic_lanes;
        f64_instructions += o.f64_instructions;
        sfu_instructions += o.sfu_instructions;
    }
};
constexpr std::uint64_t kMostCosts = std::uint64_t{1} << 20;

struct LaunchResult {
    Status status = Status::ok;
    std::string message;  // when status is not ok: one sentence with kernel and source line
    std::vector<Finding> findings;
    std::string printf_text;  // in order of execution
    std::string assertions;   // those that failed, as CUDA prints them

    Counters total;
    std::vector<LineCounters> lines;  // by file and line; inlined code counts for the outermost line that calls it
    std::vector<BlockCost> blocks;    // by linear block index, see BlockCost; empty when Options::count is off

    // Distinct 32-byte sectors of global memory. A sector that is not in L2 from earlier launches replaces another one,
    // which may have to be written back; if it is loaded, it comes from DRAM.
    std::uint64_t unique_sectors = 0;
    std::uint64_t new_sectors = 0;                      // of them, not in L2 before
    std::uint64_t first_load_sectors = 0;               // of these, first touched by a load or an atomic
    std::uint64_t old_victims = 0;                      // sectors from before all launches that had to go for them
    std::uint64_t load_sectors = 0, store_sectors = 0;  // all requests, unique or not; loads: constants' misses, too
    std::uint64_t atomic_sectors = 0;                   // an atomic loads and stores
    std::uint64_t local_misses = 0;                     // sectors of local memory that L1 did not have
    // By line of L2, over the whole launch: lanes, where each sector counts as four at least. The most on one line.
    std::unordered_map<std::uint64_t, std::uint64_t> atomics;
    std::uint64_t most_atomics_on_one_line = 0;
    bool is_order_free = false;  // all code of the kernel: exec/decode/order_free.h
    std::uint64_t steps = 0;     // warp instructions interpreted, also when counters are off

    std::uint32_t warps_per_block = 0, static_shared = 0, dynamic_shared = 0, local_bytes = 0;
    int registers = 0;  // rough estimate from PTX, if nothing better is known
};

}  // namespace vgpu
