// Asks for what is missing, in one way for each argument. Nothing is printed after that, except after a query.
#include <cstdio>
#include <cstring>
#include <iostream>
#include <thread>

__global__ void use_video_instruction(unsigned* d) {
    unsigned sum = 0;
    asm volatile("vadd4.u32.u32.u32 %0, %1, %2, %3;" : "=r"(sum) : "r"(d[0]), "r"(d[1]), "r"(d[2]));
    d[3] = sum;
}

void share() {
    cudaIpcMemHandle_t handle;
    cudaIpcGetMemHandle(&handle, nullptr);
    std::puts("went on");
}

struct AtExit {
    bool is_on = false;
    ~AtExit() {
        if (is_on) share();
    }
} at_exit;

int main(int argc, char** argv) {
    const char* what = argc > 1 ? argv[1] : "";
    const auto is = [&](const char* one) { return std::strcmp(what, one) == 0; };
    unsigned* d = nullptr;
    cudaMalloc(&d, 64);
    cudaMemset(d, 0, 64);
    std::ios::sync_with_stdio(false);
    std::printf("begin ");
    if (is("call")) share();
    if (is("thread")) std::thread(share).join();
    if (is("buffered")) {
        std::cout << "text ";
        share();
    }
    at_exit.is_on = is("static");
    if (is("kernel")) {
        use_video_instruction<<<1, 32>>>(d);
        std::puts("went on");
    }
    if (is("captured")) {
        cudaStream_t stream;
        void* more = nullptr;
        cudaStreamCreate(&stream);
        cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
        cudaMallocAsync(&more, 64, stream);
        std::puts("went on");
    }
    if (is("query")) {
        void* function = nullptr;
        int clusters = 0, value = 0;
        const cudaLaunchConfig_t config{};
        const cudaError_t entry = cudaGetDriverEntryPointByVersion("cuInit", &function, 13000, 0);
        const cudaError_t room = cudaOccupancyMaxActiveClusters(&clusters, use_video_instruction, &config);
        const cudaError_t unknown = cudaDeviceGetAttribute(&value, cudaDevAttrReserved92, 0);
        std::printf("%s %s %s\n", cudaGetErrorName(entry), cudaGetErrorName(room), cudaGetErrorName(unknown));
    }
    std::puts("end");
    return 0;
}
