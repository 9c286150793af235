// Kernels that launch kernels: dynamic.cu in several orders.
#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "exec_harness.h"
#include "virtual_gpu/exec/launch/grids.h"

namespace vgpu {
namespace {

constexpr int kCount = 64;
const Shape kOneThread{.block = {1, 1, 1}};

struct Dynamic {
    explicit Dynamic(std::uint64_t seed = 0) : gpu(seed) {
        gpu.options.max_stall_steps = 1 << 16;
        gpu.executor.configure(gpu.options);
        gpu.load("dynamic");
        std::vector<int> values(4096);
        std::iota(values.begin(), values.end(), 0);
        data = gpu.array(values, "d_data");
    }
    template <class... A>
    LaunchResult run(const std::string& kernel, const Shape& shape, A... arguments) {
        return gpu.run(kernel, shape, data, arguments...);
    }
    std::vector<int> values(std::size_t count = kCount) const { return gpu.values<int>(data, count); }

    Gpu gpu;
    DevicePtr data = 0;
};

struct RightDynamic : testing::TestWithParam<std::tuple<const char*, unsigned, int>> {};
TEST_P(RightDynamic, AreSilentAndRight) {
    const auto& [kernel, threads, added] = GetParam();
    for (const std::uint64_t seed : kSeeds) {
        Dynamic dynamic(seed);
        const LaunchResult r = dynamic.run(kernel, {.block = {threads, 1, 1}}, kCount);
        EXPECT_EQ(r.status, Status::ok) << r.message;
        EXPECT_EQ(findings(r), "") << "seed " << seed;
        for (int i = 1; i < kCount; ++i) ASSERT_EQ(dynamic.values()[static_cast<std::size_t>(i)], i + added) << i;
    }
}
INSTANTIATE_TEST_SUITE_P(Kernels, RightDynamic,
                         testing::Values(std::tuple("right_sees_what_was_before", 64u, 1),
                                         std::tuple("right_one_stream", 1u, 3), std::tuple("right_null_stream", 1u, 3),
                                         std::tuple("right_streams_apart", 1u, 1), std::tuple("right_tail", 1u, 1),
                                         std::tuple("right_tail_of_nested", 1u, 2),
                                         std::tuple("right_stream_behind_nested", 1u, 2),
                                         std::tuple("right_event", 1u, 1), std::tuple("right_copies", 1u, 1),
                                         std::tuple("right_atomics", 64u, 1)),
                         [](const auto& info) { return std::string(std::get<0>(info.param)); });

TEST(Dynamic, TailLaunchesComeLast) {
    for (const std::uint64_t seed : kSeeds) {
        Dynamic dynamic(seed);
        dynamic.run("right_tail", kOneThread, kCount);
        const std::vector<int> values = dynamic.values(kCount + 2);
        EXPECT_EQ(values[kCount], kCount * (kCount - 1) / 2 + kCount) << "the sum, after 1 was added to each";
        EXPECT_EQ(values[0], 1000) << "the second tail launch";
        Dynamic nested(seed);
        nested.run("right_tail_of_nested", kOneThread, kCount);
        EXPECT_EQ(nested.values(kCount + 1)[kCount], kCount * (kCount - 1) / 2 + 2 * kCount);
    }
}

TEST(Dynamic, CopiesStandInStreams) {
    for (const std::uint64_t seed : kSeeds) {
        Dynamic dynamic(seed);
        dynamic.run("right_copies", kOneThread, kCount);
        const std::vector<int> values = dynamic.values(4 * kCount);
        EXPECT_EQ(values[kCount + 5], 6);
        EXPECT_EQ(values[2 * kCount + 1], 0x01010101);
        EXPECT_EQ(values[2 * kCount + 2], (2 * kCount + 2) / 0x10000 * 0x10000 + 0x0101);
        EXPECT_EQ(values[3 * kCount], kCount * (kCount - 1) / 2 + kCount);
    }
    Dynamic dynamic;
    const LaunchResult r = dynamic.run("copies_past_the_end", kOneThread, 3000);
    EXPECT_EQ(r.status, Status::illegal_address);
    const Finding* f = find(r, Kind::out_of_bounds);
    ASSERT_NE(f, nullptr);
    EXPECT_EQ(f->place.line, line_of("dynamic", "copies_past_the_end"));
    EXPECT_NE(f->what.find("reads 12000 bytes of d_data from byte 12000 on, which has 16384 bytes"), std::string::npos)
        << f->what;
}

TEST(DynamicArguments, OnlyUndefinedOnesAreFound) {
    Dynamic dynamic;
    const LaunchResult r = dynamic.run("undefined_argument", kOneThread, kCount);
    EXPECT_EQ(r.status, Status::ok) << r.message;
    int found = 0;
    for (const Finding& f : r.findings) {
        if (f.kind != Kind::uninitialized) continue;
        ++found;
        EXPECT_EQ(f.place.line, line_of("dynamic", "undefined_argument")) << f.what;
        EXPECT_NE(f.what.find("the value of s[1] in shared memory"), std::string::npos) << f.what;
        EXPECT_NE(f.what.find("is an argument of the kernel launched"), std::string::npos) << f.what;
    }
    EXPECT_EQ(found, 1) << findings(r);
}

struct WrongOrder {
    const char* kernel;
    const char *first, *second;  // the marks of the two lines
    const char* help;
    unsigned threads = 1, blocks = 1;
};
void PrintTo(const WrongOrder& w, std::ostream* out) { *out << w.kernel; }

struct WrongDynamic : testing::TestWithParam<WrongOrder> {};
TEST_P(WrongDynamic, RacesAreFoundInEveryOrder) {
    const WrongOrder& w = GetParam();
    for (const std::uint64_t seed : kSeeds) {
        Dynamic dynamic(seed);
        const LaunchResult r = dynamic.run(w.kernel, {.grid = {w.blocks, 1, 1}, .block = {w.threads, 1, 1}}, kCount);
        EXPECT_EQ(r.status, Status::ok) << r.message;
        int found = 0;
        for (const Finding& f : r.findings) {
            ASSERT_EQ(f.kind, Kind::race) << f.what;
            EXPECT_EQ(f.array, "d_data");
            EXPECT_NE(f.help.find(w.help), std::string::npos) << f.help;
            EXPECT_NE(f.what.find(" of the kernel "), std::string::npos) << f.what;
            found += std::minmax(f.place.line, f.other_place.line) ==
                     std::minmax(line_of("dynamic", w.first), line_of("dynamic", w.second));
        }
        EXPECT_EQ(found, 1) << "seed " << seed << ": " << findings(r);
    }
}
INSTANTIATE_TEST_SUITE_P(
    Kernels, WrongDynamic,
    testing::Values(WrongOrder{"writes_after_launch", "writes_after_launch", "add_one", "before its launch"},
                    WrongOrder{"reads_result", "reads_result", "put", "cudaStreamTailLaunch"},
                    WrongOrder{"no_barrier_before_launch", "no_barrier_before_launch", "add_one", "__syncthreads()",
                               64},
                    WrongOrder{"two_streams", "add_one", "add_one", "one stream"},
                    WrongOrder{"fire_and_forget_twice", "add_one", "add_one", "one stream"},
                    WrongOrder{"null_streams_of_two_blocks", "add_one", "add_one", "one stream", 1, 2},
                    WrongOrder{"nephew", "sum_up", "add_one", "one stream"},
                    WrongOrder{"copies_in_two_streams", "copy", "add_one", "one stream"}),
    [](const auto& info) { return std::string(info.param.kernel); });

TEST(Dynamic, RacesAreNamedInFull) {
    Dynamic dynamic;
    const LaunchResult r = dynamic.run("writes_after_launch", kOneThread, kCount);
    const Finding* f = find(r, Kind::race);
    ASSERT_NE(f, nullptr);
    EXPECT_EQ(f->what, "thread 0 of block 0 of the kernel writes_after_launch wrote d_data at index 3 at dynamic.cu:" +
                           std::to_string(line_of("dynamic", "writes_after_launch")) +
                           " and thread 3 of block 0 of the kernel add_one read it at dynamic.cu:" +
                           std::to_string(line_of("dynamic", "add_one")) +
                           ": a kernel and one that it launched, nothing orders them");
    EXPECT_EQ(f->kernel, "add_one(int*, int)");
    EXPECT_EQ(f->place.line, line_of("dynamic", "writes_after_launch"));
    EXPECT_EQ(f->access, "write");
}

TEST(Dynamic, PendingLaunchesAreLimited) {
    for (const auto& [limit, launches, failed] : {std::tuple(2048u, 2048, 0), {2048u, 2050, 2}, {16u, 20, 4}}) {
        Dynamic dynamic;
        const LaunchResult r = dynamic.run("many", {.block = {1, 1, 1}, .pending_limit = limit}, launches);
        EXPECT_EQ(r.status, Status::ok);
        EXPECT_EQ(findings(r), "");
        const std::vector<int> values = dynamic.values(4096);
        EXPECT_EQ(values[0], failed);
        for (int k = 0; k < launches; ++k)
            ASSERT_EQ(values[static_cast<std::size_t>(k) + 2], k + 2 + (k < launches - failed)) << k;
    }
}

TEST(Dynamic, NestingIsLimited) {
    Dynamic dynamic;
    const LaunchResult r = dynamic.run("deeper", kOneThread, 0);
    EXPECT_EQ(findings(r), "");
    const std::vector<int> values = dynamic.values(128);
    EXPECT_EQ(values[100], 65) << "cudaErrorLaunchMaxDepthExceeded";
    EXPECT_EQ(values[101], 24) << "where the launch failed; the host's grid is 0";
}

TEST(Dynamic, LaunchesDeeperThanMeantAreFound) {
    for (const auto& [allowed, found] : {std::pair(24, 0u), {23, 1u}, {3, 21u}, {0, 24u}}) {
        Dynamic dynamic;
        dynamic.gpu.options.launch_depth = allowed;
        dynamic.gpu.executor.configure(dynamic.gpu.options);
        const LaunchResult r = dynamic.run("deeper", kOneThread, 0);
        EXPECT_EQ(dynamic.values(128)[101], 24) << "they are launched all the same";
        const Finding* f = find(r, Kind::deep_launch);
        ASSERT_EQ(f != nullptr, found != 0) << findings(r);
        if (!f) continue;
        EXPECT_EQ(f->count, found);
        EXPECT_EQ(f->place.line, line_of("dynamic", "deeper"));
        EXPECT_EQ(f->what, "thread 0 of block 0, in a kernel of depth " + std::to_string(allowed) +
                               ", launched deeper, and none may be deeper than " + std::to_string(allowed));
    }
}

TEST(Dynamic, LaunchesThatFailUnseenAreFound) {
    Dynamic dynamic;
    const LaunchResult r = dynamic.run("ignores", {.grid = {4, 1, 1}, .block = {1, 1, 1}}, 2000);
    EXPECT_EQ(r.status, Status::ok);
    const Finding* found = find(r, Kind::ignored_error);
    ASSERT_NE(found, nullptr) << findings(r);
    const Finding& f = *found;
    EXPECT_EQ(f.count, 4u);
    EXPECT_EQ(f.place.line, line_of("dynamic", "ignores"));
    EXPECT_NE(f.what.find("cudaErrorInvalidConfiguration"), std::string::npos) << f.what;
}

TEST(Dynamic, ErrorsAreCudas) {
    Dynamic dynamic;
    const LaunchResult r = dynamic.run("errors", kOneThread);
    EXPECT_EQ(findings(r), "");
    const std::vector<int> expected = {9, 9, 0, 9, 9, 701, 1, 0, 0, 400, 400, 0, 2048};
    const auto is_note = [](const Finding& f) { return f.kind == Kind::failed_call && f.is_note; };
    EXPECT_EQ(std::count_if(r.findings.begin(), r.findings.end(), is_note), 7)
        << "a line each, whatever the thread asks";
    EXPECT_EQ(dynamic.values(expected.size()), expected);
    EXPECT_EQ(r.printf_text, "cudaErrorLaunchMaxDepthExceeded: launch would exceed maximum depth of nested launches\n");
}

TEST(Dynamic, PrivateMemoryIsNotHandedOn) {
    for (const auto& [kernel, memory] : {std::pair("gives_shared", "shared"), std::pair("gives_local", "local")}) {
        Dynamic dynamic;
        const LaunchResult r = dynamic.run(kernel, kOneThread, 2);
        EXPECT_EQ(r.status, Status::launch_failure);
        const Finding* f = find(r, Kind::invalid_access);
        ASSERT_NE(f, nullptr) << findings(r);
        EXPECT_EQ(f->place.line, line_of("dynamic", kernel));
        EXPECT_NE(f->what.find(std::string("launched takes with a pointer to its ") + memory), std::string::npos)
            << f->what;
    }
}

TEST(Dynamic, WhatIsNotImplementedIsNamed) {
    Dynamic dynamic;
    const LaunchResult r = dynamic.run("not_implemented", kOneThread);
    EXPECT_EQ(r.status, Status::not_supported);
    EXPECT_NE(
        r.message.find("a call of cudaMalloc() in a kernel is not supported by the virtual GPU: used at dynamic.cu:" +
                       std::to_string(line_of("dynamic", "not_implemented"))),
        std::string::npos)
        << r.message;
}

TEST(Dynamic, FaultsAreThoseOfTheLaunchedKernel) {
    Dynamic dynamic;
    const LaunchResult r = dynamic.run("launches_fault", kOneThread, 4096);
    EXPECT_EQ(r.status, Status::illegal_address);
    const Finding* f = find(r, Kind::out_of_bounds);
    ASSERT_NE(f, nullptr);
    EXPECT_EQ(f->kernel, "past_the_end(int*, int)");
    EXPECT_EQ(f->place.line, line_of("dynamic", "past_the_end"));
    EXPECT_EQ(f->count, 2u);
}

TEST(Dynamic, WaitingForEverIsFound) {
    Dynamic child, parent;
    child.gpu.memory.fill(child.data, 0, 4, 1);
    parent.gpu.memory.fill(parent.data, 0, 4, 1);
    const LaunchResult of_child = child.run("launches_waiting", kOneThread),
                       of_parent = parent.run("waits_for_child", kOneThread);
    for (const auto& [r, mark] : {std::pair(&of_child, "waits"), std::pair(&of_parent, "waits_for_child")}) {
        const Finding* f = find(*r, Kind::deadlock);
        ASSERT_NE(f, nullptr) << r->message;
        EXPECT_EQ(f->place.line, line_of("dynamic", mark)) << f->what;
    }
}

// Counters are the kernel's own; those of each launched grid go to the observer.
TEST(Dynamic, GridsAreObserved) {
    struct Observer final : GridObserver {
        void ran(const Grid& grid, const LaunchResult& result) override {
            names.push_back(grid.kernel->name);
            depths.push_back(grid.depth);
            blocks.push_back(result.blocks.size());
        }
        void counted(const Function& kernel, bool by_kernel, const Counters& total,
                     const std::vector<LineCounters>& lines) override {
            instructions[kernel.name] += total.instructions;
            for (const LineCounters& line : lines)
                if (line.place.line == line_of("dynamic", "add_one")) stores += line.counters.global_stores;
            EXPECT_EQ(by_kernel, kernel.name != "right_stream_behind_nested");
        }
        std::vector<std::string> names;
        std::vector<int> depths;
        std::vector<std::size_t> blocks;
        std::map<std::string, std::uint64_t> instructions;
        std::uint64_t stores = 0;
    } observer;
    Dynamic dynamic;
    Launch launch;
    launch.kernel = "right_stream_behind_nested";
    launch.grid = launch.block = {1, 1, 1};
    launch.params.resize(12);
    std::memcpy(launch.params.data(), &dynamic.data, 8);
    std::memcpy(launch.params.data() + 8, &kCount, 4);
    LaunchResult result;
    dynamic.gpu.executor.launch(launch, result, &observer);
    EXPECT_EQ(observer.names, (std::vector<std::string>{"right_stream_behind_nested", "_Z6nestedPii", "_Z7add_onePii",
                                                        "_Z7add_onePii", "_Z6sum_upPKiiPi"}));
    EXPECT_EQ(observer.depths, (std::vector<int>{0, 1, 2, 2, 1}));
    EXPECT_EQ(observer.blocks, (std::vector<std::size_t>{1, 1, 2, 2, 1}));
    EXPECT_EQ(observer.stores, 4u) << "two grids of two warps";
    EXPECT_EQ(observer.instructions.size(), 4u);
    EXPECT_EQ(observer.instructions["right_stream_behind_nested"], result.total.instructions);
    for (const LineCounters& line : result.lines) EXPECT_NE(line.place.line, line_of("dynamic", "add_one"));
}

}  // namespace
}  // namespace vgpu
