// Which of the PTX images that it was built with runs, and what is said of it.
#include <cstdio>

__global__ void tell(int* arch) {
#ifdef __CUDA_ARCH__
    *arch = __CUDA_ARCH__;
#endif
}

int main() {
    int *d_arch = nullptr, arch = 0, driver = 0, runtime = 0;
    cudaMalloc(&d_arch, sizeof arch);
    tell<<<1, 1>>>(d_arch);
    const cudaError_t launched = cudaGetLastError();
    if (launched == cudaSuccess) cudaMemcpy(&arch, d_arch, sizeof arch, cudaMemcpyDeviceToHost);
    cudaFuncAttributes attributes{};
    const cudaError_t asked = cudaFuncGetAttributes(&attributes, tell);
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    std::printf("%s %d %s ptx %d binary %d, driver %s\n", cudaGetErrorName(launched), arch, cudaGetErrorName(asked),
                attributes.ptxVersion, attributes.binaryVersion, driver >= runtime ? "new enough" : "too old");
    cudaFree(d_arch);
}
