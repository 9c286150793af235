// A kernel that declares more shared memory than the PTX compiler takes: it never starts.
#include <cstdio>

__global__ void too_much(int* d) {
    __shared__ int s[12 * 1024 + 1];
    s[threadIdx.x] = 1;
    __syncthreads();
    *d = s[threadIdx.x ^ 1];
}

int main() {
    int* d_data = nullptr;
    if (cudaMalloc(&d_data, 4) != cudaSuccess) return 2;
    too_much<<<1, 32>>>(d_data);
    std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    return 0;
}
