// Warp instructions a second of the interpreter, per kernel: with bounds checks only, which are always on, with
// counters, with the other checks, and with both.
//   vgpu_bench kernels.ptx [kernel [mode]]
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <sstream>

#include "virtual_gpu/exec/executor.h"
#include "virtual_gpu/ptx/parser.h"

using namespace vgpu;

namespace {

constexpr int kElements = 1 << 20;

// Of this process, so that others on the machine do not count.
double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

struct Mode {
    const char* name;
    bool checks, counts;
};
constexpr Mode kModes[] = {
    {"bounds", false, false}, {"counters", false, true}, {"checks", true, false}, {"both", true, true}};

Launch launch_of(const std::string& kernel, ModuleId module, DevicePtr in, DevicePtr out) {
    Launch launch;
    launch.kernel = kernel;
    launch.module = module;
    const bool strided = kernel == "reduce" || kernel == "histogram";
    launch.grid = {strided ? 64u : kElements / 256u, 1, 1};
    launch.block = {256, 1, 1};
    launch.params.resize(20);
    const int n = kElements;
    std::memcpy(&launch.params[0], &in, 8);
    std::memcpy(&launch.params[8], &out, 8);
    std::memcpy(&launch.params[16], &n, 4);
    return launch;
}

double rate(Executor& executor, const Launch& launch) {
    LaunchResult result;
    const double start = cpu_seconds();
    executor.launch(launch, result);
    const double time = cpu_seconds() - start;
    if (result.status != Status::ok || !result.findings.empty())
        std::printf("%s: %s\n", launch.kernel.c_str(),
                    result.findings.empty() ? result.message.c_str() : result.findings[0].what.c_str());
    return static_cast<double>(result.steps) / time;
}

// The best rate of each mode. They take turns, so that a busy machine slows all of them.
void measure(Executor& executor, Memory& memory, ModuleId module, const std::string& kernel, const std::string& only) {
    DevicePtr in = 0, out = 0;
    std::vector<int> data(kElements);
    for (int i = 0; i < kElements; ++i) data[static_cast<std::size_t>(i)] = (i * 2654435761u) >> 8;
    memory.allocate(kElements * 4, "in", in);
    memory.allocate(kElements * 4, "out", out);
    memory.write(in, std::as_bytes(std::span(data)));
    memory.fill(out, 0, 4, kElements);
    const Launch launch = launch_of(kernel, module, in, out);
    double best[std::size(kModes)] = {};
    for (int round = 0; round < 5; ++round)
        for (std::size_t mode = 0; mode < std::size(kModes); ++mode) {
            if (!only.empty() && only != kModes[mode].name) continue;
            ExecOptions options;
            options.check_memory = kModes[mode].checks;
            options.count = kModes[mode].counts;
            executor.configure(options);
            best[mode] = std::max(best[mode], rate(executor, launch));
        }
    std::printf("%-14s", kernel.c_str());
    for (const double figure : best) std::printf(" %12.1f", figure / 1e6);
    std::printf("\n");
    memory.release(in);
    memory.release(out);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fprintf(stderr, "usage: vgpu_bench kernels.ptx [kernel [mode]]\n");
        return 2;
    }
    std::ifstream in(argv[1]);
    std::stringstream text;
    text << in.rdbuf();
    ptx::Program program;
    ptx::ParseError error;
    if (!ptx::parse(text.str(), program, error)) {
        std::fprintf(stderr, "%s:%d: %s\n", argv[1], error.ptx_line, error.message.c_str());
        return 1;
    }
    Memory memory;
    Executor executor(memory, {});
    ModuleId module = 0;
    std::string message;
    if (executor.load(program, module, message) != Status::ok) {
        std::fprintf(stderr, "%s\n", message.c_str());
        return 1;
    }
    std::printf("%-14s", "M/s");
    for (const Mode& mode : kModes) std::printf(" %12s", mode.name);
    std::printf("\n");
    for (const auto& f : program.functions)
        if (f.is_entry && (argc == 2 || f.name == argv[2]))
            measure(executor, memory, module, f.name, argc > 3 ? argv[3] : "");
}
