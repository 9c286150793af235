// verdict: SLOW task=words
// because: 4.3 times the reference's time
// A count and an offset for each byte: four times as long as the text, and each of them goes through memory twice.
#include "allocate.h"

constexpr int kBlock = 256;

__device__ bool begins_at(const unsigned char* d_text, int i) {
    return !is_blank(d_text[i]) && (i == 0 || is_blank(d_text[i - 1]));
}

// Launch: a thread for each byte.
__global__ void count_beginnings(const unsigned char* d_text, int* d_counts, int n) {
    int i = blockIdx.x * kBlock + threadIdx.x;
    if (i < n) d_counts[i] = begins_at(d_text, i) ? 1 : 0;
}

// Launch: as above. A word's last byte has as many beginnings before it, itself included, as the word's number and one.
__global__ void scatter_ends(const unsigned char* d_text, const int* d_before, int* d_offsets, int* d_ends, int n) {
    int i = blockIdx.x * kBlock + threadIdx.x;
    if (i >= n || is_blank(d_text[i])) return;
    if (begins_at(d_text, i)) d_offsets[d_before[i]] = i;
    if (i + 1 == n || is_blank(d_text[i + 1])) d_ends[d_before[i + 1] - 1] = i + 1;
}

// Launch: a thread for each word that there can be. d_lengths holds the ends.
__global__ void subtract_offsets(const int* d_offsets, int* d_lengths, const int* d_total, int* d_count) {
    int w = blockIdx.x * kBlock + threadIdx.x;
    if (w < *d_total) d_lengths[w] -= d_offsets[w];
    if (w == 0) *d_count = *d_total;
}

void words(const unsigned char* d_text, int* d_offsets, int* d_lengths, int* d_count, int n, Workspace& work) {
    if (n == 0) {
        CUDA_CHECK(cudaMemsetAsync(d_count, 0, sizeof(int)));
        return;
    }
    int* d_counts = work.get<int>(n);
    int* d_before = work.get<int>(n + 1);
    count_beginnings<<<ceil_div(n, kBlock), kBlock>>>(d_text, d_counts, n);
    CUDA_CHECK(cudaGetLastError());
    primitives::exclusive_sum(d_counts, d_before, n, work);
    scatter_ends<<<ceil_div(n, kBlock), kBlock>>>(d_text, d_before, d_offsets, d_lengths, n);
    CUDA_CHECK(cudaGetLastError());
    subtract_offsets<<<ceil_div(ceil_div(n, 2), kBlock), kBlock>>>(d_offsets, d_lengths, d_before + n, d_count);
    CUDA_CHECK(cudaGetLastError());
}
