// verdict: WA task=global_memory
// because: right on one run and wrong on the next
// Every level writes into the array that it reads, where another block may not have read yet.
#include "reduce.h"

constexpr int kBlock = 256;

template <class T>
__global__ void add_pairs(const T* d_from, long long* d_to, int n) {
    int left = 2 * (blockIdx.x * kBlock + threadIdx.x);
    int right = left + 1;
    if (left >= n) return;
    long long sum = d_from[left];
    if (right < n) sum += d_from[right];
    d_to[left / 2] = sum;
}

void global_memory(const int* d_in, long long* d_sum, int n, Workspace& work) {
    if (n == 0) {
        CUDA_CHECK(cudaMemsetAsync(d_sum, 0, sizeof *d_sum));
        return;
    }
    auto* d_partial = work.get<long long>(ceil_div(n, 2));
    add_pairs<<<ceil_div(ceil_div(n, 2), kBlock), kBlock>>>(d_in, d_partial, n);
    CUDA_CHECK(cudaGetLastError());
    for (int left = ceil_div(n, 2); left > 1; left = ceil_div(left, 2)) {
        add_pairs<<<ceil_div(ceil_div(left, 2), kBlock), kBlock>>>(d_partial, d_partial, left);
        CUDA_CHECK(cudaGetLastError());
    }
    CUDA_CHECK(cudaMemcpyAsync(d_sum, d_partial, sizeof *d_sum, cudaMemcpyDeviceToDevice));
}
