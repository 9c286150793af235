// What a report says of a call's time: streams share the device, and no call is faster than the least time of its work.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "virtual_gpu/session/local_session.h"

namespace vgpu {
namespace {

// One block copies n words.
constexpr const char* kPtx = R"(
.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 p, .param .u64 q, .param .u32 n) {
    .reg .b32 %r<6>;
    .reg .b64 %rd<6>;
    .reg .pred %p<2>;
    ld.param.u64 %rd1, [p];
    ld.param.u64 %rd2, [q];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
$next:
    setp.ge.u32 %p1, %r2, %r1;
    @%p1 bra $end;
    mul.wide.u32 %rd3, %r2, 4;
    add.s64 %rd4, %rd1, %rd3;
    add.s64 %rd5, %rd2, %rd3;
    ld.global.u32 %r3, [%rd4];
    st.global.u32 [%rd5], %r3;
    add.u32 %r2, %r2, 1024;
    bra $next;
$end:
    ret;
})";

struct Call : testing::Test {
    static constexpr std::size_t kWords = 1 << 18, kStreams = 8, kBytes = kWords * 4;
    std::unique_ptr<LocalSession> session;
    ModuleId module = -1;
    DevicePtr p = 0, q = 0;
    std::vector<StreamId> streams;

    Call() {
        Options options;
        options.check_memory = false;
        std::string why;
        session = LocalSession::make(options, why);
        session->load({{kPtx}, 75}, module);
        session->allocate(kBytes, false, 0, "", p);
        session->allocate(kBytes, false, 0, "", q);
        session->fill({"cudaMemset", p, kBytes, kBytes, 1, 0, 0, ""});
        for (std::size_t n = 0; n < kStreams; ++n) streams.push_back(session->make_stream(true));
        session->take_report(false);
    }
    void launch(StreamId stream, std::size_t first, std::size_t words) {
        Launch launch;
        launch.kernel = "k";
        launch.module = module;
        launch.grid = {1, 1, 1};
        launch.block = {1024, 1, 1};
        launch.stream = stream;
        launch.params.resize(20);
        const DevicePtr from = p + first * 4, to = q + first * 4;
        const auto n = static_cast<std::uint32_t>(words);
        std::memcpy(&launch.params[0], &from, 8);
        std::memcpy(&launch.params[8], &to, 8);
        std::memcpy(&launch.params[16], &n, 4);
        ASSERT_EQ(session->launch(launch, ""), Status::ok);
    }
    double bandwidth() const { return session->profile().dram_bandwidth; }
};

TEST_F(Call, StreamsTogetherHaveOneBandwidth) {
    for (std::size_t n = 0; n < kStreams; ++n) launch(streams[n], n * kWords / kStreams, kWords / kStreams);
    const Report report = session->take_report(false);
    EXPECT_GE(report.seconds, 2 * kBytes / bandwidth());
    EXPECT_DOUBLE_EQ(report.least_seconds, 2 * kBytes / bandwidth());
    EXPECT_EQ(report.least_by, "dram");
    EXPECT_LT(report.seconds, 8 * kBytes / bandwidth());  // and they do overlap: one block alone is much slower
    launch(0, 0, kWords);
    EXPECT_GT(session->take_report(false).seconds, 2 * report.seconds);
}

TEST_F(Call, WhatIsTouchedAgainCountsOnce) {
    for (int round = 0; round < 3; ++round) launch(0, 0, kWords / 4);
    EXPECT_DOUBLE_EQ(session->take_report(false).least_seconds, kBytes / 2 / bandwidth());
    launch(0, 0, kWords / 4);  // another call: L2 has nothing of the first
    EXPECT_DOUBLE_EQ(session->take_report(false).least_seconds, kBytes / 2 / bandwidth());
    EXPECT_EQ(session->take_report(false).least_seconds, 0);
}

TEST_F(Call, CopiesAndFillsMoveTheirBytes) {
    for (const StreamId stream : streams)
        session->copy(
            {"cudaMemcpyAsync", Way::device_to_device, q, p, kBytes, kBytes, kBytes, 1, stream, true, false, ""},
            nullptr, nullptr);
    Report report = session->take_report(false);
    EXPECT_DOUBLE_EQ(report.least_seconds, 2 * kBytes / bandwidth());
    EXPECT_GE(report.seconds, kStreams * 2 * kBytes / bandwidth());
    for (const StreamId stream : streams) session->fill({"cudaMemsetAsync", q, kBytes, kBytes, 1, 0, stream, ""});
    report = session->take_report(false);
    EXPECT_DOUBLE_EQ(report.least_seconds, kBytes / bandwidth());
    EXPECT_GE(report.seconds, kStreams * kBytes / bandwidth());
}

TEST_F(Call, CopiesOfSeveralStreamsShareTheWayToTheHost) {
    std::vector<std::byte> host(kBytes);
    for (const StreamId stream : streams)
        session->copy({"cudaMemcpyAsync", Way::device_to_host, 0, p, kBytes, kBytes, kBytes, 1, stream, true, true, ""},
                      host.data(), nullptr);
    const Report report = session->take_report(false);
    const double least = kStreams * kBytes / session->profile().copy_pinned;
    EXPECT_EQ(report.least_by, "to_host");
    EXPECT_DOUBLE_EQ(report.least_seconds, least);
    EXPECT_GE(report.seconds, least);
    EXPECT_LT(report.seconds, 1.1 * least);
}

TEST_F(Call, WhatIsDoneWhileTheClockIsHeldTakesNoTime) {
    const auto seconds = [&](bool holds) {
        launch(0, 0, kWords);
        if (holds) session->hold_clock(true);
        session->begin(1.0, true);
        DevicePtr made = 0;
        session->allocate(kBytes, false, 0, "", made);
        session->release(made, "cudaFree", false, 0, "");
        if (holds) session->hold_clock(false);
        session->wait({Wait::For::device, 0, false});
        const Report report = session->take_report(false);
        EXPECT_EQ(report.host_seconds > 0, !holds);
        return report.seconds;
    };
    const double held = seconds(true);
    EXPECT_GE(held, 2 * kBytes / bandwidth());
    EXPECT_GT(seconds(false), held + 0.9);
}

TEST_F(Call, WaitingForTheDeviceTakesTheLeastTime) {
    session->wait({Wait::For::device, 0, false});
    const EventId before = session->make_event(), after = session->make_event();
    session->take_report(false);
    session->record(before, 0);
    for (std::size_t n = 0; n < kStreams; ++n) launch(streams[n], n * kWords / kStreams, kWords / kStreams);
    session->wait({Wait::For::device, 0, false});
    session->record(after, 0);
    double seconds = 0;
    session->elapsed(before, after, seconds);
    const Report report = session->take_report(false);
    EXPECT_GE(seconds, report.least_seconds);
    EXPECT_GE(report.seconds, seconds);
}

}  // namespace
}  // namespace vgpu
