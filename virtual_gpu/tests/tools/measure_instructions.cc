// Runs the cases of exec_instruction_cases.cc on a GPU and prints a line a case: hash of the results, name.
//   g++ -std=c++20 -I.. -I$CUDA/include measure_instructions.cc ../exec_instruction_cases.cc -lcuda -o measure
//   ./measure [values.bin] > ../data/instructions_h200.txt
#include <cuda.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "exec_instruction_cases.h"

using namespace vgpu::cases;

static void check(CUresult r, const char* what) {
    if (r == CUDA_SUCCESS) return;
    const char* text = "";
    cuGetErrorString(r, &text);
    std::fprintf(stderr, "%s: %s\n", what, text);
    std::exit(1);
}

int main(int argc, char** argv) {
    check(cuInit(0), "cuInit");
    CUdevice device;
    CUcontext context;
    check(cuDeviceGet(&device, 0), "cuDeviceGet");
    check(cuDevicePrimaryCtxRetain(&context, device), "context");
    check(cuCtxSetCurrent(context), "context");
    const auto cases = all_cases();
    CUdeviceptr in, out;
    check(cuMemAlloc(&in, 3 * kSamples * 8), "cuMemAlloc");
    check(cuMemAlloc(&out, 2 * kSamples * 8), "cuMemAlloc");
    FILE* values = argc > 1 ? std::fopen(argv[1], "wb") : nullptr;
    constexpr std::size_t kChunk = 40;
    for (std::size_t first = 0; first < cases.size(); first += kChunk) {
        const std::size_t last = std::min(cases.size(), first + kChunk);
        std::vector<char> log(1 << 16);
        CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
        void* option_values[] = {log.data(), reinterpret_cast<void*>(log.size())};
        CUmodule module = nullptr;
        const bool together =
            cuModuleLoadDataEx(&module, ptx(cases, first, last).c_str(), 2, options, option_values) == CUDA_SUCCESS;
        for (std::size_t n = first; n < last; ++n) {
            CUmodule own = module;
            if (!together) {  // one of them does not assemble: each on its own
                std::memset(log.data(), 0, log.size());
                option_values[1] = reinterpret_cast<void*>(log.size());
                if (cuModuleLoadDataEx(&own, ptx(cases, n, n + 1).c_str(), 2, options, option_values) != CUDA_SUCCESS) {
                    std::fprintf(stderr, "%s: %.300s\n", cases[n].name.c_str(), log.data());
                    continue;
                }
            }
            std::vector<std::uint64_t> data(3 * kSamples), result(2 * kSamples);
            for (std::size_t k = 0; k < cases[n].inputs.size(); ++k)
                for (int i = 0; i < kSamples; ++i)
                    data[k * kSamples + static_cast<std::size_t>(i)] =
                        input(cases[n].inputs[k], static_cast<int>(k), i);
            check(cuMemcpyHtoD(in, data.data(), data.size() * 8), "copy");
            CUfunction function;
            check(cuModuleGetFunction(&function, own, ("case_" + std::to_string(n)).c_str()), "function");
            void* args[] = {&in, &out};
            check(cuLaunchKernel(function, kSamples / 256, 1, 1, 256, 1, 1, 0, nullptr, args, nullptr),
                  cases[n].name.c_str());
            check(cuCtxSynchronize(), cases[n].name.c_str());
            check(cuMemcpyDtoH(result.data(), out, result.size() * 8), "copy");
            std::printf("%016llx %s\n", static_cast<unsigned long long>(hash(result)), cases[n].name.c_str());
            if (values) {
                const auto number = static_cast<std::uint64_t>(n);
                std::fwrite(&number, 8, 1, values);
                std::fwrite(result.data(), 8, result.size(), values);
            }
            if (!together) cuModuleUnload(own);
        }
        if (together) cuModuleUnload(module);
    }
    if (values) std::fclose(values);
}
