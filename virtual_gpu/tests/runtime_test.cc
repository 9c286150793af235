// Executables that nvcc has made, run on the virtual GPU's libcudart.
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "virtual_gpu/tests/run_program.h"

namespace vgpu::test {
namespace {

using ::testing::Test;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Runtime, Api) {
    const Ran ran = run_program("api");
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_EQ(ran.out, "done\n");
}

TEST(Runtime, LinkedFromTwoFiles) {
    const Ran ran = run_program("linked");
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_EQ(ran.out, "35 50 cudaSuccess\n");
}

TEST(Runtime, KernelsThatLaunchKernels) {
    for (const char* seed : {"0", "1", "2"}) {
        const Ran ran = run_program("dynamic", {"link"}, {{"VGPU_SEED", seed}});
        EXPECT_EQ(ran.out, "14 138 1\ncudaSuccess\n") << ran.err;
        EXPECT_TRUE(has(ran.report, "\"findings\":[]")) << ran.report;
        EXPECT_TRUE(has(ran.report, "\"name\":\"in_other_file(int*)\",\"by_kernel\":true,\"launches\":1,"))
            << ran.report;
    }
}

TEST(Runtime, PendingLaunchesAreLimitedByTheHost) {
    const Ran few = run_program("dynamic", {"limit"});
    EXPECT_EQ(few.out, "2048 cudaSuccess\ncudaSuccess\n") << few.err;
    EXPECT_TRUE(has(few.report, "cudaErrorLaunchPendingCountExceeded")) << few.report;
    EXPECT_TRUE(has(few.report, "dynamic_a.cu")) << few.report;
    const Ran enough = run_program("dynamic", {"limit", "8192"});
    EXPECT_TRUE(has(enough.report, "\"findings\":[]")) << enough.report;
    EXPECT_TRUE(has(enough.report, "\"launches\":8190,")) << enough.report;
}

TEST(Runtime, ModelledTimeOfLaunchesByKernels) {
    for (const char* profile : {"teaching", "h200", "t4"}) {
        SCOPED_TRACE(profile);
        const Ran ran = run_program("dynamic", {"time"}, {{"VGPU_PROFILE", profile}});
        SCOPED_TRACE(ran.out);
        std::map<std::string, double> ms;
        std::istringstream in(ran.out);
        for (std::string name; in >> name && name != "cudaSuccess";) {
            in >> ms[name];
        }
        const double launch = ms["chain2"] - ms["chain1"];
        EXPECT_GT(launch, 2e-3) << "some microseconds";
        EXPECT_LT(launch, 20e-3);
        EXPECT_NEAR(ms["chain16"] - ms["chain1"], 15 * launch, 3 * launch) << "one after the other";
        EXPECT_GT(ms["halves16"], ms["halves8"]);
        EXPECT_LT(ms["halves1024"], 60 * launch) << "255 grids, side by side";
        EXPECT_EQ(run_program("dynamic", {"time"}, {{"VGPU_PROFILE", profile}}).out, ran.out);
    }
}

TEST(Runtime, HostThreads) {
    const Ran ran = run_program("threads");
    EXPECT_EQ(ran.out, "0\n") << ran.err;
}

TEST(Runtime, Graphs) {
    for (const char* seed : {"0", "5"}) {
        const Ran ran = run_program("graphs", {}, {{"VGPU_SEED", seed}, {"VGPU_LEAKS", "1"}});
        EXPECT_EQ(ran.out, "0\n") << ran.err;
        EXPECT_TRUE(has(ran.report, "\"findings\":[]")) << ran.report.substr(0, ran.report.find("\"kernels\""));
    }
}

// Work that the host does not order: each mistake, and the same program in order (programs/streams*.cu).
class Streams : public testing::TestWithParam<const char*> {};

std::string findings(const Ran& ran) { return ran.report.substr(0, ran.report.find("\"kernels\"")); }

TEST_P(Streams, WhatNothingOrdersIsARace) {
    const Ran bad = run_program("streams", {GetParam()});
    EXPECT_EQ(bad.out, "cudaSuccess\n") << bad.err;
    EXPECT_TRUE(has(bad.report, "\"kind\":\"race\"")) << findings(bad);
    EXPECT_TRUE(has(bad.report, "streams_")) << findings(bad);
}

TEST_P(Streams, InOrderThereIsNone) {
    for (const char* seed : {"0", "1", "2"}) {
        const Ran good = run_program("streams", {GetParam(), "good"}, {{"VGPU_SEED", seed}, {"VGPU_LEAKS", "1"}});
        EXPECT_EQ(good.out, "cudaSuccess\n") << good.err;
        EXPECT_TRUE(has(good.report, "\"findings\":[]")) << findings(good);
    }
}

INSTANTIATE_TEST_SUITE_P(Runtime, Streams,
                         testing::Values("two_streams", "write_after_read", "two_readers", "event_before_the_work",
                                         "peer_copy", "wait_before_the_record", "event_of_the_other_stream",
                                         "event_waited_for_by_the_host", "branches_of_a_graph", "default_stream_first",
                                         "default_stream_last", "default_stream_between", "per_thread_stream",
                                         "fill_beside_a_kernel", "plain_fill_beside_a_kernel", "copy_beside_a_kernel",
                                         "copy_to_the_device", "copy_to_the_host", "copy_of_rows",
                                         "wrong_stream_awaited", "asked_for", "free_in_another_stream",
                                         "allocation_of_another_stream", "plain_free", "atomics", "halves",
                                         "bytes_of_a_word", "word_and_byte", "same_value", "priorities", "destroyed",
                                         "chain", "tickets", "in_a_loop", "host_threads", "not_awaited", "host_reads",
                                         "host_writes", "host_reads_by_the_library", "host_in_default_stream",
                                         "host_waits_for_event", "host_waits_for_other_stream", "host_told_by_function",
                                         "host_beside_a_copy", "host_copies_again", "host_in_one_page"),
                         [](const auto& name) { return std::string(name.param); });

// Programmatic dependent launch (programs/dependents.cu): in the default stream, in another one, and captured.
struct Dependent {
    const char* what;
    const char* finding;  // a part of it; nullptr: there is none
};
void PrintTo(const Dependent& its, std::ostream* out) { *out << its.what; }

class Dependents : public testing::TestWithParam<std::tuple<Dependent, std::string>> {};

TEST_P(Dependents, WaitForTheKernelBefore) {
    const auto& [its, how] = GetParam();
    for (const char* seed : {"0", "3", "5"}) {
        const Ran ran = run_program("dependents", {its.what, how}, {{"VGPU_SEED", seed}});
        EXPECT_TRUE(has(ran.out, ", cudaSuccess\n")) << ran.out;
        if (its.finding == nullptr) {
            EXPECT_TRUE(has(ran.report, "\"findings\":[]")) << findings(ran);
        } else {
            EXPECT_TRUE(has(ran.report, its.finding)) << findings(ran);
            EXPECT_TRUE(has(ran.report, "call cudaGridDependencySynchronize() in each such kernel")) << findings(ran);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    Runtime, Dependents,
    testing::Combine(
        testing::Values(
            Dependent{"good", nullptr}, Dependent{"one_waits", nullptr}, Dependent{"plain_launch", nullptr},
            Dependent{"shown", nullptr}, Dependent{"ordinary_third", nullptr}, Dependent{"late_trigger", nullptr},
            Dependent{"fill_between", nullptr}, Dependent{"flag", nullptr}, Dependent{"forked", nullptr},
            Dependent{"ordinary_fork", "and never_waits never calls cudaGridDependencySynchronize()"},
            Dependent{"one_waits_alone", "and one_waits_alone had not called cudaGridDependencySynchronize()"},
            Dependent{"never_waits", "and never_waits never calls cudaGridDependencySynchronize()"},
            Dependent{"waits_late", "lets waits_late begin before primary has ended, and waits_late had not called"},
            Dependent{"clears_early", ") wrote it at dependents.h:57: nothing orders the two"},
            Dependent{"transitive", "and a kernel between the two never calls cudaGridDependencySynchronize()"},
            Dependent{"early_trigger",
                      "lets waits_late begin before primary has ended, and waits_late had not called"}),
        testing::Values(std::string("default"), std::string("stream"), std::string("graph"))),
    [](const auto& name) { return std::string(std::get<0>(name.param).what) + "_" + std::get<1>(name.param); });

TEST(Runtime, NothingIsDependentOnceTheHostHasWaited) {
    for (const char* how : {"default", "stream"}) {
        const Ran ran = run_program("dependents", {"host_waits", how});
        EXPECT_TRUE(has(ran.report, "\"findings\":[]")) << findings(ran);
    }
}

TEST(Runtime, WhatIsCapturedIsNotInTheStream) {
    const Ran ran = run_program("dependents", {"behind_a_capture", "stream"});
    EXPECT_TRUE(has(ran.report, "\"findings\":[]")) << findings(ran);
}

TEST(Runtime, APlaceOfALaunchIsWhereTheFunctionIsCalled) {
    const Ran ran = run_program("dependents", {"never_waits", "stream"});
    EXPECT_TRUE(has(ran.report, "never_waits in stream 1 (launched at dependents.cu:23)")) << findings(ran);
}

TEST(Runtime, DependentLaunchesNeedComputeCapability90) {
    const Ran on_t4 = run_program("dependents_older", {"good"}, {{"VGPU_PROFILE", "t4"}});
    const Ran older = run_program("dependents_older", {"good"});
    for (const Ran* ran : {&on_t4, &older}) {
        EXPECT_TRUE(has(ran->out, "cudaErrorInvalidPtx")) << ran->out;
        EXPECT_TRUE(has(ran->err, "(griddepcontrol) need compute capability 9.0, and this is compiled for sm_75"))
            << ran->err;
    }
}

TEST(Runtime, DependentLaunchesSaveTime) {
    const auto seconds = [](const Ran& ran) { return std::stod(ran.out); };
    for (const char* profile : {"teaching", "h200"}) {
        const double plain = seconds(run_program("dependents", {"time", "plain"}, {{"VGPU_PROFILE", profile}}));
        const double dependent = seconds(run_program("dependents", {"time", "dependent"}, {{"VGPU_PROFILE", profile}}));
        EXPECT_LT(dependent, plain - 20 * 0.3e-6);
        EXPECT_GT(dependent, plain - 20 * 2e-6);
    }
}

TEST(Runtime, RaceBetweenStreamsNamesBothPlaces) {
    const Ran ran = run_program("streams", {"two_streams"});
    EXPECT_TRUE(has(ran.report, " at index 0: the kernel put in stream 1 (launched at streams_order.cu:"))
        << findings(ran);
    EXPECT_TRUE(has(ran.report, "and the kernel twice in stream 2 (launched at streams_order.cu:")) << findings(ran);
    EXPECT_TRUE(has(ran.report, ") wrote it at streams.h:10, ")) << findings(ran);
    EXPECT_TRUE(has(ran.report, ") read it at streams.h:13: nothing orders the two")) << findings(ran);
    EXPECT_TRUE(has(ran.report, "put<<<4, 256, 0, s.a>>>(s.x, 1);")) << findings(ran);
    EXPECT_TRUE(has(ran.report, "twice<<<4, 256, 0, s.b>>>(s.x, s.y);")) << findings(ran);
    EXPECT_TRUE(has(ran.report, "cudaStreamWaitEvent")) << findings(ran);
    EXPECT_TRUE(has(ran.report, "\"count\":1024")) << findings(ran);
}

TEST(Runtime, WithoutLinesAPlaceIsAnAddress) {
    const Ran ran = run_program("streams_plain", {"two_streams"});
    EXPECT_TRUE(has(ran.report, "the kernel put in stream 1 (launched at streams_plain+0x")) << findings(ran);
}

TEST(Runtime, CopiesBesideStreamsAreNamed) {
    const Ran copy = run_program("streams", {"copy_to_the_host"});
    EXPECT_TRUE(has(copy.report, "and cudaMemcpy in the default stream (called at streams_accesses.cu:"))
        << findings(copy);
    EXPECT_TRUE(has(run_program("streams", {"free_in_another_stream"}).report, ") freed it: nothing orders the two"));
    EXPECT_TRUE(has(run_program("streams", {"allocation_of_another_stream"}).report,
                    "cudaMallocAsync in stream 1 (called at streams_accesses.cu:"));
}

TEST(Runtime, HostBesideACopyIsNamed) {
    const Ran read = run_program("streams", {"host_reads"});
    EXPECT_TRUE(
        has(read.report, "the host read pinned memory that cudaMemcpyAsync in stream 1 (called at streams_host"))
        << findings(read);
    EXPECT_TRUE(has(read.report, "may not have written yet")) << findings(read);
    const Ran wrote = run_program("streams", {"host_writes"});
    EXPECT_TRUE(has(wrote.report, "the host wrote pinned memory")) << findings(wrote);
    EXPECT_TRUE(has(wrote.report, "may not have read yet")) << findings(wrote);
    EXPECT_TRUE(has(run_program("streams", {"host_reads"}, {{"VGPU_CHECKS", "0"}}).report, "\"findings\":[]"));
}

TEST(Runtime, WorkThatIsNotAwaitedIsNamed) {
    const Ran ran = run_program("streams", {"not_awaited"});
    EXPECT_TRUE(
        has(ran.report, "the task returned while the kernel put in stream 1 could still write d_x at streams.h:"))
        << findings(ran);
    EXPECT_TRUE(has(ran.report, "is not waited for")) << findings(ran);
}

TEST(Runtime, RacesBetweenStreamsAreAmongTheChecks) {
    const Ran ran = run_program("streams", {"two_streams"}, {{"VGPU_CHECKS", "0"}});
    EXPECT_EQ(ran.out, "cudaSuccess\n") << ran.err;
    EXPECT_TRUE(has(ran.report, "\"findings\":[]")) << findings(ran);
}

TEST(Runtime, Cooperative) {
    const Ran ran = run_program("cooperative");
    EXPECT_EQ(ran.out, "0\n") << ran.err;
    EXPECT_TRUE(has(ran.err,
                    "virtual GPU: the cooperative launch at cooperative.cu:39 is one of 100000 blocks of 128 "
                    "threads, and the device holds 64 of them at once"))
        << ran.err;
    EXPECT_TRUE(has(ran.report, "\"kind\":\"failed_call\",\"is_note\":true")) << ran.report;
}

TEST(Runtime, HostAccess) {
    const Ran ran = run_program("faults", {"host_access"});
    EXPECT_EQ(ran.status, 86);
    EXPECT_TRUE(ran.err.starts_with(
        "host code at faults.cu:23 uses device memory: byte 12 of d_data (400 bytes, allocated at faults.cu:20), "))
        << ran.err;
    EXPECT_TRUE(has(ran.report, "\"kind\":\"host_access\"")) << ran.report;
    EXPECT_TRUE(has(ran.report, "d_data[3] = 1;")) << ran.report;
}

TEST(Runtime, CopyPastEnd) {
    const Ran ran = run_program("faults", {"copy_past_end"});
    EXPECT_EQ(ran.out, "cudaErrorInvalidValue\n");
    EXPECT_TRUE(has(ran.report, "\"kind\":\"out_of_bounds\"")) << ran.report;
    EXPECT_TRUE(has(ran.report,
                    "cudaMemcpy of 404 bytes, from byte 0 on, reaches past the end of d_data (400 bytes, "
                    "allocated at faults.cu:20)"))
        << ran.report;
}

TEST(Runtime, CopiesCountFromWhereTheArrayBegins) {
    const Ran ran = run_program("faults", {"copy_past_end_of_array"});
    EXPECT_TRUE(has(ran.report, "from byte 12 on, reaches past the end of d_in (392 bytes)")) << ran.report;
}

TEST(Runtime, CopyInTheWrongDirection) {
    const Ran ran = run_program("faults", {"wrong_direction"});
    EXPECT_EQ(ran.out, "cudaErrorInvalidValue\n");
    EXPECT_TRUE(has(ran.report,
                    "cudaMemcpy was told cudaMemcpyHostToDevice, but it was given a host pointer to copy to "
                    "and a device pointer to copy from"))
        << ran.report;
}

TEST(Runtime, FreedTwice) {
    const Ran ran = run_program("faults", {"double_free"});
    EXPECT_EQ(ran.out, "cudaErrorInvalidValue\n");
    EXPECT_TRUE(has(ran.report, "was already freed, at faults.cu:")) << ran.report;
    EXPECT_TRUE(has(ran.report, "free each array once")) << ran.report;
}

TEST(Runtime, KernelPastEndIsSticky) {
    const Ran ran = run_program("faults", {"kernel_past_end"});
    EXPECT_EQ(ran.out, "cudaErrorIllegalAddress\n");
    EXPECT_TRUE(has(ran.report, "\"kind\":\"out_of_bounds\"")) << ran.report;
    EXPECT_TRUE(has(ran.report,
                    " wrote d at index 100, just past its end (it has 100 elements of 4 bytes); d is "
                    "d_data, allocated at faults.cu:20"))
        << ran.report;
}

TEST(Runtime, AssertAsCudaWritesIt) {
    const Ran ran = run_program("faults", {"assert"});
    EXPECT_EQ(ran.out, "cudaErrorAssert\n");
    EXPECT_TRUE(
        has(ran.err, "faults.cu:13: void check(int): block: [0,0,0], thread: [0,0,0] Assertion `n < 0` failed."))
        << ran.err;
}

TEST(Runtime, Printf) {
    const Ran ran = run_program("faults", {"printf"});
    EXPECT_EQ(ran.out, "thread 0 of 2: text 1.50\nthread 1 of 2: text 1.50\ncudaSuccess\n") << ran.err;
}

TEST(Runtime, IgnoredError) {
    const Ran ran = run_program("faults", {"ignored"});
    EXPECT_TRUE(has(ran.report, "\"kind\":\"ignored_error\"")) << ran.report;
    EXPECT_TRUE(has(ran.report, "failed with cudaErrorInvalidConfiguration")) << ran.report;
    const Ran checked = run_program("faults", {"copy_past_end"});
    EXPECT_FALSE(has(checked.report, "ignored_error")) << checked.report;
}

TEST(Runtime, MemoryPools) {
    const Ran ran = run_program("pools", {}, {{"VGPU_LEAKS", "1"}});
    EXPECT_EQ(ran.out, "0\n") << ran.err;
    EXPECT_TRUE(has(ran.report, "\"findings\":[]")) << ran.report;
}

TEST(Runtime, Leak) {
    EXPECT_FALSE(has(run_program("faults", {"leak"}).report, "\"leak\""));
    const Ran ran = run_program("faults", {"leak"}, {{"VGPU_LEAKS", "1"}});
    EXPECT_TRUE(has(ran.report, "d_data (400 bytes, allocated at faults.cu:20) was never freed")) << ran.report;
}

TEST(Runtime, HostAndKernelsShareMemory) {
    for (const char* seed : {"0", "6"}) {
        const Ran ran = run_program("managed", {}, {{"VGPU_SEED", seed}, {"VGPU_LEAKS", "1"}});
        EXPECT_EQ(ran.out, "done\n") << ran.err;
        EXPECT_TRUE(has(ran.report, "\"findings\":[]")) << ran.report;
    }
}

TEST(Runtime, StoppedKernelNamesItsLine) {
    const Ran ran = run_program("stopped", {"kernel"});
    EXPECT_EQ(ran.out, "cudaErrorLaunchTimeout\n");
    EXPECT_TRUE(has(ran.err, "virtual GPU: stopped: kernel endless at stopped.cu:12, thread ")) << ran.err;
    EXPECT_TRUE(has(ran.err, "warp instructions; launch 1, made at stopped.cu:30")) << ran.err;
}

TEST(Runtime, StoppedKernelTellsWhatWasSeenBefore) {
    const Ran ran = run_program("stopped", {"garbage"});
    EXPECT_TRUE(has(ran.err, "virtual GPU: stopped: kernel endless_with_garbage at stopped.cu:18")) << ran.err;
    EXPECT_TRUE(has(ran.err, "virtual GPU: seen before: uninitialized: stopped.cu:17: thread 0 of block 0: "))
        << ran.err;
    EXPECT_FALSE(has(run_program("stopped", {"kernel"}).err, "seen before"));
}

TEST(Runtime, StoppedHostCodeNamesItsLine) {
    const Ran ran = run_program("stopped", {"host"});
    EXPECT_EQ(ran.out, "cudaSuccess\n");
    EXPECT_TRUE(has(ran.err, "virtual GPU: stopped: host code at stopped.cu:32")) << ran.err;
}

TEST(Runtime, StoppedLoopOfLaunchesNamesItsLine) {
    const Ran ran = run_program("stopped", {"launches"});
    EXPECT_EQ(ran.out, "cudaErrorLaunchTimeout\n");
    EXPECT_TRUE(has(ran.err, "virtual GPU: stopped: kernel short_one at stopped.cu:15")) << ran.err;
    EXPECT_TRUE(has(ran.err, "made at stopped.cu:33")) << ran.err;
}

TEST(Runtime, TooMuchStaticSharedMemoryIsRefused) {
    const Ran ran = run_program("static_shared");
    EXPECT_EQ(ran.out, "cudaErrorInvalidPtx\n");
    EXPECT_TRUE(has(ran.err, "declares 49156 bytes of shared memory; 49152 is the most")) << ran.err;
}

TEST(Runtime, UnknownProfileNamesTheKnownOnes) {
    const Ran ran = run_program("api", {}, {{"VGPU_PROFILE", "h2000"}});
    EXPECT_TRUE(has(ran.err, "h200 t4 teaching")) << ran.err;
}

TEST(Runtime, ModelledTimeRanksVersions) {
    for (const char* profile : {"teaching", "h200", "t4"}) {
        SCOPED_TRACE(profile);
        const Ran ran = run_program("versions", {}, {{"VGPU_PROFILE", profile}, {"VGPU_CHECKS", "0"}});
        std::map<std::string, double> ms;
        std::istringstream in(ran.out);
        for (std::string name; in >> name;) {
            in >> ms[name];
        }
        ASSERT_EQ(ms.size(), 11u) << ran.out << ran.err;
        SCOPED_TRACE(ran.out);
        EXPECT_GT(ms["nothing"], 0.001);
        EXPECT_LT(ms["nothing"], 0.006);
        EXPECT_GT(ms["one_block"], 5 * ms["grid"]);
        EXPECT_GT(ms["rows"], 1.3 * ms["grid"]);
        EXPECT_GT(ms["three_passes"], 1.5 * ms["grid"]);
        if (std::string(profile) != "h200") {  // which so small a problem does not fill
            EXPECT_GT(ms["interleaved"], 1.1 * ms["sequential"]);
        }
        EXPECT_GT(ms["atomic_each"], 2 * ms["atomic_block"]);
        EXPECT_GT(ms["copy_to_host"], ms["grid"]);
        const Ran again = run_program("versions", {}, {{"VGPU_PROFILE", profile}, {"VGPU_CHECKS", "0"}});
        EXPECT_EQ(again.out, ran.out) << "the modelled time of one seed never changes";
    }
}

TEST(Runtime, TheNewestImageThatTheDeviceCanRun) {
    EXPECT_EQ(run_program("arch").out, "cudaSuccess 900 cudaSuccess ptx 90 binary 90, driver new enough\n");
    EXPECT_EQ(run_program("arch", {}, {{"VGPU_PROFILE", "t4"}}).out,
              "cudaSuccess 750 cudaSuccess ptx 75 binary 75, driver new enough\n");
    const Ran newer = run_program("arch_newer");
    EXPECT_EQ(newer.out,
              "cudaErrorNoKernelImageForDevice 0 cudaErrorNoKernelImageForDevice ptx 0 binary 0, driver new enough\n");
    EXPECT_NE(newer.err.find("is for compute capability 10.0 and newer, the device has 9.0"), std::string::npos)
        << newer.err;
}

TEST(Runtime, NoLeaksAfterACallThatEndedTheProgram) {
    const auto leaks = [](const char* how) { return run_program("leaks", {how}, {{"VGPU_LEAKS", "1"}}).report; };
    const std::string is_leak = "\"kind\":\"leak\"";
    EXPECT_NE(leaks("forgets").find(is_leak), std::string::npos);
    EXPECT_NE(leaks("fails_and_goes_on").find(is_leak), std::string::npos);
    EXPECT_EQ(leaks("ends_at_a_failed_call").find(is_leak), std::string::npos);
    EXPECT_EQ(leaks("ends_at_a_failed_launch").find(is_leak), std::string::npos);
    EXPECT_EQ(leaks("ends_at_a_failed_kernel").find(is_leak), std::string::npos);
}

TEST(Runtime, ErrorsThatNobodyLookedAtBeforeTheEnd) {
    const auto ignored = [](const char* how) { return has(run_program("leaks", {how}).report, "\"ignored_error\""); };
    EXPECT_TRUE(ignored("ends_well_without_looking"));
    EXPECT_FALSE(ignored("ends_badly"));  // it may have checked what the call returned
    EXPECT_TRUE(ignored("last_launch_fails"));
    EXPECT_FALSE(ignored("ends_at_a_failed_launch"));
}

TEST(Runtime, ProgramThatCrashesKeepsItsReport) {
    for (const char* how : {"crashes", "aborts"}) {
        const Ran ran = run_program("leaks", {how});
        EXPECT_NE(ran.status, 0) << how;
        EXPECT_TRUE(has(ran.report, "is not the start of its allocation but byte 4 of it")) << how << ran.report;
    }
}

// NVIDIA's scans take the tile from blockIdx.x and look back, so they rely on the order in which blocks start.
TEST(Cub, IsCleanInEveryKindOfSchedule) {
    bool is_noted = false;
    for (int seed = 0; seed <= 8; ++seed) {
        const Ran ran = run_program("cub", {"10000"}, {{"VGPU_SEED", std::to_string(seed)}});
        EXPECT_EQ(ran.status, 0) << ran.err;
        EXPECT_EQ(ran.out, "copy_if right\ndevice_scan right\ndevice_select right\ninclusive_scan right\nsort right\n")
            << "seed " << seed;
        EXPECT_EQ(ran.report.find("\"is_note\":false"), std::string::npos) << "seed " << seed << ": " << ran.report;
        is_noted |= ran.report.find("\"kind\":\"block_order\"") != std::string::npos;
    }
    EXPECT_TRUE(is_noted);
}

}  // namespace
}  // namespace vgpu::test
