// The command virtual-gpu with executables that nvcc has made in different ways.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <tuple>

#include "virtual_gpu/command/inspect.h"
#include "virtual_gpu/command/json_value.h"

namespace vgpu::command {
namespace {

namespace fs = std::filesystem;

struct Ran {
    int status = -1;
    std::string out, err;
};

std::string contents(const fs::path& path) {
    std::stringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

class Launcher : public ::testing::Test {
  protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "launcher-XXXXXX").string();
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        folder_ = name;
    }
    void TearDown() override { fs::remove_all(folder_); }

    // `words`: of a shell's command line, in a folder of the test's own.
    Ran virtual_gpu(const std::string& words, const std::string& before = "") const {
        const std::string command =
            "cd '" + folder_.string() + "' && { " + before + " '" VGPU_LAUNCHER "' " + words + "; } > out 2> err";
        const int status = std::system(command.c_str());
        Ran ran;
        ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        ran.out = contents(folder_ / "out");
        ran.err = contents(folder_ / "err");
        return ran;
    }
    static std::string program(const std::string& name) { return VGPU_PROGRAMS_DIR "/" + name; }
    fs::path file(const std::string& name, const std::string& text, bool executable = true) const {
        std::ofstream(folder_ / name, std::ios::binary) << text;
        if (executable) fs::permissions(folder_ / name, fs::perms::owner_all);
        return folder_ / name;
    }
    static JsonValue json(const fs::path& path) {
        JsonValue value;
        EXPECT_TRUE(read_json(contents(path), value)) << path;
        return value;
    }

    fs::path folder_;
};

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)
#define EXPECT_LACKS(text, part) EXPECT_EQ((text).find(part), std::string::npos) << (text)

// nvcc's default: CUDA's runtime in the program, PTX compressed.
TEST_F(Launcher, RunsWhatNvccMakesByDefault) {
    for (const std::string how : {"command", "command_speed", "command_size", "command_fixed"}) {
        const Ran right = virtual_gpu(program(how) + " right 7");
        EXPECT_EQ(right.status, 7) << how << right.err;
        EXPECT_EQ(right.out, "cudaSuccess\n") << how;
        EXPECT_HAS(right.err, "virtual-gpu: no findings\n");
        const Ran wrong = virtual_gpu(program(how) + " outside 7");
        EXPECT_EQ(wrong.status, 1) << how;
        EXPECT_EQ(wrong.out, "cudaErrorIllegalAddress\n") << how;
        EXPECT_HAS(wrong.err, "command.cu:17: out of bounds: thread 100 of block 0 wrote a at index 100");
        EXPECT_HAS(wrong.err, "    the kernel fill_too_far, launched with ");
        EXPECT_HAS(wrong.err, "virtual-gpu: 1 finding\n");
    }
}

// The runtime in the program and the shared one are the same to it, to the byte.
TEST_F(Launcher, StaticAndSharedRuntimesAreOne) {
    const Ran fixed = virtual_gpu("--no-checks " + program("api_static")),
              shared = virtual_gpu("--no-checks " + program("api"));
    EXPECT_EQ(fixed.status, shared.status);
    EXPECT_EQ(fixed.out, shared.out);
    EXPECT_FALSE(fixed.out.empty());
}

TEST_F(Launcher, AProgramsOwnLibraryMayHaveTheRuntime) {
    const Ran ran = virtual_gpu(program("command_library"));
    EXPECT_EQ(ran.status, 1) << ran.err;
    EXPECT_HAS(ran.err, "command_library.cu:");
    const Ran before = virtual_gpu(program("command_library_rpath"));  // whose folders come before the environment's
    EXPECT_EQ(before.status, 1) << before.err;
    EXPECT_HAS(before.err, "virtual-gpu: 1 finding\n");
}

