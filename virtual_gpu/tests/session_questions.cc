// A server answers whatever a program sends it, and stays whole: questions with some of their bytes replaced.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "virtual_gpu/session/server.h"
#include "virtual_gpu/session/wire.h"

namespace vgpu {
namespace {

using wire::Op;
using wire::pack;

constexpr const char* kPtx = R"(
.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 p) {
    .reg .b64 a;
    ld.param.u64 a, [p];
    st.global.u64 [a], a;
    ret;
})";

struct Sent {
    Op op;
    std::string message;
};

// One of each kind that a program may ask with arguments; they are right if `at` is an array of 4096 bytes.
std::vector<Sent> questions(DevicePtr at) {
    const std::string place, name = "cudaMemcpy";
    Launch launch;
    launch.kernel = "k", launch.grid = {2, 1, 1}, launch.block = {32, 1, 1};
    launch.shared_limits = {{"k", 1024}};
    launch.params.resize(8);
    std::memcpy(launch.params.data(), &at, 8);
    std::vector<Sent> all;
    for (const Way way : {Way::host_to_device, Way::device_to_host, Way::device_to_device}) {
        const bool to_device = way == Way::host_to_device, to_host = way == Way::device_to_host;
        all.push_back({Op::copy, pack(CopyCall{name, way, to_host ? 0 : at, to_device ? 0 : at + 2048, 64, 64, 32, 4, 0,
                                               false, false, place})});
    }
    all.push_back({Op::fill, pack(FillCall{name, at, 64, 32, 4, 7, 0, place})});
    all.push_back({Op::launch, pack(launch, place)});
    all.push_back({Op::wait, pack(Wait{Wait::For::stream, 0, true})});
    all.push_back({Op::load, pack(std::vector<std::uint64_t>{64})});
    all.push_back({Op::function, pack(ModuleId{0}, std::string("k"))});
    all.push_back({Op::symbol, pack(ModuleId{0}, std::string("g"))});
    all.push_back({Op::allocate, pack(std::size_t{100}, true, StreamId{0}, place)});
    all.push_back({Op::release, pack(at, name, false, StreamId{0}, place)});
    all.push_back({Op::find, pack(at)});
    all.push_back({Op::poison, pack(at, std::size_t{64})});
    all.push_back({Op::label, pack(at, name)});
    all.push_back({Op::record, pack(EventId{0}, StreamId{0})});
    all.push_back({Op::wait_event, pack(StreamId{0}, EventId{0})});
    all.push_back({Op::elapsed, pack(EventId{0}, EventId{0})});
    all.push_back({Op::destroy_stream, pack(StreamId{1})});
    all.push_back({Op::spend, pack(1e-6)});
    all.push_back({Op::add_finding, pack(Kind::unsupported, name, name, place)});
    all.push_back({Op::host_access, pack(at, name, place)});
    return all;
}

// The program's end: sends the question and data for a copy, and takes all answers.
void ask(int socket, const Sent& sent) {
    wire::Question head;
    head.bytes = static_cast<std::uint32_t>(sent.message.size());
    head.op = sent.op;
    const std::string data(4096, 'x');
    wire::send_all(socket, &head, sizeof head);
    wire::send_all(socket, sent.message.data(), sent.message.size());
    wire::send_all(socket, data.data(), data.size());
    shutdown(socket, SHUT_WR);
    std::string answer(1 << 16, ' ');
    while (recv(socket, answer.data(), answer.size(), 0) > 0) continue;
    close(socket);
}

// Whether the server takes it for a question.
bool is_answered(LocalSession& session, const Sent& sent) {
    const ProgramFile program;
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return false;
    std::thread program_end(ask, ends[0], sent);
    const bool answered = serve_one(session, program, ends[1]);
    close(ends[1]);
    program_end.join();
    return answered;
}

TEST(SessionQuestions, WhatIsBeyondAnEnumIsNone) {
    std::string why;
    const auto session = LocalSession::make({}, why);
    ASSERT_TRUE(session) << why;
    DevicePtr at = 0;
    session->allocate(4096, false, 0, "", at);
    const auto copy = [&](int way) {
        return Sent{Op::copy, pack(CopyCall{"cudaMemcpy", static_cast<Way>(way), at, at + 2048, 64, 64, 32, 4, 0, false,
                                            false, ""})};
    };
    const auto wait = [&](int what) { return Sent{Op::wait, pack(Wait{static_cast<Wait::For>(what), 0, true})}; };
    EXPECT_TRUE(is_answered(*session, copy(3)));
    EXPECT_TRUE(is_answered(*session, wait(1)));
    for (const int beyond : {4, 77, 255}) {
        EXPECT_FALSE(is_answered(*session, copy(beyond)));
        EXPECT_FALSE(is_answered(*session, wait(beyond)));
    }
}

TEST(SessionQuestions, NoQuestionHarmsTheServer) {
    std::mt19937_64 random(1);
    const auto below = [&](std::uint64_t n) { return random() % n; };
    const std::vector<std::uint64_t> odd = {0,    1,          2,          5,          77,    255,
                                            4096, 0x7fffffff, 0x80000000, 0xffffffff, ~0ull, 1ull << 63};
    Options options;
    options.memory_limit = 64 << 20;
    std::string why;
    for (int batch = 0; batch < 8; ++batch) {
        const auto session = LocalSession::make(options, why);
        ASSERT_TRUE(session) << why;
        DevicePtr at = 0;
        ModuleId id = -1;
        session->allocate(4096, false, 0, "", at);
        session->load({{kPtx}, 75, "", {}, {}}, id);
        for (int i = 0; i < 200; ++i) {
            const std::vector<Sent> all = questions(at);
            Sent sent = all[below(all.size())];
            for (auto changes = below(3); changes > 0; --changes) {
                const std::size_t size = std::size_t{1} << below(4), where = below(sent.message.size());
                const std::uint64_t value = odd[below(odd.size())];
                std::memcpy(&sent.message[where], &value, std::min(size, sent.message.size() - where));
            }
            is_answered(*session, sent);
        }
        session->take_report(true);
    }
}

}  // namespace
}  // namespace vgpu
