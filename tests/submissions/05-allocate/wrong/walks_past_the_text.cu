// A thread for each byte; the first byte of a word walks to its end.
#include "allocate.h"
__global__ void mark_starts(const unsigned char* text, int* starts, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    bool here = !is_blank(text[i]);
    bool before = i > 0 && !is_blank(text[i - 1]);
    starts[i] = here && !before;
}
__global__ void write_words(const unsigned char* text, const int* starts, const int* pos, int* offsets, int* lengths,
                            int* count, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (i == 0) *count = pos[n];
    if (!starts[i]) return;
    int end = i;
    while (!is_blank(text[end])) end++;
    offsets[pos[i]] = i;
    lengths[pos[i]] = end - i;
}
void words(const unsigned char* d_text, int* d_offsets, int* d_lengths, int* d_count, int n, Workspace& work) {
    CUDA_CHECK(cudaMemsetAsync(d_count, 0, sizeof(int)));
    if (n == 0) return;
    int *starts = work.get<int>(n), *pos = work.get<int>(n + 1);
    mark_starts<<<ceil_div(n, 256), 256>>>(d_text, starts, n);
    CUDA_CHECK(cudaGetLastError());
    primitives::exclusive_sum(starts, pos, n, work);
    write_words<<<ceil_div(n, 256), 256>>>(d_text, starts, pos, d_offsets, d_lengths, d_count, n);
    CUDA_CHECK(cudaGetLastError());
}
