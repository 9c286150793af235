// Textures, surfaces and arrays: programs/textures.cu compares with what the host works out.
#include <gtest/gtest.h>

#include "virtual_gpu/tests/run_program.h"

namespace vgpu::test {
namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Textures, GiveWhatTheHostWorksOut) {
    for (const char* seed : {"0", "5"}) {
        const Ran ran = run_program("textures", {}, {{"VGPU_SEED", seed}, {"VGPU_LEAKS", "1"}});
        EXPECT_EQ(ran.status, 0) << ran.err;
        EXPECT_EQ(ran.out, "0\n") << ran.err;
        EXPECT_TRUE(contains(ran.report, "\"findings\":[]")) << ran.report;
    }
}

TEST(Textures, Mistakes) {
    const struct {
        const char *mistake, *kind, *error;
    } rows[] = {{"trap", "invalid_access", "cudaErrorIllegalAddress"},
                {"bytes", "misaligned", "cudaErrorMisalignedAddress"},
                {"destroyed", "invalid_access", "cudaErrorIllegalAddress"},
                {"freed", "use_after_free", "cudaErrorIllegalAddress"},
                {"shape", "invalid_access", "cudaErrorIllegalAddress"},
                {"undefined", "uninitialized", "cudaSuccess"}};
    for (const auto& row : rows) {
        const Ran ran = run_program("textures", {row.mistake});
        EXPECT_TRUE(contains(ran.report, std::string("\"kind\":\"") + row.kind)) << row.mistake << ran.report;
        EXPECT_EQ(ran.out, row.error + std::string("\n")) << row.mistake;
    }
}

}  // namespace
}  // namespace vgpu::test
