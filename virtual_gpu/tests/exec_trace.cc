// Which addresses a warp touches on one line: only if asked for, of one warp, and no more than there is room for.
#include <gtest/gtest.h>

#include <numeric>

#include "exec_harness.h"
#include "virtual_gpu/exec/report/tracer.h"

namespace vgpu {
namespace {

class TraceTest : public testing::Test {
  protected:
    TraceTest() { gpu_.load("traced"); }
    void want(const std::string& mark) {
        gpu_.options.trace = std::to_string(line_of("traced", mark)) + " " + file();
        gpu_.executor.configure(gpu_.options);
    }
    // As nvcc was given it.
    std::string file() {
        const LaunchResult r = column();
        return r.lines.empty() ? "" : r.lines.front().place.file;
    }
    LaunchResult column() {
        std::vector<int> values(1024);
        std::iota(values.begin(), values.end(), 0);
        return gpu_.run("column", {{4, 1, 1}, {32, 1, 1}}, gpu_.array(values, "in"), gpu_.fresh<int>(128, "out"));
    }
    LaunchResult strided(int times) {
        return gpu_.run("strided", {{2, 1, 1}, {64, 1, 1}}, gpu_.array(std::vector<int>(64), "in"),
                        gpu_.fresh<int>(64, "out"), times);
    }
    Gpu gpu_;
};

TEST_F(TraceTest, NothingUnlessAskedFor) {
    column();
    EXPECT_FALSE(gpu_.executor.take_trace());
    for (const char* wrong : {"", "x", "12", "0 traced.cu", "-3 traced.cu", "9999999999999 traced.cu", "7 other.cu"}) {
        gpu_.options.trace = wrong;
        gpu_.executor.configure(gpu_.options);
        column();
        EXPECT_FALSE(gpu_.executor.take_trace()) << wrong;
    }
}

TEST_F(TraceTest, BankConflicts) {
    want("column");
    const LaunchResult r = column();
    EXPECT_EQ(findings(r), "");
    const std::optional<Trace> trace = gpu_.executor.take_trace();
    ASSERT_TRUE(trace);
    EXPECT_EQ(trace->place.line, line_of("traced", "column"));
    EXPECT_EQ(trace->kernel, "column");
    EXPECT_EQ(trace->block, (Index3{0, 0, 0}));
    ASSERT_EQ(trace->steps.size(), 3u);  // of one block only
    EXPECT_EQ(trace->count, 3u);
    for (std::size_t x = 0; x < 3; ++x) {
        const TraceStep& step = trace->steps[x];
        EXPECT_EQ(step.space + " " + step.access, "shared read");
        EXPECT_EQ(step.array, "tile");
        EXPECT_EQ(step.lanes, ~0u);
        EXPECT_EQ(step.cost, 32u);
        EXPECT_EQ(step.ideal, 1u);
        for (std::size_t lane = 0; lane < 32; ++lane) EXPECT_EQ(step.at[lane], static_cast<int>(lane * 32 + x) * 4);
    }
    EXPECT_FALSE(gpu_.executor.take_trace()) << "it is told once";
}

TEST_F(TraceTest, OneLineThatReadsAndWrites) {
    want("fill");
    column();
    const std::optional<Trace> trace = gpu_.executor.take_trace();
    ASSERT_TRUE(trace);
    EXPECT_EQ(trace->count, 64u);
    int reads = 0;
    for (const TraceStep& step : trace->steps) {
        EXPECT_EQ(step.cost, step.ideal) << step.space;
        if (step.space == "global") {
            EXPECT_EQ(step.array, "in");
        }
        reads += step.access == "read" ? 1 : 0;
    }
    EXPECT_EQ(reads, 32);
}

TEST_F(TraceTest, TheFirstWarpThatComesToTheLine) {
    want("strided");
    strided(2);
    const std::optional<Trace> trace = gpu_.executor.take_trace();
    ASSERT_TRUE(trace);
    EXPECT_EQ(trace->warp, 1u);
    ASSERT_FALSE(trace->steps.empty());
    const TraceStep& step = trace->steps[0];
    EXPECT_EQ(step.lanes, 0xFFFFu);
    EXPECT_EQ(step.cost, 8u);
    EXPECT_EQ(step.ideal, 2u);
    EXPECT_EQ(step.at[3], 48);
    EXPECT_EQ(step.at[20], 0) << "not active";
}

TEST_F(TraceTest, NoMoreStepsThanThereIsRoomFor) {
    want("fill");
    column();
    gpu_.executor.take_trace();
    for (int i = 0; i < 3; ++i) column();  // the first launch only
    const std::optional<Trace> trace = gpu_.executor.take_trace();
    ASSERT_TRUE(trace);
    EXPECT_EQ(trace->count, 64u);
    EXPECT_LE(trace->steps.size(), Tracer::kMostSteps);
}

TEST_F(TraceTest, CountersAndTimesAreThoseWithoutIt) {
    const LaunchResult before = column();
    want("column");
    const LaunchResult traced = column();
    EXPECT_EQ(before.total.instructions, traced.total.instructions);
    EXPECT_EQ(before.total.shared_wavefronts, traced.total.shared_wavefronts);
    ASSERT_EQ(before.blocks.size(), traced.blocks.size());
    EXPECT_EQ(before.blocks[0].cycles, traced.blocks[0].cycles);
}

}  // namespace
}  // namespace vgpu
