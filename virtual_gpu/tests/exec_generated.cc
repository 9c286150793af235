// A small part of tests/tools/fuzz_ptx.cc, without the PTX compiler: valid PTX passes the verifier and runs, changed
// PTX harms nobody, whether it was verified or not.
#include <gtest/gtest.h>

#include "exec_harness.h"
#include "ptx_generator.h"

namespace vgpu {
namespace {

void run_generated(Gpu& gpu, const GeneratedPtx& ptx) {
    gpu.options.max_steps = 1 << 14;
    gpu.options.max_stall_steps = 1 << 12;
    gpu.executor.configure(gpu.options);
    const DevicePtr a = gpu.array(std::vector<int>(1024, 3), "a"), b = gpu.array(std::vector<int>(1024, 5), "b");
    const LaunchResult r = gpu.run(ptx.kernel, {.block = {64, 1, 1}}, a, b, std::uint64_t{7});
    EXPECT_TRUE(r.status == Status::ok || !r.message.empty() || !r.findings.empty()) << ptx.text;
}

TEST(Generated, ValidPtxPassesAndRuns) {
    for (std::uint64_t seed = 0; seed < 150; ++seed) {
        const GeneratedPtx ptx = generate_ptx(seed, 0);
        Gpu gpu(seed);
        ASSERT_NO_THROW(gpu.load_text(ptx.text, true)) << ptx.text;
        run_generated(gpu, ptx);
    }
}

TEST(Generated, ChangedPtxHarmsNobody) {
    int refused = 0, unparsed = 0;
    for (std::uint64_t seed = 1000; seed < 1400; ++seed) {
        const GeneratedPtx ptx = generate_ptx(seed, 3);
        for (const bool verified : {true, false}) {
            Gpu gpu(seed);
            try {
                gpu.load_text(ptx.text, verified);
            } catch (const std::runtime_error&) {
                ++(verified ? refused : unparsed);
                continue;
            }
            run_generated(gpu, ptx);
        }
    }
    EXPECT_GT(refused, 100);
    EXPECT_LT(unparsed, refused);
}

}  // namespace
}  // namespace vgpu
