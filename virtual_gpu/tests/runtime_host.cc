// The host's side of a program meets the device: memory that both use, threads, kernels that wait for the host.
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "virtual_gpu/tests/run_program.h"

namespace vgpu::test {
namespace {

// ---- Correct programs ----

struct HostMemory : ::testing::TestWithParam<const char*> {};
TEST_P(HostMemory, IsRight) {
    const Ran ran = run_program("host_memory", {GetParam()}, {{"VGPU_SEED", "6"}});
    EXPECT_EQ(ran.out, "done\n") << ran.err;
    EXPECT_TRUE(says(ran.report, "\"findings\":[]")) << ran.report;
}
INSTANTIATE_TEST_SUITE_P(Runtime, HostMemory,
                         ::testing::Values("threads_pinned", "threads_managed", "threads_variable", "threads_launch",
                                           "threads_and_copies", "address_as_argument", "address_by_kernel",
                                           "address_to_calls", "address_in_struct", "pointer_in_array",
                                           "pointer_in_struct", "pointer_in_lambda", "pointer_by_kernel", "registered",
                                           "registered_global", "copies", "attributes", "memory_info"),
                         [](const auto& its) { return std::string(its.param); });

struct BesideHost : ::testing::TestWithParam<std::tuple<const char*, const char*>> {};
TEST_P(BesideHost, IsRight) {
    const auto& [name, seed] = GetParam();
    const Ran ran = run_program("beside_host", {name}, {{"VGPU_SEED", seed}});
    EXPECT_EQ(ran.out, "done\n") << ran.err;
    EXPECT_FALSE(says(ran.report, "\"is_note\":false")) << ran.report;  // a refused launch is noted
}
INSTANTIATE_TEST_SUITE_P(
    Runtime, BesideHost,
    ::testing::Combine(::testing::Values("pinned_flag", "managed_flag", "registered_flag", "variable_flag", "one_page",
                                         "other_thread", "host_function", "flag_by_copy", "dialogue_pinned",
                                         "dialogue_managed", "dialogue_one_page", "heartbeat", "sum_of_both",
                                         "work_behind", "query_until", "many_blocks", "memory_meanwhile",
                                         "graph_behind", "at_exit"),
                       ::testing::Values("0", "5", "7")),
    [](const auto& its) { return std::string(std::get<0>(its.param)) + "_" + std::get<1>(its.param); });

TEST(Runtime, KernelsBesideTheHostWithoutChecks) {
    for (const char* name : {"dialogue_managed", "sum_of_both", "work_behind"}) {
        const Ran ran = run_program("beside_host", {name}, {{"VGPU_CHECKS", "0"}, {"VGPU_COUNTERS", "0"}});
        EXPECT_EQ(ran.out, "done\n") << name << ran.err;
    }
}

// ---- Wrong ones ----

struct Wrong {
    const char *program, *name, *finding;
};
std::ostream& operator<<(std::ostream& out, const Wrong& wrong) { return out << wrong.name; }
struct HostIsWrong : ::testing::TestWithParam<Wrong> {};
TEST_P(HostIsWrong, IsFound) {
    const Ran ran = run_program(GetParam().program, {GetParam().name}, {{"VGPU_SEED", "1"}});
    EXPECT_TRUE(says(ran.err + ran.report, GetParam().finding)) << ran.err << ran.report;
}
INSTANTIATE_TEST_SUITE_P(
    Runtime, HostIsWrong,
    ::testing::Values(
        Wrong{"host_memory", "behind_pinned", "at index 10, just past its end (it has 10 elements of 4 bytes"},
        Wrong{"host_memory", "behind_nothing", "just past its end (it has no elements)"},
        Wrong{"host_memory", "behind_registered", "at index 50, just past its end (it has 50 elements of 4 bytes"},
        Wrong{"host_memory", "behind_variable", "read many at index 4, just past its end"},
        Wrong{"host_memory", "read_only",
              "memory of a device or that kernels only read is not supported by the virtual GPU"},
        Wrong{"host_memory", "not_registered", "where no array is"},
        Wrong{"host_memory", "freed_pinned", "use_after_free"},
        Wrong{"host_memory", "host_uses_freed", "uses memory that was freed at host_memory.cu:"},
        Wrong{"beside_host", "never_set", "no thread of it writes what the kernel waits for"},
        Wrong{"beside_host", "never_set_and_exit", "the program has ended, and has not written"},
        Wrong{"beside_host", "set_by_kernel", "while later launches in other streams have not begun"},
        Wrong{"beside_host", "read_without_wait", "the host read managed memory of 256 bytes while"},
        Wrong{"beside_host", "read_behind_flag", "the host read managed memory of 256 bytes while"},
        Wrong{"beside_host", "written_while_read", "the host wrote managed memory of 400 bytes while"},
        Wrong{"beside_host", "plain_beside_atomic", "the host wrote managed memory of 4 bytes while"}),
    [](const auto& its) { return std::string(its.param.name); });

TEST(Runtime, ADeadlockWithTheHostIsNotSaidOfOthers) {
    const Ran ran = run_program("beside_host", {"set_by_kernel"});
    EXPECT_FALSE(says(ran.report, "\"kind\":\"deadlock\"")) << ran.report;
    EXPECT_TRUE(says(ran.report, "\"kind\":\"unsupported\"")) << ran.report;
}

}  // namespace
}  // namespace vgpu::test
