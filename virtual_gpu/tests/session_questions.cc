// A server answers whatever a program sends it, and stays whole.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <string>

#include "session_fuzz.h"

namespace vgpu::fuzz {
namespace {

using wire::Op;
using wire::pack;

Answered ask_in(CallState state, const Sent& sent) {
    const auto served = serve();
    enter(*served->session, served->guest, state, 0);
    return ask(*served, sent);
}

TEST(SessionQuestions, WhatIsBeyondAnEnumIsNone) {
    const auto served = serve();
    ASSERT_TRUE(served);
    enter(*served->session, served->guest, CallState::running, 0);
    const DevicePtr at = served->array;
    const auto copy = [&](int way) {
        return ask(*served, {Op::copy, pack(CopyCall{"cudaMemcpy", static_cast<Way>(way), at, at + 2048, 64, 64, 32, 4,
                                                     0, false, false, ""})})
            .served;
    };
    const auto wait = [&](int what) {
        return ask(*served, {Op::wait, pack(Wait{static_cast<Wait::For>(what), 0, true})}).served;
    };
    EXPECT_EQ(copy(3), Served::answered);
    EXPECT_EQ(wait(1), Served::answered);
    for (const int beyond : {4, 77, 255}) {
        EXPECT_EQ(copy(beyond), Served::refused);
        EXPECT_EQ(wait(beyond), Served::refused);
    }
}

TEST(SessionQuestions, AreAnsweredInACall) {
    const auto served = serve();
    ASSERT_TRUE(served);
    enter(*served->session, served->guest, CallState::running, 0);
    for (const Sent& sent : questions(served->array))
        EXPECT_EQ(ask(*served, sent).served, Served::answered) << static_cast<int>(sent.op);
}

TEST(SessionQuestions, WorkOutsideOfACallIsRefusedByItsName) {
    const struct {
        Op op;
        const char* name;
    } kWork[] = {{Op::allocate, "cudaMallocAsync"},
                 {Op::release, "cudaFree"},
                 {Op::release_all, "cudaDeviceReset"},
                 {Op::copy, "cudaMemcpy"},
                 {Op::fill, "cudaMemset"},
                 {Op::launch, "a kernel launch"},
                 {Op::host_function, "cudaLaunchHostFunc"}};
    for (const CallState state : kStates) {
        for (const Sent& sent : questions(4096)) {
            for (const auto& [op, name] : kWork) {
                if (sent.op != op || state == CallState::running) continue;
                const Answered got = ask_in(state, sent);
                EXPECT_EQ(got.served, Served::refused);
                EXPECT_EQ(got.status, Status::lost);
                const std::string wanted = op == Op::release || op == Op::fill ? "cudaMemcpy" : name;  // as questions()
                EXPECT_EQ(got.text, wanted + " " + outside(state));
            }
        }
    }
    EXPECT_EQ(
        outside(CallState::preparing),
        "outside of a call: while the next one is prepared; threads that a task starts must end before it returns");
}

TEST(SessionQuestions, NothingIsAnsweredBetweenCallsButWhatIsHarmless) {
    for (const Sent& sent : questions(4096)) {
        const bool is_harmless =
            sent.op == Op::hello || sent.op == Op::failed || sent.op == Op::host_access || sent.op == Op::stopped;
        for (const CallState state : {CallState::idle, CallState::preparing})
            EXPECT_EQ(ask_in(state, sent).served, is_harmless ? Served::answered : Served::refused);
    }
}

TEST(SessionQuestions, NothingRunsAfterAFailureUntilItIsForgiven) {
    const auto served = serve();
    ASSERT_TRUE(served);
    enter(*served->session, served->guest, CallState::running, 0);
    Launch launch;
    launch.kernel = "k", launch.grid = {1, 1, 1}, launch.block = {1, 1, 1};
    launch.params.resize(8);  // a null pointer
    const Sent bad{Op::launch, pack(launch, std::string())};
    EXPECT_EQ(ask(*served, bad).status, Status::illegal_address);
    for (const Sent& sent : questions(served->array))
        if (sent.op == Op::launch || sent.op == Op::copy || sent.op == Op::fill || sent.op == Op::allocate) {
            EXPECT_EQ(ask(*served, sent).status, Status::illegal_address) << static_cast<int>(sent.op);
        }
    served->session->reset();
    EXPECT_EQ(ask(*served, questions(served->array)[0]).status, Status::ok);
}

TEST(SessionQuestions, ACallEndsWithAllItsWork) {
    const auto served = serve();
    ASSERT_TRUE(served);
    served->session->take_report(false);
    enter(*served->session, served->guest, CallState::running, 0);
    for (int stream = 1; stream <= 8; ++stream) {
        ask(*served, {Op::make_stream, pack(false)});
        ask(*served, {Op::fill, pack(FillCall{"cudaMemsetAsync", served->array, 4096, 4096, 1, 7, stream, ""})});
    }
    // cudaDeviceReset waits for the device, as the end of the call does: neither lets the host's clock stay behind.
    ask(*served, {Op::release_all, ""});
    enter(*served->session, served->guest, CallState::collecting, 0);
    served->session->returned();
    const double seconds = served->session->take_report(false).seconds;
    const DeviceProperties& profile = served->session->profile();
    EXPECT_GE(seconds, profile.launch + 1e-6);
}

TEST(SessionQuestions, NoQuestionHarmsTheServer) { EXPECT_EQ(run(6000, 1), ""); }

TEST(HostTime, IsThatOfTheOtherProcess) {
    int go[2], done[2];
    ASSERT_EQ(pipe(go) + pipe(done), 0);
    const int child = fork();
    if (child == 0) {
        char byte = 0;
        close(go[1]);
        while (read(go[0], &byte, 1) == 1) {
            const auto end = std::clock() + CLOCKS_PER_SEC / 20;
            while (byte == 'w' && std::clock() < end) continue;
            if (write(done[1], &byte, 1) != 1) break;
        }
        _exit(0);
    }
    HostTime time;
    EXPECT_FALSE(time.watch("nobody"));
    ASSERT_TRUE(time.watch("pid:" + std::to_string(child)));
    const auto let = [&](char what) {
        char byte = what;
        return write(go[1], &byte, 1) == 1 && read(done[0], &byte, 1) == 1;
    };
    time.begin(0);
    ASSERT_TRUE(let('w'));
    EXPECT_GE(time.take(), 0.045);
    ASSERT_TRUE(let('-'));
    EXPECT_LE(time.take(), 0.02);
    time.begin(100'000'000);  // bytes whose copies may take longer than that
    ASSERT_TRUE(let('w'));
    EXPECT_EQ(time.take(), 0);
    close(go[1]);
    waitpid(child, nullptr, 0);
    EXPECT_EQ(time.take(), 0);
    ASSERT_TRUE(time.watch(""));
    time.begin(0);
    EXPECT_EQ(time.take(), 0);
}

}  // namespace
}  // namespace vgpu::fuzz
