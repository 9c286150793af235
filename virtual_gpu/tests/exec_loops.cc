// Endless loops: they are proved to be endless, and said; and what a grid was doing when it was stopped.
#include <gtest/gtest.h>

#include "exec_harness.h"

namespace vgpu {
namespace {

struct Loops : testing::Test {
    Gpu gpu{0, false};
    DevicePtr in = 0, out = 0;
    Loops() {
        gpu.options.count = false;
        gpu.executor.configure(gpu.options);
        gpu.load("loops");
        in = gpu.array(std::vector<int>(4096, 1), "in");
        out = gpu.array(std::vector<int>(4096), "out");
    }
    // What is said of the loop at the marked line.
    std::string endless(const LaunchResult& r, const std::string& mark) {
        const Finding* f = find(r, Kind::endless);
        EXPECT_EQ(r.status, Status::launch_failure);
        EXPECT_NE(f, nullptr) << findings(r) << r.message;
        if (!f) return "";
        const std::string at = "loops.cu:" + std::to_string(line_of("loops", mark)) + ": ";
        const std::size_t end = f->what.find(at);
        EXPECT_TRUE(f->what.starts_with("thread 0 of block 0 never leaves the loop `")) << f->what;
        EXPECT_NE(end, std::string::npos) << f->what;
        return end == std::string::npos ? "" : f->what.substr(42, end - 42) + f->what.substr(end + at.size());
    }
};

TEST_F(Loops, AConditionThatTheCompilerAsksOnce) {
    const auto r = gpu.run("same_start", {.block = {64, 1, 1}}, in, out, 256);
    EXPECT_EQ(endless(r, "same_start"),
              "`while (start + id < n)` at it compares 0 with 256, and nothing in the loop changes either");
}

TEST_F(Loops, AStepOfZero) {
    const auto r = gpu.run("step_of_zero", {.grid = {3, 1, 1}}, out, 64, 0);
    const std::string said = endless(r, "step_of_zero");
    EXPECT_TRUE(
        said.starts_with("`for (int i = threadIdx.x; i < n; i += step)` at it compares 0 with 64 in each of the"))
        << said;
    EXPECT_TRUE(said.ends_with("rounds: nothing in the loop changes that")) << said;
}

// The compiler has unrolled the loop, and compares with another number: it is not the student's.
TEST_F(Loops, NumbersOfTheCompilerAreNotShown) {
    const auto r = gpu.run("down_to_zero", {}, out, 64);
    EXPECT_EQ(endless(r, "down_to_zero"),
              "`for (int apart = n / 2; apart >= 0; apart /= 2)` at each round is the same as the one before");
}

TEST_F(Loops, ARoundThatChangesNothing) {
    const std::string said = endless(gpu.run("only_an_if", {}, out, 1 << 10), "only_an_if");
    EXPECT_TRUE(said.starts_with("`while (low < high)` at it compares 31 with 32 in each of the")) << said;
}

TEST_F(Loops, AValueInMemoryThatNobodyChangesIsProved) {
    const std::string said = endless(gpu.run("bisects", {.block = {64, 1, 1}}, out, 64), "bisects");
    EXPECT_TRUE(said.starts_with("`while (low < high)` at it compares 63 with 64 in each of the")) << said;
}

TEST_F(Loops, ValuesStandInTheOrderOfTheSource) {
    const std::string said =
        endless(gpu.run("bisects_from_above", {.block = {64, 1, 1}}, out, 64), "bisects_from_above");
    EXPECT_TRUE(said.starts_with("`while (high > low)` at it compares 64 with 63 in each of the")) << said;
}

TEST_F(Loops, WhatMemoryDecidesIsNotProved) {
    gpu.options.max_steps = 1 << 22;
    gpu.executor.configure(gpu.options);
    const auto r = gpu.run("waits_for_memory", {}, out, 5);
    EXPECT_EQ(find(r, Kind::endless), nullptr) << findings(r);
    EXPECT_NE(r.status, Status::ok);
}

TEST_F(Loops, LongLoopsEnd) {
    for (const bool counts : {false, true}) {
        gpu.options.count = counts;
        gpu.executor.configure(gpu.options);
        EXPECT_EQ(gpu.run("long_one", {.grid = {2, 1, 1}}, out, 20'000).status, Status::ok);
        EXPECT_EQ(gpu.run("collatz", {.grid = {4, 1, 1}}, out, 837'799).status, Status::ok);
    }
}

TEST_F(Loops, ASumThatStopsGrowing) {
    const std::string said = endless(gpu.run("stuck_sum", {}, out, 1e12f), "stuck_sum");
    EXPECT_TRUE(said.starts_with("`while (sum < n)` at ")) << said;
}

struct Ends {
    std::string kernel;
    int n;
    int how = 0;
    Shape shape{};
};

TEST_F(Loops, LoopsThatSeemToRepeatAndEnd) {
    const Shape two{.block = {64, 1, 1}}, many{.grid = {4, 1, 1}};
    const Ends all[] = {
        {"around", 77},
        {"seldom_less", 4'000},
        {"by_call", 600'000},
        {"in_shared", 700'000},
        {"in_local", 1'000'000},
        {"by_barrier", 200'000, 0, two},
        {"by_barrier", 200'000, 1, two},
        {"by_barrier", 200'000, 2, two},
        {"by_lanes", 700'000, 0},
        {"by_lanes", 700'000, 1},
        {"by_lanes", 700'000, 2},
        {"by_clock", 60'000'000},
        {"by_flag", 1'000'000, 0, many},
        {"states", 80'000},
        {"many_inside", 30'000},
    };
    for (const bool counts : {false, true}) {
        gpu.options.count = counts;
        gpu.executor.configure(gpu.options);
        for (const Ends& one : all) {
            gpu.memory.fill(out, 0, sizeof(int), 4096);
            const auto r = gpu.run(one.kernel, one.shape, out, one.n, one.how);
            EXPECT_EQ(r.status, Status::ok) << one.kernel << " " << one.how << ": " << r.message;
            if (one.kernel != "by_clock") {
                EXPECT_GT(r.steps, 1 << 22) << one.kernel;  // it was watched
            }
            EXPECT_EQ(find(r, Kind::endless), nullptr) << one.kernel << " " << one.how << ": " << findings(r);
        }
    }
}

TEST_F(Loops, WhereItWasWhenItWasStopped) {
    gpu.executor.stop();
    const auto r = gpu.run("long_one", {.grid = {3000, 1, 1}}, out, 1 << 30);
    EXPECT_EQ(r.status, Status::timed_out);
    EXPECT_NE(r.message.find("\n0 of 3,000 blocks had ended"), std::string::npos) << r.message;
    EXPECT_NE(r.message.find(" is in the loop `for (int i = 0; i < n; ++i)` at loops.cu:"), std::string::npos)
        << r.message;
    EXPECT_NE(r.message.find(" (growing) with 1,073,741,824"), std::string::npos) << r.message;
}

// A loop that ends while it is watched is said, too.
TEST_F(Loops, WhereItWasInALoopThatEnds) {
    gpu.executor.stop();
    const auto r = gpu.run("by_call", {.grid = {3000, 1, 1}}, out, 8'000);
    EXPECT_NE(r.message.find(" is in the loop `while (n > 0)` at loops.cu:"), std::string::npos) << r.message;
}

}  // namespace
}  // namespace vgpu
