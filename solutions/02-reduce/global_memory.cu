// Task 1, global_memory: a tree of sums. A launch for each level; every level reads what the one before wrote.
#include "reduce.h"

constexpr int kBlock = 256;

// Launch: a thread for each pair.
template <class T>
__global__ void add_pairs(const T* d_from, long long* d_to, int n) {
    int left = 2 * (blockIdx.x * kBlock + threadIdx.x);
    int right = left + 1;
    if (left >= n) return;
    long long sum = d_from[left];
    if (right < n) sum += d_from[right];
    d_to[left / 2] = sum;
}

// Every level has an array of its own: blocks run in any order, and none may overwrite what another has yet to read.
template <class T>
void add_levels(const T* d_from, long long* d_sum, int n, Workspace& work) {
    int pairs = ceil_div(n, 2);
    long long* d_to = pairs == 1 ? d_sum : work.get<long long>(pairs);
    add_pairs<<<ceil_div(pairs, kBlock), kBlock>>>(d_from, d_to, n);
    CUDA_CHECK(cudaGetLastError());
    if (pairs > 1) add_levels(d_to, d_sum, pairs, work);
}

void global_memory(const int* d_in, long long* d_sum, int n, Workspace& work) {
    if (n == 0) {
        CUDA_CHECK(cudaMemsetAsync(d_sum, 0, sizeof *d_sum));
        return;
    }
    add_levels(d_in, d_sum, n, work);
}
