// One mistake for each argument; the test reads the report.
#include <dlfcn.h>

#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void write(int* d, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) d[i] = i;
}
__global__ void check(int n) { assert(n < 0); }
__global__ void print(int n) { printf("thread %d of %d: %s %.2f\n", threadIdx.x, n, "text", 1.5); }

int main(int argc, char** argv) {
    const char* what = argc > 1 ? argv[1] : "";
    int* d_data = nullptr;
    int h[100] = {};
    if (cudaMalloc(&d_data, 400) != cudaSuccess) return 2;
    cudaError_t error = cudaSuccess;
    if (std::strcmp(what, "host_access") == 0) {
        d_data[3] = 1;
    } else if (std::strcmp(what, "copy_past_end") == 0) {
        error = cudaMemcpy(h, d_data, 404, cudaMemcpyDeviceToHost);
    } else if (std::strcmp(what, "copy_past_end_of_array") == 0) {  // which begins 8 bytes into its allocation
        reinterpret_cast<int (*)(void*, const char*)>(dlsym(RTLD_DEFAULT, "vgpuLabel"))(d_data + 2, "d_in");
        error = cudaMemcpy(h, d_data + 5, 392, cudaMemcpyDeviceToHost);
    } else if (std::strcmp(what, "kernel_past_end") == 0) {
        write<<<1, 128>>>(d_data, 128);
        error = cudaDeviceSynchronize();
        if (cudaMemset(d_data, 0, 4) != error) std::puts("not sticky");
    } else if (std::strcmp(what, "assert") == 0) {
        check<<<1, 1>>>(5);
        error = cudaDeviceSynchronize();
    } else if (std::strcmp(what, "printf") == 0) {
        print<<<1, 2>>>(2);
        error = cudaDeviceSynchronize();
    } else if (std::strcmp(what, "ignored") == 0) {
        write<<<1, 2000>>>(d_data, 100);
        cudaMemcpy(h, d_data, 4, cudaMemcpyDeviceToHost);
        cudaMemset(d_data, 0, 400);
    } else if (std::strcmp(what, "wrong_direction") == 0) {
        error = cudaMemcpy(h, d_data, 400, cudaMemcpyHostToDevice);
    } else if (std::strcmp(what, "double_free") == 0) {
        cudaFree(d_data);
        error = cudaFree(d_data);
    } else if (std::strcmp(what, "leak") == 0) {
        return 0;
    }
    std::printf("%s\n", cudaGetErrorName(error));
    cudaFree(d_data);
    return 0;
}
