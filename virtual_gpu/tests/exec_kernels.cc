// Whole kernels, compiled by nvcc: right programs give what the CPU gives and are not reported, in every order.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "exec_harness.h"
#include "kernels/divergence_functions.h"

namespace vgpu {
namespace {

std::vector<int> numbers(std::size_t n, int below = 1000) {
    std::vector<int> v(n);
    std::uint64_t x = 42;
    for (int& e : v) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        e = static_cast<int>((x >> 33) % static_cast<std::uint64_t>(below));
    }
    return v;
}

std::vector<int> prefix_sums(const std::vector<int>& v) {
    std::vector<int> out(v.size());
    std::partial_sum(v.begin(), v.end(), out.begin());
    return out;
}

#define EXPECT_CLEAN(result)                                  \
    do {                                                      \
        const LaunchResult& clean = (result);                 \
        EXPECT_EQ(clean.status, Status::ok) << clean.message; \
        EXPECT_EQ(findings(clean), "");                       \
    } while (false)

class Seeded : public testing::TestWithParam<std::uint64_t> {};

struct Flow {
    const char* kernel;
    int (*function)(int);
};
int do_power(int x) { return power(x % 5, x % 13); }
int do_pointer(int x) { return x % 3 == 0 ? 2 * x : x % 3 == 1 ? -x : x % 3 == 0 ? x + 1 : x + 2; }

TEST_P(Seeded, ControlFlow) {
    const Flow flows[] = {{"k_nested", nested},  {"k_loops", loops},        {"k_choices", choices},
                          {"k_jumps", jumps},    {"k_structs", structs},    {"k_local_array", local_array},
                          {"k_power", do_power}, {"k_pointers", do_pointer}};
    constexpr int kN = 1000;
    const auto in = numbers(kN);
    for (const Flow& flow : flows) {
        Gpu gpu(GetParam());
        gpu.load("divergence");
        const DevicePtr d_in = gpu.array(in), d_out = gpu.fresh<int>(kN);
        const auto r = gpu.run(flow.kernel, {.grid = {8, 1, 1}, .block = {128, 1, 1}}, d_in, d_out, kN);
        EXPECT_CLEAN(r);
        const auto out = gpu.values<int>(d_out, kN);
        for (int i = 0; i < kN; ++i)
            ASSERT_EQ(out[static_cast<std::size_t>(i)], flow.function(in[static_cast<std::size_t>(i)]))
                << flow.kernel << " of " << in[static_cast<std::size_t>(i)];
    }
}

TEST_P(Seeded, TreeReduction) {
    Gpu gpu(GetParam());
    gpu.load("sync");
    const auto in = numbers(1024);
    const DevicePtr d_in = gpu.array(in), d_out = gpu.fresh<int>(4);
    EXPECT_CLEAN(gpu.run("tree_reduce", {.grid = {4, 1, 1}, .block = {256, 1, 1}}, d_in, d_out));
    for (std::size_t b = 0; b < 4; ++b)
        EXPECT_EQ(gpu.values<int>(d_out, 4)[b], std::accumulate(in.begin() + static_cast<long>(b) * 256,
                                                                in.begin() + static_cast<long>(b) * 256 + 256, 0));
    const DevicePtr d_sum = gpu.fresh<int>(1);
    EXPECT_CLEAN(gpu.run("warp_reduce", {.block = {1024, 1, 1}}, d_in, d_sum));
    EXPECT_EQ(gpu.values<int>(d_sum, 1)[0], std::accumulate(in.begin(), in.end(), 0));
}

TEST_P(Seeded, Scans) {
    Gpu gpu(GetParam());
    gpu.load("sync");
    const auto in = numbers(512);
    const DevicePtr d_in = gpu.array(in), d_out = gpu.fresh<int>(512);
    EXPECT_CLEAN(gpu.run("double_buffer_scan", {.block = {512, 1, 1}, .shared = 4096}, d_in, d_out));
    EXPECT_EQ(gpu.values<int>(d_out, 512), prefix_sums(in));
    EXPECT_CLEAN(gpu.run("warp_scan_shared", {.block = {64, 1, 1}}, d_in, d_out));
    const auto out = gpu.values<int>(d_out, 64);
    EXPECT_EQ(out[31], std::accumulate(in.begin(), in.begin() + 32, 0));
    EXPECT_EQ(out[63], std::accumulate(in.begin() + 32, in.begin() + 64, 0));
}

TEST_P(Seeded, LookBackByTicketPasses) {
    constexpr int kN = 5000, kBlocks = (kN + 127) / 128;
    for (const char* kernel : {"look_back_volatile", "look_back_atomic"}) {
        Gpu gpu(GetParam());
        gpu.load("sync");
        const auto in = numbers(kN);
        const std::vector<int> zeros(kBlocks);
        const DevicePtr d_in = gpu.array(in), d_out = gpu.fresh<int>(kN), flags = gpu.array(zeros),
                        sums = gpu.fresh<int>(kBlocks), ticket = gpu.array(std::vector<int>{0});
        EXPECT_CLEAN(
            gpu.run(kernel, {.grid = {kBlocks, 1, 1}, .block = {128, 1, 1}}, d_in, d_out, flags, sums, ticket, kN));
        EXPECT_EQ(gpu.values<int>(d_out, kN), prefix_sums(in)) << kernel;
    }
}

TEST_P(Seeded, Votes) {
    Gpu gpu(GetParam());
    gpu.load("sync");
    const auto in = numbers(96, 100);
    const DevicePtr d_in = gpu.array(in), d_out = gpu.fresh<int>(96);
    EXPECT_CLEAN(gpu.run("votes", {.block = {96, 1, 1}}, d_in, d_out));
    const auto out = gpu.values<int>(d_out, 96);
    int above = 0, has_17 = 0;
    for (int x : in) above += x > 50, has_17 |= x == 17;
    for (std::size_t t = 0; t < 96; ++t) {
        int any = 0;
        for (std::size_t k = t / 32 * 32; k < t / 32 * 32 + 32; ++k) any |= in[k] > 90;
        const int want = any + 2 + 4 * (in[t] % 2) + 8 * above + 8000 * has_17 + 16000 + (t % 2 == 0 ? 1'600'000 : 0);
        EXPECT_EQ(out[t], want) << t;
    }
}

TEST_P(Seeded, LocksMakeProgress) {
    for (const char* kernel : {"lock_in_a_warp", "naive_lock"}) {
        Gpu gpu(GetParam());
        gpu.load("sync");
        const DevicePtr lock = gpu.array(std::vector<int>{0}), counter = gpu.array(std::vector<int>{0});
        EXPECT_CLEAN(gpu.run(kernel, {.grid = {4, 1, 1}, .block = {64, 1, 1}}, lock, counter));
        EXPECT_EQ(gpu.values<int>(counter, 1)[0], 256) << kernel;
    }
}

TEST_P(Seeded, GridBarrier) {
    Gpu gpu(GetParam());
    gpu.load("sync");
    constexpr int kBlocks = 20;
    const DevicePtr data = gpu.fresh<int>(kBlocks), out = gpu.fresh<int>(kBlocks);
    EXPECT_CLEAN(
        gpu.run("grid_barrier", {.grid = {kBlocks, 1, 1}, .block = {64, 1, 1}, .cooperative = true}, data, out));
    for (int b = 0; b < kBlocks; ++b)
        EXPECT_EQ(gpu.values<int>(out, kBlocks)[static_cast<std::size_t>(b)], 300 + 3 * ((b + 1) % kBlocks));
}

TEST_P(Seeded, NamedBarriers) {
    Gpu gpu(GetParam());
    gpu.load("sync");
    const auto in = numbers(64);
    const DevicePtr d_in = gpu.array(in), d_out = gpu.fresh<int>(64);
    EXPECT_CLEAN(gpu.run("named_barriers", {.block = {128, 1, 1}}, d_in, d_out));
    for (std::size_t t = 0; t < 64; ++t) EXPECT_EQ(gpu.values<int>(d_out, 64)[t], 2 * in[63 - t]);
}

TEST_P(Seeded, Atomics) {
    Gpu gpu(GetParam());
    gpu.load("sync");
    const DevicePtr ints = gpu.array(std::vector<int>(4)), words = gpu.array(std::vector<unsigned>{~0u, 0, 0, 0, 0}),
                    sum = gpu.array(std::vector<float>{0}), wide = gpu.array(std::vector<double>{0}),
                    big = gpu.array(std::vector<std::uint64_t>{0});
    EXPECT_CLEAN(gpu.run("atomics", {.grid = {3, 1, 1}, .block = {100, 1, 1}}, ints, words, sum, wide, big));
    EXPECT_EQ(gpu.values<int>(ints, 4), (std::vector<int>{299 * 150, -299, 299, 3 * 50050}));
    unsigned all = 0;
    for (unsigned t = 0; t < 300; ++t) all ^= t;
    EXPECT_EQ(gpu.values<unsigned>(words, 5), (std::vector<unsigned>{0, ~0u, all, 0, 0}));
    EXPECT_EQ(gpu.values<float>(sum, 1)[0], 150.0f);
    EXPECT_EQ(gpu.values<double>(wide, 1)[0], 75.0);
    EXPECT_EQ(gpu.values<std::uint64_t>(big, 1)[0], 300ull << 33);
}

TEST_P(Seeded, DeviceHeap) {
    Gpu gpu(GetParam());
    gpu.load("sync");
    const DevicePtr slots = gpu.fresh<DevicePtr>(64), out = gpu.fresh<int>(64);
    EXPECT_CLEAN(gpu.run("device_heap", {.block = {64, 1, 1}}, slots, out));
    for (int t = 0; t < 64; ++t) EXPECT_EQ(gpu.values<int>(out, 64)[static_cast<std::size_t>(t)], (t + 1) % 64 * 7);
}

INSTANTIATE_TEST_SUITE_P(Orders, Seeded, testing::Values(0, 1, 2, 3, 5, 77, 123456));

TEST(Orders, TheSameSeedGivesTheSameRun) {
    for (std::uint64_t seed : {0, 9}) {
        std::vector<std::uint64_t> steps;
        std::vector<std::vector<int>> tickets;
        for (int again = 0; again < 2; ++again) {
            Gpu gpu(seed);
            gpu.load("sync");
            const DevicePtr lock = gpu.array(std::vector<int>{0}), counter = gpu.array(std::vector<int>{0});
            steps.push_back(gpu.run("naive_lock", {.grid = {4, 1, 1}, .block = {64, 1, 1}}, lock, counter).steps);
        }
        EXPECT_EQ(steps[0], steps[1]);
    }
}

TEST(Counters, ReductionsCountWhatTheHardwareWould) {
    Gpu gpu;
    gpu.load("sync");
    const DevicePtr d_in = gpu.array(numbers(1024)), d_out = gpu.fresh<int>(4);
    const auto r = gpu.run("tree_reduce", {.grid = {4, 1, 1}, .block = {256, 1, 1}}, d_in, d_out);
    EXPECT_EQ(r.total.global_loads, 32u);
    EXPECT_EQ(r.total.load_sectors, 128u);
    EXPECT_EQ(r.total.ideal_load_sectors, 128u);
    EXPECT_EQ(r.total.global_stores, 4u);
    EXPECT_EQ(r.total.store_sectors, 4u);
    EXPECT_EQ(r.total.barriers, 4u * 8 * 9);
    EXPECT_EQ(r.total.bank_conflicts, 0u);
    EXPECT_EQ(r.unique_sectors, 128u + 1);
    ASSERT_EQ(r.blocks.size(), 4u);
    EXPECT_GT(r.blocks[0].cycles, 600u);
    const int line = line_of("sync", "Right programs");
    EXPECT_GT(line, 0);
    std::uint64_t sum = 0;
    for (const LineCounters& l : r.lines) sum += l.counters.instructions;
    EXPECT_EQ(sum, r.total.instructions);
}

TEST_P(Seeded, TilesOfSeveralWarps) {
    Gpu gpu(GetParam());
    gpu.load("sync");
    const auto in = numbers(256);
    const DevicePtr d_in = gpu.array(in), d_out = gpu.fresh<int>(256);
    EXPECT_CLEAN(gpu.run("tiles_of_warps", {.block = {256, 1, 1}}, d_in, d_out));
    const auto out = gpu.values<int>(d_out, 256);
    for (std::size_t i = 0; i < 256; ++i) {
        const auto first = in.begin() + static_cast<std::ptrdiff_t>(i / 64 * 64);
        EXPECT_EQ(out[i], std::accumulate(first, first + 64, 0)) << i;
    }
    EXPECT_CLEAN(gpu.run("tiles_in_a_row", {.block = {256, 1, 1}}, d_in, d_out));
    const auto less = gpu.values<int>(d_out, 256);
    for (std::size_t i = 0; i < 256; ++i) {
        const auto first = in.begin() + static_cast<std::ptrdiff_t>(i / 64 * 64);
        EXPECT_EQ(less[i], out[i] - *std::max_element(first, first + 64)) << i;
    }
}

// Reads word [%rd2] of constant memory, %rd2 = lane * stride, and one whose address is known.
std::string reads_constants(int stride) {
    return ".version 9.0\n.target sm_75\n.address_size 64\n.const .align 4 .b8 weights[128] = {1, 0, 0, 0, 2, 0, 0, "
           "0};\n"
           ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<6>;\n.reg .b64 %rd<6>;\n"
           "mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd1, %r1, " +
           std::to_string(stride) +
           ";\nmov.u64 %rd2, weights;\nadd.s64 %rd2, %rd2, %rd1;\nld.const.u32 %r2, [%rd2];\n"
           "ld.const.u32 %r3, [weights+4];\nadd.u32 %r4, %r2, %r3;\nld.param.u64 %rd3, [out];\n"
           "mad.wide.u32 %rd4, %r1, 4, %rd3;\nst.global.u32 [%rd4], %r4;\nret;\n}\n";
}

TEST(Counters, ConstantMemoryIsNoTrafficButOneWordAtATime) {
    std::uint64_t instructions[2];
    for (const int stride : {0, 4}) {
        Gpu gpu;
        gpu.load_text(reads_constants(stride));
        const DevicePtr d_out = gpu.fresh<unsigned>(32);
        const auto r = gpu.run("k", {}, d_out);
        EXPECT_CLEAN(r);
        EXPECT_EQ(gpu.values<unsigned>(d_out, 32)[0], 3u);
        EXPECT_EQ(r.total.global_loads, 0u);
        EXPECT_EQ(r.total.load_sectors, 0u);
        EXPECT_EQ(r.unique_sectors, stride == 0 ? 4u + 1 : 4u + 4);  // d_out, and the constants once
        EXPECT_EQ(r.total.instructions, 10u);                        // the second load is an operand of the addition
        instructions[stride / 4] = r.blocks[0].instructions;
    }
    EXPECT_EQ(instructions[1], instructions[0] + 31);  // a pass for each of 32 words
}

}  // namespace
}  // namespace vgpu
