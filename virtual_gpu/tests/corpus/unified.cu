// Memory that the host and kernels share: managed, and mapped into the device.
#include "corpus.h"

constexpr int kN = 1000;

__global__ void double_all(int* data, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= 2;  // one_too_many: out_of_bounds
}

int* managed_numbers() {
    int* data = nullptr;
    CHECK(cudaMallocManaged(&data, kN * sizeof(int)));  // managed_not_freed: leak
    for (int i = 0; i < kN; ++i) data[i] = i;
    return data;
}

template <bool kGood>
void read_too_early() {
    int* data = managed_numbers();
    double_all<<<4, 256>>>(data, kN);
    if (kGood) CHECK(cudaDeviceSynchronize());
    long sum = 0;
    for (int i = 0; i < kN; ++i) sum += data[i];  // read_too_early: race
    std::printf("%ld\n", sum);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(data));
}

// The kernel of the next step may still read what the host replaces.
template <bool kGood>
void written_too_early() {
    int* data = managed_numbers();
    Array<int> sums(kN, 0);
    for (int step = 0; step < 3; ++step) {
        double_all<<<4, 256>>>(data, kN);
        if (kGood || step == 0) CHECK(cudaDeviceSynchronize());
        data[0] = step;  // written_too_early: race
    }
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(data));
}

template <bool kGood>
void one_too_many() {
    int* data = managed_numbers();
    double_all<<<4, 256>>>(data, kGood ? kN : kN + 1);
    const cudaError_t error = cudaDeviceSynchronize();
    std::printf("%d\n", error == cudaSuccess);
    CHECK(cudaFree(data));
}

__managed__ int total = 7;
__managed__ int unused[3] = {1, 2, 3};
__global__ void add_to_total(const int* data, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (unused[0] == 1) atomicAdd(&total, data[i]);
}
// No argument names the variable; the array of the same kernel does.
template <bool kGood>
void array_of_the_sum() {
    int* data = managed_numbers();
    total = 5;
    add_to_total<<<4, 256>>>(data, kN);
    if (kGood) CHECK(cudaDeviceSynchronize());
    data[3] = 0;  // array_of_the_sum: race
    CHECK(cudaDeviceSynchronize());
    std::printf("%d %d\n", total, unused[2]);
    CHECK(cudaFree(data));
}

// Pinned memory that kernels reach through a pointer of their own.
template <bool kGood>
void mapped_too_early() {
    int *data = nullptr, *d_data = nullptr;
    CHECK(cudaHostAlloc(&data, kN * sizeof(int), cudaHostAllocMapped));
    for (int i = 0; i < kN; ++i) data[i] = i;
    CHECK(cudaHostGetDevicePointer(&d_data, data, 0));
    double_all<<<4, 256>>>(d_data, kN);
    if (kGood) CHECK(cudaDeviceSynchronize());
    std::printf("%d\n", data[kN - 1]);  // mapped_too_early: race
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFreeHost(data));
}

template <bool kGood>
void managed_not_freed() {
    int* data = managed_numbers();
    double_all<<<4, 256>>>(data, kN / 2);
    CHECK(cudaDeviceSynchronize());
    std::printf("%d\n", data[kN / 2 - 1] + data[kN - 1]);
    if (kGood) CHECK(cudaFree(data));
}

int main(int argc, char** argv) {
    return run({PAIR(read_too_early), PAIR(written_too_early), PAIR(one_too_many), PAIR(array_of_the_sum),
                PAIR(mapped_too_early), PAIR(managed_not_freed)},
               argc, argv);
}
