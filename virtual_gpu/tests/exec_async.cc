// Asynchronous copies into shared memory: reported if somebody uses the bytes before the copying thread has waited.
#include <gtest/gtest.h>

#include <numeric>

#include "exec_harness.h"

namespace vgpu {
namespace {

struct Async : testing::TestWithParam<int> {
    Gpu gpu{static_cast<std::uint64_t>(GetParam())};
    DevicePtr in, out;
    Async() {
        gpu.load("async");
        std::vector<int> values(8 * 64);
        std::iota(values.begin(), values.end(), 0);
        in = gpu.array(values, "in");
        out = gpu.array(std::vector<int>(64, -1), "out");
    }
    LaunchResult run(const std::string& kernel) { return gpu.run(kernel, {.block = {64, 1, 1}}, in, out); }
    Finding wrong(const std::string& kernel) {
        const LaunchResult r = run(kernel);
        for (const Finding& f : r.findings)
            if (f.kind == Kind::race) return f;
        ADD_FAILURE() << kernel << ":\n" << findings(r);
        return {};
    }
};
INSTANTIATE_TEST_SUITE_P(Seeds, Async, testing::Values(0, 1, 5));

TEST_P(Async, WhoWaitsIsNotReported) {
    for (const char* kernel : {"right_two_stages", "right_four_stages", "right_waits_for_all", "right_own"}) {
        const LaunchResult r = run(kernel);
        EXPECT_EQ(r.status, Status::ok) << r.message;
        EXPECT_EQ(findings(r), "") << kernel;
        const bool is_own = std::string(kernel) == "right_own";
        const std::vector<int> got = gpu.values<int>(out, 64);
        for (int t = 0; t < 64; ++t)
            EXPECT_EQ(got[static_cast<std::size_t>(t)], is_own ? t : 8 * (63 - t) + 64 * 28) << kernel;
    }
}

TEST_P(Async, WhoDoesNotWaitLongEnoughIs) {
    const Finding f = wrong("wrong_one_too_many");
    EXPECT_EQ(f.place.line, line_of("async", "the read"));
    EXPECT_EQ(f.other_place.line, line_of("async", "a first copy"));
    EXPECT_NE(f.what.find("an asynchronous copy that its thread had not waited for"), std::string::npos) << f.what;
    EXPECT_NE(f.help.find("__pipeline_wait_prior"), std::string::npos) << f.help;
    const Finding own = wrong("wrong_own");
    EXPECT_NE(own.what.find("had not waited for"), std::string::npos) << own.what;
}

TEST_P(Async, TheWaitTellsNobodyElse) {
    const Finding f = wrong("wrong_barrier_before_wait");
    EXPECT_EQ(f.array, "s");
    EXPECT_NE(f.thread[0], f.other_thread[0]);
}

TEST_P(Async, RacesInWhatIsCopied) {
    const int copy = line_of("async", "the racing copy"), write = line_of("async", "the racing write");
    for (const char* kernel : {"race_of_4", "race_of_8", "race_of_16"}) {
        const Finding f = wrong(kernel);
        EXPECT_EQ(std::minmax(f.place.line, f.other_place.line), std::minmax(copy, write)) << kernel << ": " << f.what;
    }
    const LaunchResult wide = run("right_wide_words");
    EXPECT_EQ(findings(wide), "");
    EXPECT_EQ(wide.status, Status::ok) << wide.message;
}

TEST_P(Async, CopiesAreOverOnceTheBarrierSaysSo) {
    for (const char* kernel : {"right_copies_all", "right_copies_first", "right_bulk_all", "right_bulk_first"}) {
        const LaunchResult r = run(kernel);
        EXPECT_EQ(r.status, Status::ok) << r.message;
        EXPECT_EQ(findings(r), "") << kernel;
        const std::vector<int> got = gpu.values<int>(out, 64);
        for (int t = 0; t < 64; ++t) EXPECT_EQ(got[static_cast<std::size_t>(t)], 63 - t) << kernel;
    }
    for (const char* kernel : {"wrong_copies_nobody", "wrong_copies_inc", "wrong_bulk_nobody"}) {
        const Finding f = wrong(kernel);
        const bool is_bulk = std::string(kernel) == "wrong_bulk_nobody";
        EXPECT_EQ(f.place.line, line_of("async", is_bulk ? "use_of_bulk" : "use_of_copies")) << f.what;
        EXPECT_EQ(f.other_thread[0] == 0, is_bulk || f.thread[0] == 63) << f.what;
        EXPECT_NE(f.what.find("that reports to a barrier in shared memory, for which no thread has waited"),
                  std::string::npos)
            << f.what;
    }
}

TEST_P(Async, BarriersInMemoryOrder) {
    LaunchResult r = run("right_mbarrier");
    EXPECT_EQ(r.status, Status::ok) << r.message;
    EXPECT_EQ(findings(r), "");
    const std::vector<int> sums = gpu.values<int>(out, 32);
    for (int t = 0; t < 32; ++t) EXPECT_EQ(sums[static_cast<std::size_t>(t)], 8 * (31 - t) + 32 * 28);
    r = run("right_tokens");
    EXPECT_EQ(r.status, Status::ok) << r.message;
    EXPECT_EQ(findings(r), "");
    const std::vector<int> got = gpu.values<int>(out, 64);
    for (int t = 0; t < 64; ++t) EXPECT_EQ(got[static_cast<std::size_t>(t)], t < 32 ? 63 - t + 31 - t : 63 - t);
}

TEST_P(Async, BarriersInMemoryHaveTheirMistakes) {
    const Finding f = wrong("wrong_mbarrier");
    EXPECT_EQ(std::minmax(f.place.line, f.other_place.line),
              std::minmax(line_of("async", "the writer"), line_of("async", "the reader")));
    const LaunchResult count = run("wrong_count_of_mbarrier");
    ASSERT_EQ(count.findings.size(), 1u) << findings(count);
    EXPECT_EQ(count.findings[0].kind, Kind::deadlock);
    const LaunchResult fresh = run("wrong_fresh_mbarrier");
    ASSERT_FALSE(fresh.findings.empty());
    EXPECT_EQ(fresh.findings[0].kind, Kind::uninitialized);
    EXPECT_EQ(fresh.findings[0].place.line, line_of("async", "no init"));
}

}  // namespace
}  // namespace vgpu
