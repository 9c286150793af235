// One cause, one finding; and lines that are only near.
#include <gtest/gtest.h>

#include "exec_harness.h"
#include "virtual_gpu/exec/report/source_names.h"

namespace vgpu {
namespace {

struct Effects : testing::TestWithParam<std::uint64_t> {
    Gpu gpu{GetParam()};
    DevicePtr in = gpu.array(std::vector<int>(64, 30)), out = gpu.array(std::vector<int>(64, 0));
    LaunchResult run(const std::string& kernel) {
        gpu.load("effects");
        return gpu.run(kernel, {.block = {64, 1, 1}}, in, out);
    }
};

TEST_P(Effects, OfARaceDecideABranch) {
    const LaunchResult r = run("reverse_decides");
    ASSERT_EQ(r.findings.size(), 1u) << findings(r);
    EXPECT_EQ(r.findings[0].kind, Kind::race);
    EXPECT_EQ(r.findings[0].count, 64u);
}
TEST_P(Effects, OfARaceReachTheHost) {
    const LaunchResult r = run("reverse_to_host");
    ASSERT_EQ(r.findings.size(), 1u) << findings(r);
    EXPECT_EQ(r.findings[0].kind, Kind::race);
    EXPECT_FALSE(gpu.memory.take_undefined(out, 256).has_value());
}
TEST_P(Effects, OfARaceDoNotCoverOtherArrays) {
    const LaunchResult r = run("two_mistakes");
    EXPECT_NE(find(r, Kind::race), nullptr);
    ASSERT_NE(find(r, Kind::uninitialized), nullptr) << findings(r);
    EXPECT_EQ(find(r, Kind::uninitialized)->array, "t");
}
TEST_P(Effects, OfAnUndefinedIndexAreNoAccessesOutOfBounds) {
    const LaunchResult r = run("undefined_index");
    ASSERT_EQ(r.findings.size(), 1u) << findings(r);
    EXPECT_EQ(r.findings[0].kind, Kind::uninitialized);
    EXPECT_EQ(r.status, Status::illegal_address);
}
TEST_P(Effects, AHoistedLoadIsNearItsLoop) {
    gpu.load("effects");
    const DevicePtr limit = gpu.array(std::vector<int>{2}), more = gpu.array(std::vector<int>(80, 1));
    const LaunchResult r = gpu.run("hoisted", {.block = {64, 1, 1}}, limit, more, out, 9);
    const Finding* race = find(r, Kind::race);
    ASSERT_NE(race, nullptr) << findings(r);
    EXPECT_NE(race->what.find("(or near) effects.cu"), std::string::npos) << race->what;
    EXPECT_EQ(race->what.find("(or near)"), race->what.rfind("(or near)")) << "the store is where it says";
}
INSTANTIATE_TEST_SUITE_P(Seeds, Effects, testing::Values(0, 1, 2, 5, 6, 7));

bool may_access(const std::string& line) {
    return may_access_memory(
        {"__shared__ int s_low;", "__device__ int total;", "#define GET low",
         "void f(const int* in, int& ref, int n) {", "int low = 0, high = n, mid;", "float x = 1;", line},
        7);
}
TEST(Lines, ThatMayAccessMemory) {
    for (const char* line :
         {"if (in[low] < mid) {", "low = *in;", "p->next = low;", "while (s_low < high) {", "low = ref;",
          "total += low;", "low = GET;", "low = f(high);", "a.b = low;", "int sum =", "if (low < high &&",
          "while (unknown < high) {", "low = in [mid];", "return", "value_ = low;", "x = ns::y;"})
        EXPECT_TRUE(may_access(line)) << line;
}
TEST(Lines, ThatDoNot) {
    for (const char* line : {"while (low < high) {", "for (int i = 0; i < n; ++i) {", "} else {", "do {", "}",
                             "const int middle = low + (high - low) / 2;", "mid = low;  // of a[i]", "if (low == 3)",
                             "x = 2.5f + x;", "if (threadIdx.x < 32 && low > 0) {", "else", "return;", "break;"})
        EXPECT_FALSE(may_access(line)) << line;
}

}  // namespace
}  // namespace vgpu
