// by_index with a sort of its own, so that it compiles without the other tasks: splits by one bit, with values.
#include "passes.cuh"

namespace {

constexpr int kBlock = 256;

// Launch, all kernels: a thread for each record.
__global__ void take_keys(const Record* d_in, unsigned* d_keys, unsigned* d_places, int n) {
    int i = blockIdx.x * kBlock + threadIdx.x;
    if (i >= n) return;
    d_keys[i] = d_in[i].key;
    d_places[i] = i;
}

__global__ void flag_zeros(const unsigned* d_keys, int* d_zeros, int n, int bit) {
    int i = blockIdx.x * kBlock + threadIdx.x;
    if (i < n) d_zeros[i] = (d_keys[i] >> bit & 1) == 0 ? 1 : 0;
}

__global__ void split(Turns<unsigned> keys, Turns<unsigned> places, const int* d_before, int n, int bit) {
    int i = blockIdx.x * kBlock + threadIdx.x;
    if (i >= n) return;
    bool is_zero = (keys.d_from[i] >> bit & 1) == 0;
    int to = is_zero ? d_before[i] : d_before[n] + i - d_before[i];
    keys.d_to[to] = keys.d_from[i];
    places.d_to[to] = places.d_from[i];
}

__global__ void scatter(const Record* d_in, const unsigned* d_order, Record* d_out, int n) {
    int i = blockIdx.x * kBlock + threadIdx.x;
    if (i < n) d_out[d_order[i]] = d_in[i];  // the mistake: record i of the output comes from place d_order[i]
}

}  // namespace

void by_index(const Record* d_in, Record* d_out, int n, Workspace& work) {
    if (n == 0) return;
    int blocks = ceil_div(n, kBlock);
    int* d_before = work.get<int>(n + 1);
    unsigned *d_keys = work.get<unsigned>(n), *d_sorted_keys = work.get<unsigned>(n);
    unsigned *d_places = work.get<unsigned>(n), *d_order = work.get<unsigned>(n);
    take_keys<<<blocks, kBlock>>>(d_in, d_keys, d_places, n);
    CUDA_CHECK(cudaGetLastError());
    Turns<unsigned> keys(d_keys, d_sorted_keys, n, 32, work), places(d_places, d_order, n, 32, work);
    for (int bit = 0; bit < 32; ++bit, keys.next(), places.next()) {
        flag_zeros<<<blocks, kBlock>>>(keys.d_from, d_before, n, bit);
        CUDA_CHECK(cudaGetLastError());
        primitives::exclusive_sum(d_before, d_before, n, work);
        split<<<blocks, kBlock>>>(keys, places, d_before, n, bit);
        CUDA_CHECK(cudaGetLastError());
    }
    scatter<<<blocks, kBlock>>>(d_in, d_order, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}
