// Lanes that meet at *_sync operations from different places, and loads that nvcc has moved in front of their
// condition.
#include <gtest/gtest.h>

#include <numeric>

#include "exec_harness.h"

namespace vgpu {
namespace {

struct Lanes : testing::TestWithParam<int> {
    Gpu gpu{static_cast<std::uint64_t>(GetParam())};
    DevicePtr in, out;
    Finding note;
    Lanes() {
        gpu.load("lanes");
        std::vector<int> values(256);
        std::iota(values.begin(), values.end(), 0);
        in = gpu.array(values, "in");
        out = gpu.array(std::vector<int>(256, -1), "out");
    }
    std::vector<int> right(const std::string& kernel, int threads = 32) {
        const LaunchResult r = gpu.run(kernel, {.block = {static_cast<unsigned>(threads), 1, 1}}, in, out);
        EXPECT_EQ(r.status, Status::ok) << r.message;
        EXPECT_EQ(findings(r), "") << kernel;
        return gpu.values<int>(out, static_cast<std::size_t>(threads));
    }
    // With a note that it is odd.
    std::vector<int> odd(const std::string& kernel, int threads = 32) {
        LaunchResult r = gpu.run(kernel, {.block = {static_cast<unsigned>(threads), 1, 1}}, in, out);
        EXPECT_EQ(r.status, Status::ok) << r.message;
        EXPECT_FALSE(r.findings.empty()) << kernel;
        for (const Finding& f : r.findings) EXPECT_TRUE(f.kind == Kind::shuffle_place && f.is_note) << f.what;
        if (!r.findings.empty()) note = r.findings[0];
        return gpu.values<int>(out, static_cast<std::size_t>(threads));
    }
    Finding wrong(const std::string& kernel, Kind kind) {
        const LaunchResult r = gpu.run(kernel, {.block = {32, 1, 1}}, in, out);
        for (const Finding& f : r.findings)
            if (f.kind == kind) return f;
        ADD_FAILURE() << kernel << ":\n" << findings(r);
        return {};
    }
};
INSTANTIATE_TEST_SUITE_P(Seeds, Lanes, testing::Values(0, 1, 5));

TEST_P(Lanes, MeetInShufflesOnBothSides) {
    const std::vector<int> got = odd("right_shuffles_on_both_sides", 64);
    for (int t = 0; t < 64; ++t) EXPECT_EQ(got[static_cast<std::size_t>(t)], (t ^ 1) + (t % 3 == 0 ? 1000 : 2000));
}

TEST_P(Lanes, MeetInVotesOfThreeCases) {
    unsigned votes = 0;
    for (unsigned t = 0; t < 32; ++t) votes |= unsigned{t % 3 == 0 || (t % 3 == 2 && t > 15)} << t;
    for (int got : odd("right_votes_on_both_sides")) EXPECT_EQ(static_cast<unsigned>(got), votes);
}

TEST_P(Lanes, MeetInMatchesOf64Bits) {
    std::vector<long long> values(32);
    std::iota(values.begin(), values.end(), 0);
    in = gpu.array(values, "in");
    const std::vector<int> got = odd("right_matches_on_both_sides");
    for (int t = 0; t < 32; ++t)
        EXPECT_EQ(static_cast<unsigned>(got[static_cast<std::size_t>(t)]), (0xfu << t / 4 * 4) ^ (t < 7 ? 0u : 1u))
            << t;
}

TEST_P(Lanes, MeetInHalves) {
    const std::vector<int> got = odd("right_halves");
    for (int t = 0; t < 32; ++t)
        EXPECT_EQ(got[static_cast<std::size_t>(t)], (t < 16 ? 120 : 376) + (t % 2 == 0 ? 0 : 100000)) << t;
}

TEST_P(Lanes, MeetInTwoCallsOfAFunction) {
    const std::vector<int> got = odd("right_calls_on_both_sides");
    int sum = 0;
    for (int t = 0; t < 32; ++t) sum += (t & 4) != 0 ? t : 2 * t;
    for (int t = 0; t < 32; ++t) EXPECT_EQ(got[static_cast<std::size_t>(t)], sum + ((t & 4) != 0 ? 1 : 0)) << t;
}

TEST_P(Lanes, MeetInALoopAndBehindIt) {
    const std::vector<int> got = odd("loop_left_early");
    for (int t = 0; t < 32; ++t) EXPECT_EQ(got[static_cast<std::size_t>(t)], 4 * (t + (t ^ 1)));
    const int loop = line_of("lanes", "loop_left_early_in"), behind = line_of("lanes", "loop_left_early_behind");
    EXPECT_EQ(note.place.line + note.other_place.line, loop + behind) << note.what;
    EXPECT_NE(note.what.find(" call __shfl_xor_sync() at lanes.cu:"), std::string::npos) << note.what;
}

TEST_P(Lanes, MeetInOneFunctionCalledTwice) {
    odd("inlined_on_both_sides");
    const std::string line = std::to_string(line_of("lanes", "inlined_on_both_sides"));
    EXPECT_NE(note.what.find(", called at lanes.cu:" + line), std::string::npos) << note.what;
}

TEST_P(Lanes, AreNotOddWhereNothingIsExchangedOrNvccHasCopiedTheCall) {
    for (int got : right("sides_of_their_own")) EXPECT_GE(got, 1000);
    right("unrolled_shuffles");
}

TEST_P(Lanes, MeetWithoutThoseThatHaveLeft) {
    const std::vector<int> got = right("right_some_have_left");
    for (int t = 0; t < 20; ++t) EXPECT_EQ(got[static_cast<std::size_t>(t)], 0xaaaaa);
}

TEST_P(Lanes, BringUndefinedValuesAlong) {
    const Finding f = wrong("wrong_undefined_from_the_other_side", Kind::uninitialized);
    EXPECT_EQ(f.place.line, line_of("lanes", "decides")) << f.what;
    // nvcc reads once, before the branch, and gives that no line.
    EXPECT_EQ(f.other_place.line, line_of("lanes", "source") - 3) << f.what;
    EXPECT_NE(f.what.find("read at (or near) lanes.cu:"), std::string::npos) << f.what;
    EXPECT_LT(f.thread[0], 16u) << f.what;
}

TEST_P(Lanes, OfTwoOperationsDoNotMeet) {
    const Finding f = wrong("wrong_two_operations", Kind::deadlock);
    EXPECT_NE(f.what.find("__shfl_down_sync()"), std::string::npos) << f.what;
    EXPECT_NE(f.what.find("__shfl_up_sync()"), std::string::npos) << f.what;
    EXPECT_EQ(f.what.find("mask 0x"), std::string::npos) << f.what;
    EXPECT_TRUE(f.what.ends_with(": they wait for each other forever")) << f.what;
    const int line = line_of("lanes", "wrong_two_operations");
    EXPECT_TRUE(f.place.line == line || f.other_place.line == line) << f.what;
}

TEST_P(Lanes, OfTwoMasksDoNotMeet) {
    const Finding f = wrong("wrong_two_masks", Kind::deadlock);
    EXPECT_NE(f.what.find("0x0003ffff"), std::string::npos) << f.what;
    EXPECT_NE(f.what.find("0xffffffff"), std::string::npos) << f.what;
}

TEST_P(Lanes, WaitForeverForLanesAtABarrier) {
    const Finding f = wrong("wrong_vote_and_barrier", Kind::deadlock);
    EXPECT_NE(f.what.find("wait for other lanes of their warp in __any_sync() at lanes.cu:" +
                          std::to_string(line_of("lanes", "wrong_vote_and_barrier"))),
              std::string::npos)
        << f.what;
}

TEST_P(Lanes, MayWriteWhatOthersHaveReadBeforeAShuffle) {
    const LaunchResult r = gpu.run("shuffle_before_write", {.block = {32, 1, 1}}, in, out);
    ASSERT_EQ(r.findings.size(), 1u) << findings(r);
    const Finding& f = r.findings[0];
    EXPECT_EQ(f.kind, Kind::shuffle_order);
    EXPECT_TRUE(f.is_note);
    EXPECT_EQ(f.place.line, line_of("lanes", "shuffle_before_write_writer"));
    EXPECT_EQ(f.other_place.line, line_of("lanes", "shuffle_before_write_reader"));
    EXPECT_NE(f.what.find("have met in an operation of the warp"), std::string::npos) << f.what;
    EXPECT_NE(f.help.find("__syncwarp()"), std::string::npos) << f.help;
    const std::vector<int> got = gpu.values<int>(out, 32);
    for (int t = 0; t < 32; ++t) EXPECT_EQ(got[static_cast<std::size_t>(t)], (t ^ 1) + (t ^ 3)) << t;
}

TEST_P(Lanes, MayWriteGlobalMemoryThatOthersHaveReadBeforeAShuffle) {
    const DevicePtr own = gpu.array(std::vector<int>(32, 3));
    const LaunchResult r = gpu.run("shuffle_before_global_write", {.block = {32, 1, 1}}, own, out);
    ASSERT_EQ(r.findings.size(), 1u) << findings(r);
    EXPECT_EQ(r.findings[0].kind, Kind::shuffle_order);
    EXPECT_EQ(r.findings[0].place.line, line_of("lanes", "shuffle_before_global_write_writer"));
    EXPECT_EQ(r.findings[0].other_place.line, line_of("lanes", "shuffle_before_global_write_reader"));
}

TEST_P(Lanes, SyncInGroups) {
    const LaunchResult r = gpu.run("syncwarp_of_halves", {.block = {32, 1, 1}}, in, out);
    EXPECT_TRUE(r.findings.empty()) << findings(r);
    EXPECT_EQ(wrong("wrong_group_of_syncwarp", Kind::race).place.line, line_of("lanes", "wrong_group_of_syncwarp"));
}

TEST_P(Lanes, SyncWithOneMask) {
    for (const char* kernel : {"wrong_masks_of_syncwarp", "wrong_masks_of_one_syncwarp"}) {
        const Finding f = wrong(kernel, Kind::deadlock);
        EXPECT_NE(f.what.find("__syncwarp()"), std::string::npos) << f.what;
    }
}

TEST_P(Lanes, OrderNoMemoryByAShuffle) {
    for (const char* kernel : {"wrong_shuffle_of_others", "wrong_shuffle_after_write"}) {
        const Finding f = wrong(kernel, Kind::race);
        const int line = line_of("lanes", kernel);
        EXPECT_TRUE(f.place.line == line || f.other_place.line == line) << f.what;
    }
}

// A load in front of its condition is a race only of the threads for which the condition holds.
struct Early : Lanes {
    LaunchResult run(const std::string& kernel, unsigned blocks, auto... arguments) {
        return gpu.run(kernel, {.grid = {blocks, 1, 1}, .block = {64, 1, 1}}, arguments...);
    }
    void is_race(const LaunchResult& r, const char* mark) {
        int races = 0;
        for (const Finding& f : r.findings)
            if (f.kind == Kind::race) {
                ++races;
                const int line = line_of("lanes", mark);
                EXPECT_TRUE(f.place.line == line || f.other_place.line == line) << f.what;
            }
        EXPECT_EQ(races, 1) << mark << "\n" << findings(r);
    }
};
INSTANTIATE_TEST_SUITE_P(Seeds, Early, testing::Values(0, 1, 5));

TEST_P(Early, LoadsBelongToTheThreadsThatUseThem) {
    for (const char* kernel : {"right_counter_of_one", "right_or"})
        EXPECT_EQ(findings(run(kernel, 4, out)), "") << kernel;
    EXPECT_EQ(findings(run("right_shared_choice", 1, in, out)), "");
    is_race(run("wrong_counter_of_many", 4, out), "wrong_counter_of_many");
    is_race(run("wrong_or", 4, out), "wrong_or");
    is_race(run("wrong_shared_choice", 1, in, out), "wrong_shared_choice");
}

}  // namespace
}  // namespace vgpu