TEST_F(Launcher, SaysTheOneThingThatIsMissing) {
    const auto refusal = [&](const std::string& words, int status = 126) {
        const Ran ran = virtual_gpu(words);
        EXPECT_EQ(ran.status, status) << ran.err;
        EXPECT_EQ(ran.out, "");
        return ran.err;
    };
    EXPECT_HAS(refusal(program("command_stripped")),
               "no symbols by which it could be replaced\n    what helps: compile "
               "with nvcc -cudart shared");
    EXPECT_HAS(refusal(program("command_sass")), "machine code for GPUs only (sm_80) and no PTX");
    EXPECT_HAS(refusal(program("command_sass")),
               "what helps: compile with nvcc -gencode arch=compute_90,code=compute_90");
    EXPECT_HAS(refusal(program("command_newer")),
               "is for compute capability 12.0 and newer, and the modelled device has 9.0");
    EXPECT_HAS(refusal("--profile t4 " + program("dependents")), "and the modelled device has 7.5");
    EXPECT_HAS(refusal(program("command.o")), "is an object file, and not linked yet");
    EXPECT_HAS(refusal("./nothing", 127), "./nothing: there is no such program");
    EXPECT_HAS(refusal("/tmp"), "/tmp is a folder");
    file("saxpy.cu", "int main() {}", false);
    EXPECT_HAS(refusal("./saxpy.cu"),
               "saxpy.cu is a source file\n    what helps: compile it: nvcc -g -lineinfo saxpy.cu");
    EXPECT_HAS(refusal("saxpy.cu", 127), "for the one in this folder: ./saxpy.cu");
    file("text", "hello");
    EXPECT_HAS(refusal("./text"), "text is no program of this system");
    std::string other = contents(program("command"));
    other[18] = static_cast<char>(183);  // e_machine: 64-bit Arm
    file("arm", other);
    EXPECT_HAS(refusal("./arm"), "arm is for another processor (64-bit Arm) than this machine's");
    file("plain", contents(program("command")), false);
    EXPECT_HAS(refusal("./plain"), "./plain may not be executed\n    what helps: chmod +x ./plain");
    EXPECT_HAS(refusal("--profile t5 ./plain", 125), "t5");
    EXPECT_HAS(refusal("--json no/such/folder.json " + program("command"), 125), "cannot be written");
}

// What a program is linked to is read from its file, so that none of these libraries need exist.
TEST_F(Launcher, NamesLibrariesThatNeedAGpu) {
    for (const auto& [from, to, says] :
         {std::tuple("libcudart.so.13", "libcublas.so.12", "uses cuBLAS (libcublas.so.12), which needs a GPU"),
          std::tuple("libcudart.so.13", "libcudart.so.12",
                     "built with another version of CUDA: it needs libcudart.so.12"),
          std::tuple("libcudart.so.13", "libnvrtc.so.13\0", "uses NVRTC, which compiles kernels at run time"),
          std::tuple("libcudart.so.13", "libcuda.so.1\0\0\0", "libcuda.so.1")}) {
        std::string text = contents(program("threads"));
        const std::size_t at = text.find(from);
        ASSERT_NE(at, std::string::npos);
        text.replace(at, std::strlen(from), std::string(to, std::strlen(from)));
        const fs::path path = file("changed", text);
        const Inspection seen = inspect("./changed", path.string(), 90);
        EXPECT_HAS(seen.problem, says);
        EXPECT_FALSE(seen.help.empty());
    }
}

TEST_F(Launcher, DamagedFilesAreRefusedOrRun) {
    const std::string whole = contents(program("command_sass"));
    std::mt19937 random(4);
    for (int round = 0; round < 80; ++round) {
        std::string changed = whole.substr(0, round % 3 == 0 ? random() % whole.size() : whole.size());
        const std::size_t headers = std::min<std::size_t>(changed.size(), 4096);
        for (int change = 0; change < 8 && headers > 0; ++change) {
            const bool near_end = random() % 2 == 0;  // where the section headers are
            const std::size_t at = near_end ? changed.size() - 1 - random() % headers : random() % headers;
            changed[at] = static_cast<char>(random());
        }
        inspect("./a", file("a", changed).string(), 90);
    }
}

TEST_F(Launcher, SchedulesThatSeeAMistake) {
    const Ran ran = virtual_gpu("--seeds 8 --json r.json " + program("command") + " order");
    EXPECT_EQ(ran.status, 1) << ran.err;
    EXPECT_HAS(ran.err, "virtual-gpu: 1 finding");
    EXPECT_HAS(ran.err, " of 8; again: --seed ");
    EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), 1) << "the output of the first run only";
    const JsonValue result = json(folder_ / "r.json");
    EXPECT_EQ(result["seeds"].items.size(), 8u);
    std::vector<std::string> seeds;
    for (const JsonValue& finding : result["findings"].items) {
        if (finding["kind"].text == "out_of_bounds") {
            for (const JsonValue& seed : finding["seeds"].items) seeds.push_back(seed.text);
        }
    }
    ASSERT_FALSE(seeds.empty());
    EXPECT_LT(seeds.size(), 8u);
    const Ran again = virtual_gpu("--seed " + seeds[0] + " " + program("command") + " order");
    EXPECT_EQ(again.status, 1) << again.err;
}

TEST_F(Launcher, EveryRunReadsTheSameInput) {
    const Ran ran = virtual_gpu("--seeds 3 " + program("command") + " input", "echo 42 |");
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_EQ(ran.out, "read 42\ncudaSuccess\n");
    EXPECT_LACKS(ran.err, "ended with status");
}

