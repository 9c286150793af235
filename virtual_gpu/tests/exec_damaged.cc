// PTX that no compiler writes: a submission may have inline assembly of any kind. Whatever it says, the interpreter
// goes on, and reads and writes nothing of its own. Compiled with -fsanitize=address, this test sees more.
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <regex>

#include "exec_harness.h"

namespace vgpu {
namespace {

constexpr const char* kNewerHead = ".version 9.0\n.target sm_90\n.address_size 64\n";
constexpr std::size_t kItems = 4096;

class Damage {
  public:
    explicit Damage(const std::string& text) {
        std::stringstream in(text);
        for (std::string line; std::getline(in, line);) lines_.push_back(line);
        for (std::size_t n = 0; n < lines_.size(); ++n) {
            const std::size_t at = lines_[n].find(".entry ");
            if (at == std::string::npos) continue;
            const std::size_t name = at + 7;
            Kernel k{lines_[n].substr(name, lines_[n].find_first_of("( \t", name) - name), n, n};
            while (!lines_[k.begin].starts_with("{")) ++k.begin;
            for (k.end = ++k.begin; !lines_[k.end].starts_with("}");) ++k.end;
            kernels_.push_back(k);
        }
    }

    // A kernel with up to five changes, and its name.
    std::pair<std::string, std::string> make(std::uint64_t seed) const {
        std::mt19937_64 random(seed);
        const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
        const Kernel& kernel = kernels_[below(kernels_.size())];
        std::vector<std::string> lines = lines_;
        const auto some_line = [&] { return kernel.begin + below(kernel.end - kernel.begin); };
        const auto piece = [&](const std::string& line, const std::regex& what) {
            std::vector<std::smatch> all;
            for (std::sregex_iterator i(line.begin(), line.end(), what), end; i != end; ++i) all.push_back(*i);
            return all.empty() ? std::smatch{} : all[below(all.size())];
        };
        const auto replace = [&](std::string& line, const std::regex& what, const std::string& by) {
            const std::smatch m = piece(line, what);
            if (!m.empty())
                line.replace(static_cast<std::size_t>(m.position()), static_cast<std::size_t>(m.length()), by);
        };
        static const std::regex kRegister("%[a-z]+[0-9]+"), kNumber("\\b[0-9]+\\b"), kModifier("\\.[a-z][a-z0-9:]*");
        static const std::array kNumbers = {"0",
                                            "-1",
                                            "7",
                                            "31",
                                            "32",
                                            "65",
                                            "4096",
                                            "65536",
                                            "2147483647",
                                            "4294967296",
                                            "3298534883328",
                                            "9223372036854775807"};
        static const std::array kModifiers = {".u8",    ".s16",   ".b32",  ".u64",      ".b128",   ".f16",
                                              ".f64",   ".pred",  ".v2",   ".v4",       ".shared", ".local",
                                              ".param", ".const", ".wide", ".hi",       ".red",    ".global",
                                              ".cas",   ".up",    ".any",  ".volatile", ".x4",     ".f16x2"};
        for (std::size_t left = 1 + below(5); left > 0; --left) {
            std::string& line = lines[some_line()];
            const std::string other = lines[some_line()];
            switch (below(6)) {
                case 0:
                    if (const std::smatch m = piece(other, kRegister); !m.empty()) replace(line, kRegister, m.str());
                    break;
                case 1:
                    replace(line, kNumber, kNumbers[below(kNumbers.size())]);
                    break;
                case 2:
                    replace(line, kModifier, kModifiers[below(kModifiers.size())]);
                    break;
                case 3:
                    line = other;
                    break;
                case 4:
                    line = "";
                    break;
                default:
                    if (const std::size_t at = line.find(']'); at != std::string::npos)
                        line.insert(at, std::string("+") + kNumbers[below(kNumbers.size())]);
                    break;
            }
        }
        std::string text;
        for (const std::string& line : lines) text += line + "\n";
        return {text, kernel.name};
    }

