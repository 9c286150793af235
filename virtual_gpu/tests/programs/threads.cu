// Launches from several host threads at once, each on its own per-thread stream, through a second fat binary too.
#include <cstdio>
#include <thread>
#include <vector>

__global__ void add(int* d, int value) { d[threadIdx.x] += value; }

int main() {
    int failures[4] = {};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([t, &failures] {
            int *d = nullptr, h[64];
            failures[t] += cudaMalloc(&d, sizeof h) != cudaSuccess;
            failures[t] += cudaMemsetAsync(d, 0, sizeof h, cudaStreamPerThread) != cudaSuccess;
            for (int i = 0; i < 20; ++i) add<<<1, 64, 0, cudaStreamPerThread>>>(d, t + 1);
            failures[t] += cudaGetLastError() != cudaSuccess;
            failures[t] += cudaStreamSynchronize(cudaStreamPerThread) != cudaSuccess;
            failures[t] += cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost) != cudaSuccess;
            for (int i : h) failures[t] += i != 20 * (t + 1);
            failures[t] += cudaFree(d) != cudaSuccess;
        });
    }
    for (std::thread& thread : threads) thread.join();
    std::printf("%d\n", failures[0] + failures[1] + failures[2] + failures[3]);
    return 0;
}
