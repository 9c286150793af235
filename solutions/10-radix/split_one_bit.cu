// Task 1, split_one_bit: one bit a pass, the lowest first. Keys with a 0 go to the front and keep their order; an
// exclusive sum of the zeros gives their places. Keys with a 1 follow them. The number of ones before key i needs no
// second sum: it is i minus the number of zeros before it.
// Global memory: 39 bytes a key in each pass for keys, zeros and sums; 1,244 for 32 bits.
// (Blelloch, "Prefix sums and their applications", CMU-CS-90-190, 1990: split.)
#include "passes.cuh"

namespace {

constexpr int kBlock = 256;

// Launch: a thread for each key.
__global__ void flag_zeros(const unsigned* d_keys, int* d_zeros, int n, int bit) {
    int i = blockIdx.x * kBlock + threadIdx.x;
    if (i < n) d_zeros[i] = (d_keys[i] >> bit & 1) == 0 ? 1 : 0;
}

// Launch: as above. d_before[i] is the number of zeros before key i, d_before[n] the number of all zeros.
__global__ void split(const unsigned* d_from, const int* d_before, unsigned* d_to, int n, int bit) {
    int i = blockIdx.x * kBlock + threadIdx.x;
    if (i >= n) return;
    unsigned key = d_from[i];
    bool is_zero = (key >> bit & 1) == 0;
    d_to[is_zero ? d_before[i] : d_before[n] + i - d_before[i]] = key;
}

}  // namespace

void split_one_bit(const unsigned* d_in, unsigned* d_out, int n, Bits bits, Workspace& work) {
    if (n == 0) return;
    Turns<unsigned> keys(d_in, d_out, n, bits.end - bits.begin, work);
    int* d_zeros = work.get<int>(n + 1);  // flags, then in their place the sums
    for (int bit = bits.begin; bit < bits.end; ++bit, keys.next()) {
        flag_zeros<<<ceil_div(n, kBlock), kBlock>>>(keys.d_from, d_zeros, n, bit);
        CUDA_CHECK(cudaGetLastError());
        primitives::exclusive_sum(d_zeros, d_zeros, n, work);
        split<<<ceil_div(n, kBlock), kBlock>>>(keys.d_from, d_zeros, keys.d_to, n, bit);
        CUDA_CHECK(cudaGetLastError());
    }
}
