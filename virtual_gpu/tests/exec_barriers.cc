// Which threads may miss a barrier: each kernel of barriers.cu in several orders.
#include <gtest/gtest.h>

#include "exec_harness.h"

namespace vgpu {
namespace {

struct Case {
    const char* kernel;
    int n = 0;  // a second parameter, where the kernel has one
};

struct Barriers : testing::TestWithParam<Case> {
    LaunchResult run(std::uint64_t seed) {
        Gpu gpu(seed);
        gpu.load("barriers");
        const DevicePtr data = gpu.array(std::vector<int>(256, 1));
        return gpu.run(GetParam().kernel, {.block = {100, 1, 1}}, data, GetParam().n);
    }
};
std::string name_of_case(const testing::TestParamInfo<Case>& info) { return info.param.kernel; }

struct Wrong : Barriers {};
TEST_P(Wrong, IsFound) {
    for (std::uint64_t seed : {0, 1, 2, 3, 77}) {
        const LaunchResult r = run(seed);
        int found = 0;
        for (const Finding& f : r.findings) {
            if (f.kind != Kind::divergent_barrier) continue;
            ++found;
            EXPECT_FALSE(f.is_note);
            EXPECT_EQ(f.place.line, line_of("barriers", GetParam().kernel)) << f.what;
            EXPECT_GT(f.other_place.line, 0) << f.what;
            EXPECT_NE(f.thread, f.other_thread) << f.what;
            EXPECT_NE(f.what.find("went past it"), std::string::npos) << f.what;
        }
        EXPECT_GE(found, 1) << "seed " << seed << "\n" << findings(r) << r.message;
    }
}
INSTANTIATE_TEST_SUITE_P(Kernels, Wrong,
                         testing::Values(Case{"wrong_branch_in_a_loop"}, Case{"wrong_branch_in_a_last_loop"},
                                         Case{"wrong_if"}, Case{"wrong_continue"}, Case{"wrong_uneven_rounds", 250},
                                         Case{"wrong_other_round"}, Case{"wrong_branch_round_a_call"}),
                         name_of_case);

struct Right : Barriers {};
TEST_P(Right, IsSilent) {
    for (std::uint64_t seed : {0, 1, 2, 3, 77}) {
        const LaunchResult r = run(seed);
        EXPECT_EQ(r.status, Status::ok) << r.message;
        for (const Finding& f : r.findings)
            EXPECT_TRUE(f.kind == Kind::early_exit) << "seed " << seed << ": " << f.what;
    }
}
INSTANTIATE_TEST_SUITE_P(Kernels, Right,
                         testing::Values(Case{"right_return_in_a_loop"}, Case{"right_store_and_return"},
                                         Case{"right_guard_round_all", 70}, Case{"right_uniform", 20},
                                         Case{"right_uniform", 4}, Case{"right_work_in_a_branch"}, Case{"right_call"}),
                         [](const auto& info) { return name_of_case(info) + std::to_string(info.param.n); });

}  // namespace
}  // namespace vgpu
