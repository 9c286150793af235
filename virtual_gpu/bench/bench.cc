// Warp instructions a second of the interpreter, per kernel: with bounds checks only, and with every check and counter.
//   vgpu_bench kernels.ptx [kernel]
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

double rate(Executor& executor, Memory& memory, ModuleId module, const std::string& kernel, double& seconds) {
    DevicePtr in = 0, out = 0;
    std::vector<int> data(kElements);
    for (int i = 0; i < kElements; ++i) data[static_cast<std::size_t>(i)] = (i * 2654435761u) >> 8;
    memory.allocate(kElements * 4, "in", in);
    memory.allocate(kElements * 4, "out", out);
    memory.write(in, std::as_bytes(std::span(data)));
    memory.fill(out, 0, 4, kElements);
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
    double best = 0;
    for (int run = 0; run < 3; ++run) {
        LaunchResult result;
        const double start = cpu_seconds();
        executor.launch(launch, result);
        const double time = cpu_seconds() - start;
        if (result.status != Status::ok || !result.findings.empty())
            std::printf("%s: %s\n", kernel.c_str(),
                        result.findings.empty() ? result.message.c_str() : result.findings[0].what.c_str());
        const double rate = static_cast<double>(result.steps) / time;
        if (rate > best) {
            best = rate;
            seconds = time;
        }
    }
    memory.release(in);
    memory.release(out);
    return best;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fprintf(stderr, "usage: vgpu_bench kernels.ptx [kernel]\n");
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
    std::printf("%-14s %24s %24s\n", "", "bounds only", "all checks and counters");
    for (const auto& f : program.functions) {
        if (!f.is_entry || (argc > 2 && f.name != argv[2])) continue;
        double figures[2], seconds[2];
        for (int all = 0; all < 2; ++all) {
            ExecOptions options;
            options.check_memory = options.count = all == 1;
            executor.configure(options);
            figures[all] = rate(executor, memory, module, f.name, seconds[all]);
        }
        std::printf("%-14s %10.1f M/s %7.1f ms %10.1f M/s %7.1f ms\n", f.name.c_str(), figures[0] / 1e6,
                    seconds[0] * 1e3, figures[1] / 1e6, seconds[1] * 1e3);
    }
}
