// What the command virtual-gpu is tried with: correct, wrong in every schedule or in some, and ended in several ways.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

__global__ void fill(int* a, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) a[i] = i;
}

__global__ void fill_too_far(int* a, int n) {
    const int i = static_cast<int>(threadIdx.x);
    if (i <= n) a[i] = i;
}

// Writes past the end only if the last block begins before the first has ended.
__global__ void depends_on_order(int* a, int* done, int n) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        atomicExch(done, 1);
    } else if (blockIdx.x == gridDim.x - 1 && atomicAdd(done, 0) == 0) {
        a[n] = 1;
    }
}

__global__ void endless(int* a) {
    unsigned x = 1;
    for (long long i = 0; i < 1LL << 50; ++i) x = (x * 1664525u) ^ (x >> 7);
    a[0] = static_cast<int>(x);
}

int main(int argc, char** argv) {
    constexpr int kCount = 100;
    const std::string what = argc > 1 ? argv[1] : "right";
    if (what == "without") return argc > 2 ? std::atoi(argv[2]) : 0;
    int *a = nullptr, *done = nullptr;
    cudaMalloc(&a, kCount * sizeof(int));
    cudaMalloc(&done, sizeof(int));
    cudaMemset(done, 0, sizeof(int));
    fill<<<2, 64>>>(a, kCount);
    if (what == "outside" || what == "fork" || what == "abort") fill_too_far<<<1, 128>>>(a, kCount);
    if (what == "endless") endless<<<1, 32>>>(a);
    if (what == "order") depends_on_order<<<8, 32>>>(a, done, kCount);
    if (what == "fork" && fork() == 0) {
        fill<<<1, 32>>>(a, 32);
        std::exit(0);
    }
    if (what == "fork") wait(nullptr);
    const cudaError_t error = cudaDeviceSynchronize();
    int number = 0;
    if (what == "input" && std::scanf("%d", &number) == 1) std::printf("read %d\n", number);
    std::printf("%s\n", cudaGetErrorName(error));
    std::fflush(stdout);
    if (what == "abort") std::abort();
    if (what == "killed") kill(getpid(), SIGKILL);
    if (what == "leak") return 0;
    cudaFree(a);
    cudaFree(done);
    return argc > 2 ? std::atoi(argv[2]) : 0;
}