  private:
    struct Kernel {
        std::string name;
        std::size_t begin, end;
    };
    std::vector<std::string> lines_;
    std::vector<Kernel> kernels_;
};

struct Damaged : testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Kernels, Damaged,
                         testing::Values("async", "barriers", "divergence", "faults", "lanes", "orders", "races",
                                         "sync", "traced", "undefined", "undefined_threads"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(Damaged, DoesNotHarmTheInterpreter) {
    std::ifstream in(std::string(VGPU_TEST_PTX) + "/" + GetParam() + ".ptx");
    std::stringstream text;
    text << in.rdbuf();
    const Damage damage(text.str());
    int launched = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        const auto [damaged, name] = damage.make(seed);
        Gpu gpu(seed);
        gpu.options.max_steps = 1 << 14;
        gpu.executor.configure(gpu.options);
        try {
            gpu.load_text(damaged);
        } catch (const std::runtime_error&) {  // no PTX any more
            continue;
        }
        const DevicePtr a = gpu.array(std::vector<int>(kItems, 3), "a"), b = gpu.fresh<int>(kItems, "b");
        const LaunchResult r = gpu.run(name, {.grid = {2, 1, 1}, .block = {64, 1, 1}, .shared = 1024}, a, b, a, b,
                                       std::uint64_t{64}, a, b, std::uint64_t{64});
        ++launched;
        for (const Finding& f : r.findings) EXPECT_FALSE(f.what.empty()) << name << " " << seed;
        EXPECT_TRUE(r.status == Status::ok || !r.message.empty()) << name << " " << seed;
    }
    EXPECT_GT(launched, 20);
}

std::string kernel_of(const std::string& body) {
    return std::string(kNewerHead) +
           ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<6>;\n.reg .b64 %rd<4>;\n.reg .b128 %rq<3>;\n" +
           ".reg .pred %p<3>;\nld.param.u64 %rd1, [out];\nld.global.u32 %r1, [%rd1];\n" + body +
           "st.global.u32 [%rd1], %r1;\nret;\n}\n";
}

// Each was found by damage, and read or wrote the interpreter's own memory.
TEST(Damaged, UsesNoRegistersOf128BitsInOtherWays) {
    for (const char* body :
         {"mov.b128 %rq1, 5;\n", "shfl.sync.idx.b128 %rq1, %rq2, 5, 31, -1;\n", "setp.eq.b128 %p1, %rq2, 7;\n",
          "ld.global.v2.b128 {%rq1, %rq2}, [%rd1];\n", "st.global.b128 [%rd1], 7;\n"}) {
        Gpu gpu;
        gpu.load_text(kernel_of(body));
        const LaunchResult r = gpu.run("k", {}, gpu.array(std::vector<int>(32, 1)));
        EXPECT_EQ(r.status, Status::not_supported) << body;
        EXPECT_NE(r.message.find("b128"), std::string::npos) << r.message;
    }
}

// Without the verifier: the interpreter checks for itself.
LaunchResult run_damaged(const std::string& text, std::vector<int> values = std::vector<int>(64, 1)) {
    Gpu gpu;
    gpu.load_text(std::string(kHead) + text);
    return gpu.run("k", {.block = {32, 1, 1}}, gpu.array(values));
}

constexpr const char* kBig =
    ".visible .entry big(.param .align 1 .b8 b[32000])\n{\nret;\n}\n.visible .entry k(.param .u64 out)\n{\n"
    ".reg .b64 %q<3>;\n.param .align 1 .b8 x[32000];\nmov.u64 %q1, 1;\nst.param.b64 [x+31992], %q1;\n";

TEST(Damaged, NoCallReachesAKernel) {
    LaunchResult r = run_damaged(std::string(kBig) + "call big, (x);\nret;\n}\n");
    EXPECT_EQ(r.status, Status::not_supported) << r.message;
    r = run_damaged(std::string(kBig) + "P: .callprototype _ (.param .align 1 .b8 _[32000]);\nmov.u64 %q1, big;\n" +
                    "call %q1, (x), P;\nret;\n}\n");
    EXPECT_EQ(r.status, Status::illegal_address) << r.message;
}

TEST(Damaged, APointerMadeByArithmeticCallsNothing) {
    const std::string head =
        ".func never()\n{\nret;\n}\n.func taken(.param .b64 a)\n{\nret;\n}\n"
        ".visible .entry k(.param .u64 out)\n{\n.reg .b64 %q<3>;\n.param .b64 a0;\n.param .b32 b0;\n"
        "P: .callprototype _ ();\nR: .callprototype _ (.param .b64 _);\n"
        "S: .callprototype _ (.param .b32 _);\nmov.u64 %q1, taken;\n";
    EXPECT_EQ(run_damaged(head + "call %q1, (a0), R;\nret;\n}\n").status, Status::ok);
    // Not decoded; another layout; a kernel; nothing at all; between two functions.
    for (const char* call : {"sub.u64 %q1, %q1, 16;\ncall %q1, P;\n", "call %q1, P;\n", "call %q1, (b0), S;\n",
                             "add.u64 %q1, %q1, 16;\ncall %q1, (a0), R;\n", "add.u64 %q1, %q1, 160;\ncall %q1, P;\n",
                             "add.u64 %q1, %q1, 8;\ncall %q1, (a0), R;\n", "mov.u64 %q1, 0;\ncall %q1, P;\n"}) {
        const LaunchResult r = run_damaged(head + call + "ret;\n}\n");
        EXPECT_EQ(r.status, Status::illegal_address) << call << r.message;
    }
}

TEST(Damaged, AReductionOverAWarpHas32Bits) {
    const LaunchResult r = run_damaged(
        ".visible .entry k(.param .u64 out)\n{\n.reg .u32 %u<3>;\nmov.u32 %u0, %tid.x;\n"
        "redux.sync.s16.add %u1, %u0, -1;\nret;\n}\n");
    EXPECT_EQ(r.status, Status::not_supported) << r.message;
}

TEST(Damaged, RecursionEndsWithTheStack) {
    const LaunchResult r = run_damaged(
        ".func f(.param .align 1 .b8 x[30000])\n{\n.param .align 1 .b8 y[30000];\ncall f, (y);\nret;\n}\n"
        ".visible .entry k(.param .u64 out)\n{\n.param .align 1 .b8 z[30000];\ncall f, (z);\nret;\n}\n");
    EXPECT_EQ(r.status, Status::launch_failure) << r.message;
    EXPECT_NE(r.message.find("stack"), std::string::npos) << r.message;
}

TEST(Damaged, ABulkCopyIsCheckedAsAWhole) {
    for (const bool to_shared : {true, false})
        for (const char* bytes : {"-16", "0x80000000", "0x7ffffff0", "4096", "272", "1048576"}) {
            const std::string copy =
                to_shared ? "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1], %r1, [b];\n"
                          : "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], %r1;\n";
            const LaunchResult r = run_damaged(
                ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<3>;\n.reg .b64 %rd<3>;\n.shared .align 16 .b8 "
                "s[256];\n"
                ".shared .align 8 .b64 b;\nld.param.u64 %rd1, [out];\nmbarrier.init.shared.b64 [b], 1;\nmov.u32 %r1, " +
                    std::string(bytes) + ";\n" + copy + "ret;\n}\n",
                std::vector<int>(1024, 1));
            EXPECT_EQ(r.status, Status::illegal_address) << bytes << r.message;
        }
}

TEST(Damaged, ConstantLoadsReadConstants) {
    const std::string head =
        ".const .b32 c[4] = {5, 6, 7, 8};\n.visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<3>;\n"
        ".reg .b64 %rd<3>;\nld.param.u64 %rd1, [out];\nmov.u64 %rd2, c;\n";
    EXPECT_EQ(run_damaged(head + "ld.const.u32 %r1, [%rd2+4];\nret;\n}\n").status, Status::ok);
    for (const char* load : {"ld.const.u32 %r1, [%rd1];\n", "ld.const.u32 %r1, [%rd2+16];\n",
                             "ld.const.u32 %r1, [64];\n", "ld.const.v4.u32 {%r1, %r2, %r1, %r2}, [%rd1];\n"})
        EXPECT_EQ(run_damaged(head + load + "ret;\n}\n").status, Status::illegal_address) << load;
}

TEST(Damaged, AnAllocationOfAllMemoryIsRefused) {
    const LaunchResult r = run_damaged(
        ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.visible .entry k(.param .u64 out)\n{\n.reg .b64 "
        "%q<3>;\n"
        ".param .b64 n;\n.param .b64 p;\nmov.u64 %q1, 64;\nst.param.b64 [n], %q1;\ncall (p), malloc, (n);\n"
        "mov.u64 %q1, -32;\nst.param.b64 [n], %q1;\ncall (p), malloc, (n);\nld.param.b64 %q2, [p];\n"
        "ld.param.u64 %q1, [out];\nst.global.u64 [%q1], %q2;\nret;\n}\n");
    EXPECT_EQ(r.status, Status::ok) << r.message;
}

TEST(Damaged, MayComputeAValueFromItself) {
    Gpu gpu;
    gpu.load_text(
        kernel_of("ld.global.u32 %r2, [%rd1+4];\nadd.u32 %r3, %r3, %r2;\nadd.u32 %r3, %r2, %r3;\n"
                  "ld.global.u32 %r4, [%rd1];\nadd.u32 %r4, %r4, %r4;\nsetp.eq.u32 %p1, %r1, 0;\n"
                  "@%p1 bra $END;\nst.global.u32 [%rd1+8], %r4;\n$END:\n"));
    const LaunchResult r = gpu.run("k", {.block = {1, 1, 1}}, gpu.array(std::vector<int>(32, 1)));
    EXPECT_EQ(r.status, Status::ok) << r.message;
}

}  // namespace
}  // namespace vgpu
