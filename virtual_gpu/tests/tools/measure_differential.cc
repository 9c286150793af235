// Measures the fixture of the differential test on a GPU. In this folder, after `make` (which lets nvcc write PTX):
//   PTX=../../../build/parts/virtual_gpu/tests/ptx
//   g++ -std=c++20 -O1 -I.. -I$CUDA/include measure_differential.cc ../differential_[!t]*.cc
//   ../exec_instruction_cases.cc \
//       -lcuda -o measure && ./measure $PTX ../kernels > ../data/differential_h200.txt
// VGPU_DIFFERENTIAL_SEED=N makes other kernels and inputs; other expressions come from another number in `pick` of
// differential_expressions.cu. The test replays what was measured with the same variable and with
// VGPU_DIFFERENTIAL_FIXTURE=FILE.
// VGPU_DIFFERENTIAL_FAMILY=matrix measures the kernels of one family only.
// With a third argument, records that VGPU_DIFFERENTIAL_RECORDS=FILE made the test write, the values of all pairs that
// differ from them are printed to the file of the fourth: name, input, slot, then one value a thread.
#include <cuda.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

#include "differential.h"

using namespace vgpu::differential;

namespace {

constexpr unsigned kSeconds = 40;  // for the kernels of a module
constexpr int kProcesses = 12;

// A call that fails ends the process: after an illegal access no other would succeed.
void check(CUresult r, const std::string& what) {
    if (r == CUDA_SUCCESS) return;
    const char* text = "";
    cuGetErrorString(r, &text);
    std::fprintf(stderr, "%s: %s\n", what.c_str(), text);
    std::_Exit(1);
}

using Records = std::map<std::string, std::vector<std::string>>;  // of a kernel, after the hash of its text

struct Device {
    CUdeviceptr in = 0, out = 0, scratch = 0;
    Device() {
        CUdevice device;
        CUcontext context;
        check(cuInit(0), "cuInit");
        check(cuDeviceGet(&device, 0), "cuDeviceGet");
        check(cuDevicePrimaryCtxRetain(&context, device), "context");
        check(cuCtxSetCurrent(context), "context");
        check(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096), "stack");
        check(cuMemAlloc(&in, kMaxInputs * kRows * 8), "cuMemAlloc");
        check(cuMemAlloc(&out, kSlots * kRows * 8), "cuMemAlloc");
        check(cuMemAlloc(&scratch, kScratch), "cuMemAlloc");
    }
    Words run(CUmodule module, const Kernel& k, int set) {
        const Words words = inputs_of(k, set);
        auto bytes = scratch_of(k, set);
        check(cuMemcpyHtoD(in, words.data(), words.size() * 8), "copy");
        check(cuMemcpyHtoD(scratch, bytes.data(), bytes.size()), "copy");
        check(cuMemsetD8(out, 0, kSlots * kRows * 8), "fill");
        CUfunction function;
        check(cuModuleGetFunction(&function, module, k.name.c_str()), k.name);
        void* arguments[] = {&in, &out, &scratch, bytes.data()};
        check(cuLaunchKernel(function, static_cast<unsigned>(k.blocks), 1, 1, static_cast<unsigned>(k.threads), 1, 1, 0,
                             nullptr, arguments, nullptr),
              k.name);
        check(cuCtxSynchronize(), k.name);
        Words results(kSlots * kRows);
        check(cuMemcpyDtoH(results.data(), out, results.size() * 8), "copy");
        return results;
    }
};

