// A library with a kernel and CUDA's runtime in it, which command_library_user.cc uses.
__global__ void too_far(int* a) { a[threadIdx.x] = 1; }

extern "C" void run_kernel() {
    int* a = nullptr;
    cudaMalloc(&a, 31 * sizeof(int));
    too_far<<<1, 32>>>(a);
    cudaDeviceSynchronize();
    cudaFree(a);
}
