// How a program ends, with memory that is not freed and errors that nobody looked at. Argument: what happens.
#include <cstdio>
#include <cstdlib>
#include <string>

__global__ void nothing() {}
__global__ void trap() { __trap(); }

static void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    std::printf("%s\n", cudaGetErrorString(error));
    std::exit(1);
}

int main(int, char** argv) {
    const std::string how = argv[1];
    int *kept = nullptr, *other = nullptr;
    check(cudaMalloc(&kept, 400));
    if (how == "ends_at_a_failed_call") check(cudaMemcpy(kept, nullptr, 100, cudaMemcpyHostToDevice));
    if (how == "ends_at_a_failed_launch") {
        nothing<<<1, 2000>>>();
        check(cudaGetLastError());
    }
    if (how == "ends_at_a_failed_kernel") {
        trap<<<1, 1>>>();
        check(cudaDeviceSynchronize());
    }
    if (how == "ends_well_without_looking") cudaMemcpy(kept, nullptr, 100, cudaMemcpyHostToDevice);
    if (how == "ends_badly") {
        if (cudaMemcpy(kept, nullptr, 100, cudaMemcpyHostToDevice) != cudaSuccess) return 1;
    }
    if (how == "last_launch_fails") nothing<<<1, 2000>>>();
    if (how == "crashes" || how == "aborts") {
        cudaFree(kept + 1);
        if (how == "aborts") std::abort();
        *reinterpret_cast<volatile int*>(16) = 1;
    }
    if (how == "fails_and_goes_on") {
        cudaMemcpy(kept, nullptr, 100, cudaMemcpyHostToDevice);
        cudaGetLastError();
        check(cudaMalloc(&other, 4));
        check(cudaFree(other));
    }
}
