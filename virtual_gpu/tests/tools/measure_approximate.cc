// Measures the approximate instructions on a GPU: a line for each with the hash of all 2^32 inputs, those of the
// samples that the test replays, and its name.
//   g++ -std=c++20 -O1 -I.. -I$CUDA/include measure_approximate.cc -lcuda -o measure
//   ./measure > ../data/approximate_h200.txt
#include <cuda.h>

#include <cstdio>
#include <cstdlib>

#include "approximate_cases.h"

using namespace vgpu::approximate;

static void check(CUresult r, const char* what) {
    if (r == CUDA_SUCCESS) return;
    const char* text = "";
    cuGetErrorString(r, &text);
    std::fprintf(stderr, "%s: %s\n", what, text);
    std::exit(1);
}

int main() {
    check(cuInit(0), "cuInit");
    CUdevice device;
    CUcontext context;
    check(cuDeviceGet(&device, 0), "cuDeviceGet");
    check(cuDevicePrimaryCtxRetain(&context, device), "context");
    check(cuCtxSetCurrent(context), "context");
    const auto list = functions();
    CUmodule module;
    check(cuModuleLoadData(&module, ptx(list).c_str()), "module");
    constexpr unsigned kBlocks = 4096;
    CUdeviceptr sums;
    check(cuMemAlloc(&sums, kBlocks * 8), "cuMemAlloc");
    std::vector<std::uint64_t> found(kBlocks);
    for (std::size_t n = 0; n < list.size(); ++n) {
        CUfunction function;
        check(cuModuleGetFunction(&function, module, ("hash_" + std::to_string(n)).c_str()), "function");
        const auto hash = [&](std::uint32_t first, std::uint32_t count, unsigned blocks) {
            check(cuMemsetD8(sums, 0, kBlocks * 8), "fill");
            void* arguments[] = {&first, &count, &sums};
            check(cuLaunchKernel(function, blocks, 1, 1, kThreads, 1, 1, 0, nullptr, arguments, nullptr), "launch");
            check(cuMemcpyDtoH(found.data(), sums, kBlocks * 8), list[n].name.c_str());
            std::uint64_t sum = 0;
            for (unsigned b = 0; b < blocks; ++b) sum += found[b];
            return sum;
        };
        std::printf("%016llx",
                    static_cast<unsigned long long>(hash(0, 0x1'0000'0000ull / (kBlocks * kThreads), kBlocks)));
        for (std::uint32_t part = 0; part < kParts; ++part)
            std::printf(" %016llx", static_cast<unsigned long long>(hash(part * kPart, kPart / kThreads, 1)));
        std::printf(" %s\n", list[n].name.c_str());
        std::fflush(stdout);
    }
}
