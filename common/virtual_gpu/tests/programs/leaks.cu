// Memory that is not freed, with and without a reason. Argument: what happens.
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
    if (how == "fails_and_goes_on") {
        cudaMemcpy(kept, nullptr, 100, cudaMemcpyHostToDevice);
        cudaGetLastError();
        check(cudaMalloc(&other, 4));
        check(cudaFree(other));
    }
}
