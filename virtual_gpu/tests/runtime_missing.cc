// Nothing that is missing passes unseen: queries get an error, any other use ends the program.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "virtual_gpu/tests/run_program.h"

namespace vgpu::test {
namespace {

TEST(Missing, EndsTheProcessThere) {
    for (const char* where : {"call", "thread", "static", "buffered", "kernel", "captured"}) {
        SCOPED_TRACE(where);
        const Ran ran = run_program("missing", {where});
        EXPECT_EQ(ran.status, 3);
        EXPECT_FALSE(says(ran.out, "went on")) << ran.out;
        EXPECT_TRUE(says(ran.out, "begin ")) << "the output until then is not lost";
        EXPECT_TRUE(says(ran.report, "\"kind\":\"unsupported\"")) << ran.report;
        const Ran text = run_program("missing", {where}, {{"VGPU_REPORT_FILE", ""}});
        EXPECT_EQ(text.err.find(" not supported"), text.err.rfind(" not supported")) << "one sentence:\n" << text.err;
    }
    EXPECT_EQ(run_program("missing", {"buffered"}).out, "text begin ");
    EXPECT_TRUE(says(run_program("missing", {"thread"}).err,
                     "missing.cu:15: unsupported: sharing between processes is not supported by the virtual GPU "
                     "(cudaIpcGetMemHandle)\n"));
    EXPECT_TRUE(says(run_program("missing", {"kernel"}).err,
                     "missing.cu:9: unsupported: SIMD video instructions (vadd4.u32.u32.u32) are not supported"));
    EXPECT_TRUE(says(run_program("missing", {"captured"}).err,
                     "memory of a graph is not supported by the virtual GPU (cudaMallocAsync)"));
}

TEST(Missing, QueriesGoOn) {
    const Ran ran = run_program("missing", {"query"});
    EXPECT_EQ(ran.status, 0);
    EXPECT_EQ(ran.out, "begin cudaErrorNotSupported cudaErrorNotSupported cudaErrorNotSupported\nend\n");
    EXPECT_TRUE(says(ran.err,
                     "note: clusters of thread blocks are not supported by the virtual GPU "
                     "(cudaOccupancyMaxActiveClusters)"))
        << ran.err;
    EXPECT_TRUE(says(ran.report, "\"findings\":[]")) << ran.report;
}

// VGPU_RENEW=1 writes the page.
TEST(Missing, ThePageListsWhatIsMissing) {
    void* library = dlopen(VGPU_LIBRARY_DIR "/libcudart.so.13", RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    const auto missing = reinterpret_cast<const char* (*)()>(dlsym(library, "vgpuMissing"));
    ASSERT_NE(missing, nullptr);
    const std::string list = missing();
    const std::string page = VGPU_TEST_DATA "/../../docs/missing.md";
    std::stringstream now;
    now << std::ifstream(page).rdbuf();
    const std::size_t begin = now.str().find("\n- ");
    ASSERT_NE(begin, std::string::npos) << page;
    const std::size_t gap = list.find("\n\n");
    const std::string wanted = now.str().substr(0, begin + 1) + list.substr(0, gap + 2) +
                               "## Functions of the runtime\n\n" + list.substr(gap + 2);
    if (std::getenv("VGPU_RENEW") != nullptr) {
        std::ofstream(page) << wanted;
    }
    EXPECT_EQ(now.str(), wanted) << "renew it: VGPU_RENEW=1, and this test again";
}

}  // namespace
}  // namespace vgpu::test