TEST_F(Launcher, HowProgramsEnd) {
    const Ran aborted = virtual_gpu(program("command") + " abort");
    EXPECT_EQ(aborted.status, 1);
    EXPECT_HAS(aborted.err, "the program was ended by SIGABRT");
    EXPECT_HAS(aborted.err, "out of bounds: ");
    const Ran killed = virtual_gpu(program("command") + " killed");
    EXPECT_EQ(killed.status, 128 + SIGKILL);
    EXPECT_HAS(killed.err, "the program was ended by SIGKILL");
    EXPECT_HAS(killed.err, "no findings are known");
    const Ran without = virtual_gpu(program("command") + " without 3");
    EXPECT_EQ(without.status, 3);
    EXPECT_HAS(without.err, "nothing that ran has used CUDA");
    EXPECT_EQ(virtual_gpu(program("command") + " without 200").status, 200);
    const Ran leak = virtual_gpu("--leaks " + program("command") + " leak");
    EXPECT_EQ(leak.status, 1);
    EXPECT_HAS(leak.err, "programs/command: leak: allocation of 400 bytes");
    EXPECT_HAS(leak.err, "findings have their lines if the program is compiled with nvcc -lineinfo -g");
    EXPECT_EQ(virtual_gpu(program("command") + " leak").status, 0);
}

TEST_F(Launcher, StopsAKernelAndReports) {
    const Ran ran = virtual_gpu("--seeds 3 " + program("command") + " endless", "timeout 1");
    EXPECT_HAS(ran.err, "virtual GPU: stopped: ");
    EXPECT_HAS(ran.err, "command.cu:");
    EXPECT_EQ(ran.out, "cudaErrorLaunchTimeout\n") << ran.err;
    EXPECT_EQ(ran.status, 124) << "of timeout";
    EXPECT_HAS(ran.err, "was ended by SIGTERM\n");
}

// A script's programs, and a program's own children.
TEST_F(Launcher, ReportsOfAllProcesses) {
    file("run.sh", "#!/bin/sh\n" + program("command") + " right\n" + program("threads") + "\n" + program("command") +
                       " outside\nexit 5\n");
    const Ran script = virtual_gpu("./run.sh");
    EXPECT_EQ(script.status, 1) << script.err;
    EXPECT_HAS(script.err, "run.sh is a script");
    EXPECT_HAS(script.err, "virtual-gpu: 1 finding\n");
    const Ran forked = virtual_gpu("--json - " + program("command") + " fork");
    EXPECT_EQ(forked.status, 1) << forked.err;
    EXPECT_HAS(forked.err, "virtual-gpu: 1 finding\n");
    const Ran other = virtual_gpu("/bin/echo hello");
    EXPECT_EQ(other.status, 0);
    EXPECT_EQ(other.out, "hello\n");
    EXPECT_HAS(other.err, "is no CUDA program as far as can be seen");
}

TEST_F(Launcher, FilesForOtherPrograms) {
    const Ran ran = virtual_gpu("--json r.json --sarif r.sarif --counters " + program("command") + " outside");
    EXPECT_EQ(ran.status, 1);
    EXPECT_HAS(ran.err, "   share  lanes   requests        sectors/ideal     wavefronts/ideal   line\n");
    EXPECT_HAS(ran.err, "if (i <= n) a[i] = i;");
    const JsonValue report = json(folder_ / "r.json"), sarif = json(folder_ / "r.sarif");
    EXPECT_EQ(report["version"].text, "1");
    EXPECT_EQ(report["findings"].items.size(), 1u);
    EXPECT_EQ(report["kernels"].items.size(), 2u);
    EXPECT_EQ(report["statuses"].items.size(), 1u);
    EXPECT_EQ(sarif["runs"].items.at(0)["results"].items.at(0)["ruleId"].text, "out_of_bounds");
}

TEST_F(Launcher, BuildsWithWhatIsNeeded) {
    const Ran ran = virtual_gpu("build sh -c 'echo $NVCC_APPEND_FLAGS'", "NVCC_APPEND_FLAGS=-DX");
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_EQ(ran.out, "-DX -g -lineinfo -gencode arch=compute_90,code=compute_90\n");
    EXPECT_EQ(virtual_gpu("--profile t4 build sh -c 'echo $NVCC_APPEND_FLAGS'").out,
              "-g -lineinfo -gencode arch=compute_75,code=compute_75\n");
    EXPECT_EQ(virtual_gpu("build false").status, 1);
    const Ran missing = virtual_gpu("build nosuchcommand");
    EXPECT_EQ(missing.status, 127);
    EXPECT_HAS(missing.err, "nosuchcommand: No such file");
    EXPECT_EQ(virtual_gpu("--bad").status, 125);
    EXPECT_HAS(virtual_gpu("--help").out, "virtual-gpu [OPTION...] PROGRAM");
}

}  // namespace
}  // namespace vgpu::command
