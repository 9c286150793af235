// A grid-wide barrier, started both ways that CUDA has, and a grid that is too large to be resident.
#include <cooperative_groups.h>

#include <cstdio>

__global__ void shift(const int* in, int* middle, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) middle[i] = in[i] + 1;
    cooperative_groups::this_grid().sync();
    if (i < n) out[i] = middle[n - 1 - i];
}

int main() {
    constexpr int n = 1024;
    int h[n], *d = nullptr;
    for (int i = 0; i < n; ++i) h[i] = i;
    cudaMalloc(&d, 3 * sizeof h);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    int *middle = d + n, *out = d + 2 * n, count = n;
    int wrong = 0;
    void* arguments[] = {&d, &middle, &out, &count};
    wrong += cudaLaunchCooperativeKernel(shift, dim3(8), dim3(128), arguments, 0, nullptr) != cudaSuccess;
    wrong += cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost) != cudaSuccess;
    for (int i = 0; i < n; ++i) wrong += h[i] != n - i;

    cudaMemset(out, 0, sizeof h);
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(8);
    config.blockDim = dim3(128);
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    config.attrs = &attribute;
    config.numAttrs = 1;
    wrong += cudaLaunchKernelEx(&config, shift, static_cast<const int*>(d), middle, out, count) != cudaSuccess;
    wrong += cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost) != cudaSuccess;
    for (int i = 0; i < n; ++i) wrong += h[i] != n - i;

    wrong += cudaLaunchCooperativeKernel(shift, dim3(100000), dim3(128), arguments, 0, nullptr) !=
             cudaErrorCooperativeLaunchTooLarge;
    cudaGetLastError();
    cudaFree(d);
    std::printf("%d\n", wrong);
    return 0;
}
