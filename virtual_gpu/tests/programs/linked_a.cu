// -rdc=true: a kernel here calls a function and reads a variable of linked_b.cu.
#include <cstdio>

extern __device__ int scale(int);
extern __device__ int offset;
void run_other(int*);

__global__ void use(int* d) { *d = scale(3) + offset; }

int main() {
    int *d = nullptr, h[2] = {};
    cudaMalloc(&d, 8);
    use<<<1, 1>>>(d);
    run_other(d + 1);
    cudaMemcpy(h, d, 8, cudaMemcpyDeviceToHost);
    std::printf("%d %d %s\n", h[0], h[1], cudaGetErrorName(cudaGetLastError()));
    return h[0] == 35 && h[1] == 50 ? 0 : 1;
}
