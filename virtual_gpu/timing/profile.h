// What is known of a device: limits that the CUDA API tells, and the coefficients of the modelled time. Read from
// TOML: profiles/*.toml, which are built into the library, or any file of the same form.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vgpu {

struct DeviceProperties {
    std::string name;

    // [limits]
    int sms = 8;
    int compute_major = 9, compute_minor = 0;
    int capability() const { return compute_major * 10 + compute_minor; }  // as nvcc names it: 75
    int threads_per_sm = 1024, blocks_per_sm = 16, registers_per_sm = 65536;
    int threads_per_block = 1024, registers_per_block = 65536;
    std::uint64_t shared_per_sm = 65536, shared_per_block = 49152, shared_per_block_optin = 65536;
    std::uint64_t shared_reserved = 0;  // bytes of each block's shared memory that the system takes
    std::uint64_t memory_bytes = std::uint64_t{4} << 30, l2_bytes = 1 << 20;
    int memory_bus_bits = 128;
    double memory_clock_hz = 5e9;

    // [speed]
    double clock_hz = 1e9;
    double dram_bandwidth = 150e9;  // bytes/s that a copy kernel reaches, reading and writing together
    double l2_bandwidth = 500e9;
    double issue_per_cycle = 4;        // warp instructions an SM
    double issue_per_warp = 1;         // instructions one warp can start in a cycle
    double shared_per_cycle = 1;       // wavefronts an SM
    double sectors_per_cycle = 2;      // 32-byte sectors an SM moves to and from L2 in a cycle
    double requests_per_cycle = 0.25;  // global requests an SM
    double f64_per_cycle = 0.0625;     // warp instructions an SM
    double sfu_per_cycle = 0.5;
    double atomic_per_cycle = 1;       // lanes, of the whole device, on one line of L2
    double atomics_sm_per_cycle = 16;  // lanes an SM
    double reuse_distance = 0.3;       // share of repeated accesses that come after L2 has lost the sector
    double overlap = 4;                // memory and SMs add up as (sum of t^overlap)^(1/overlap)
    double overlap_sm = 2;             // and so do the parts of an SM

    // [latency], cycles
    int latency_alu = 4, latency_sfu = 18, latency_f64 = 40, latency_divide = 36;
    int latency_shared = 23, latency_l1 = 32, latency_l2 = 200, latency_dram = 450;
    int latency_atomic = 250, latency_atomic_shared = 50, latency_barrier = 16, latency_barrier_warp = 2,
        latency_shuffle = 22;
    int latency_fence = 150;

    // [overhead], seconds
    double launch = 2e-6;                // from the launch to the first instruction, when nothing runs
    double launch_busy = 1e-6;           // between two kernels that were already in the queue
    double launch_dependent = 0.5e-6;    // if the second one is launched with programmatic stream serialisation
    double launch_host = 2e-6;           // what a launch costs the host
    double block_start = 0;              // per block on an SM
    double device_launch = 4.5e-6;       // of a launch by a kernel: until the first instruction
    double device_launch_each = 0.2e-6;  // between two that the device takes up
    double device_launch_call = 5.7e-6;  // what it costs the thread
    double call_host = 0.2e-6;           // any other call
    double synchronize = 2e-6;
    double allocate = 50e-6, release = 50e-6, allocate_async = 2e-6;
    double copy = 6e-6;          // of a copy to or from the host, before its first byte
    double host_grace = 100e-6;  // CPU time between two calls that is not counted; what exceeds it is

    // [copy], bytes/s
    double copy_pinned = 12e9, copy_pageable = 6e9;
};

// "teaching", "h200", "t4", or the path of a .toml file. Returns false and says why in `message`.
bool find_profile(std::string_view name_or_path, DeviceProperties& out, std::string& message);
// The text of such a profile.
bool read_profile(std::string_view name_or_path, std::string& text, std::string& message);
bool parse_profile(std::string_view toml, DeviceProperties& out, std::string& message);
std::vector<std::string> profile_names();

}  // namespace vgpu