// Runs in a process of its own: the kernels of a module from `first` on, each a line of `out`.
void measure(const Module& m, std::size_t first, const Records& ours, FILE* out, FILE* values) {
    Device device;
    std::vector<char> log(1 << 14);
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void* option_values[] = {log.data(), reinterpret_cast<void*>(log.size())};
    CUmodule module;
    check(cuModuleLoadDataEx(&module, m.text.c_str(), 2, options, option_values), m.name + ": " + log.data());
    for (std::size_t n = first; n < m.kernels.size(); ++n) {
        const Kernel& k = m.kernels[n];
        std::string line = k.name + " " + hash_of_text(k.text);
        for (int set = 0; set < kInputSets; ++set) {
            const Words results = device.run(module, k, set);
            const std::string record = encode(record_of(k, results));
            line += " " + record;
            const auto found = ours.find(k.name);
            if (!values || found == ours.end() || found->second.at(static_cast<std::size_t>(set)) == record) continue;
            for (int slot = 0; slot < k.slots; ++slot) {
                std::fprintf(values, "%s %d %d", k.name.c_str(), set, slot);
                for (int row = 0; row < kRows; ++row)
                    std::fprintf(
                        values, " %llx",
                        static_cast<unsigned long long>(results[static_cast<std::size_t>(slot * kRows + row)]));
                std::fprintf(values, "\n");
            }
        }
        std::fprintf(out, "%s\n", line.c_str());
        std::fflush(out);
        if (values) std::fflush(values);
    }
}

int lines_of(const std::string& path) {
    std::ifstream in(path);
    int n = 0;
    for (std::string line; std::getline(in, line);) ++n;
    return n;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) return std::fprintf(stderr, "usage: measure PTX_FOLDER KERNEL_FOLDER [RECORDS VALUES]\n"), 2;
    auto modules = all_modules(argv[1], argv[2]);
    if (const char* family = std::getenv("VGPU_DIFFERENTIAL_FAMILY"))
        std::erase_if(modules, [&](const Module& m) { return m.name != family; });
    Records ours;
    if (argc > 4) {
        std::ifstream in(argv[3]);
        for (std::string line, word; std::getline(in, line);) {
            std::istringstream words(line);
            std::string name;
            words >> name >> word;
            while (words >> word) ours[name].push_back(word);
        }
    }
    char folder[] = "/tmp/differential_XXXXXX";
    if (!mkdtemp(folder)) return 1;
    const auto path = [&](std::size_t n, const char* what) {
        return std::string(folder) + "/" + std::to_string(n) + what;
    };
    // A process for each module, so that a kernel that fails costs no others: the next one goes on behind it.
    std::map<pid_t, std::size_t> running;
    std::vector<int> failed(modules.size());
    const auto start = [&](std::size_t n) {
        const auto first = static_cast<std::size_t>(lines_of(path(n, ".txt")) + failed[n]);
        if (first >= modules[n].kernels.size()) return;
        const pid_t child = fork();
        if (child != 0) {
            running[child] = n;
            return;
        }
        alarm(kSeconds);
        measure(modules[n], first, ours, std::fopen(path(n, ".txt").c_str(), "a"),
                argc > 4 ? std::fopen(path(n, ".values").c_str(), "a") : nullptr);
        std::exit(0);
    };
    const auto wait_for_one = [&] {
        int status = 0;
        const pid_t child = wait(&status);
        const std::size_t n = running[child];
        running.erase(child);
        if (status == 0) return;
        const auto at = static_cast<std::size_t>(lines_of(path(n, ".txt")) + failed[n]++);
        std::fprintf(stderr, "failed (status %d): %s\n", status, modules[n].kernels[at].name.c_str());
        start(n);
    };
    for (std::size_t n = 0; n < modules.size(); ++n) {
        start(n);
        while (running.size() >= kProcesses) wait_for_one();
    }
    while (!running.empty()) wait_for_one();
    std::ofstream values(argc > 4 ? argv[4] : "/dev/null");
    for (std::size_t n = 0; n < modules.size(); ++n) {
        std::ifstream lines(path(n, ".txt")), some(path(n, ".values"));
        for (std::string line; std::getline(lines, line);) std::printf("%s\n", line.c_str());
        if (some.peek() != EOF) values << some.rdbuf();
    }
}
