// What-if rules that a session follows: launches with other numbers.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "virtual_gpu/session/local_session.h"

namespace vgpu {
namespace {

// Each thread adds one to the word of its number, and the first of a block adds its block's size to word 1000.
constexpr const char* kCounts = R"(
.version 8.0
.target sm_75
.address_size 64
.visible .entry _Z6countsPj(.param .u64 p) {
    .reg .b32 %r<6>;
    .reg .b64 %rd<6>;
    .reg .pred %p<2>;
    ld.param.u64 %rd1, [p];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %ctaid.x;
    mad.lo.u32 %r4, %r3, %r2, %r1;
    mul.wide.u32 %rd2, %r4, 4;
    add.s64 %rd3, %rd1, %rd2;
    red.global.add.u32 [%rd3], 1;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra $end;
    red.global.add.u32 [%rd1+4000], %r2;
$end:
    ret;
})";

struct Counted {
    Status status{};
    unsigned threads = 0, sizes = 0;
};

Counted count(const std::string& rules, Index3 grid, Index3 block) {
    Options options;
    options.what_if = rules;
    std::string why;
    const auto session = LocalSession::make(options, why);
    if (!session) throw std::runtime_error(why);
    ModuleId module = -1;
    DevicePtr p = 0;
    constexpr std::size_t kBytes = 4100;
    session->load({{kCounts}, 75}, module);
    session->allocate(kBytes, false, 0, "", p);
    session->fill({"cudaMemset", p, kBytes, kBytes, 1, 0, 0, ""});
    Launch launch;
    launch.kernel = "_Z6countsPj";
    launch.module = module;
    launch.grid = grid;
    launch.block = block;
    launch.params.resize(8);
    std::memcpy(launch.params.data(), &p, 8);
    Counted counted{session->launch(launch, ""), 0, 0};
    std::vector<unsigned> words(kBytes / 4);
    CopyCall call;
    call.name = "cudaMemcpy";
    call.from = p;
    call.from_pitch = call.to_pitch = call.width = kBytes;
    call.height = 1;
    call.way = Way::device_to_host;
    session->copy(call, words.data(), nullptr);
    for (std::size_t n = 0; n < 1000; ++n) counted.threads += words[n];
    counted.sizes = words[1000];
    return counted;
}

TEST(WhatIfLaunch, HasOtherNumbers) {
    struct Case {
        const char* rules;
        unsigned threads, sizes;
    };
    for (const auto& [rules, threads, sizes] :
         {Case{"", 64, 64}, Case{"launch counts grid*3", 192, 192}, Case{"launch counts grid=1", 32, 32},
          Case{"launch counts block=64", 128, 128}, Case{"launch counts block*2 grid*2", 256, 256},
          Case{"launch counts swap", 64, 64}, Case{"launch other grid=9", 64, 64},
          Case{"rewind; launch _Z6countsPj grid=2x2", 128, 128}, Case{"launch counts shared=1024", 64, 64}}) {
        const Counted counted = count(rules, {2, 1, 1}, {32, 1, 1});
        EXPECT_EQ(counted.status, Status::ok) << rules;
        EXPECT_EQ(counted.threads, threads) << rules;
        EXPECT_EQ(counted.sizes, sizes) << rules;
    }
    EXPECT_EQ(count("launch counts block=2048", {2, 1, 1}, {32, 1, 1}).status, Status::invalid_configuration);
    EXPECT_EQ(count("", {2, 1, 1}, {2048, 1, 1}).status, Status::invalid_configuration);
    EXPECT_EQ(count("launch counts swap", {2, 1, 1}, {500, 1, 1}).threads, 1000u);
}

TEST(WhatIfLaunch, OfNoSuchRuleIsRefused) {
    for (const char* wrong :
         {"launch", "launch counts", "launch counts grid", "launch counts grid=0", "launch counts grid=1x",
          "launch counts grid=1x2x3x4", "launch counts shared=1x2", "launch counts blocks=3", "launch counts grid+1"}) {
        Options options;
        options.what_if = wrong;
        std::string why;
        EXPECT_EQ(LocalSession::make(options, why), nullptr) << wrong;
    }
}

}  // namespace
}  // namespace vgpu
