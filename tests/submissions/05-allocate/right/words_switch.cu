// Style: an enum, a switch, starts and ends of words by separate kernels.
#include "allocate.h"
namespace {
enum class What : unsigned char { blank, letter };
__device__ What what(const unsigned char* t, long long i, int n) {
    if (i < 0 || i >= n) return What::blank;
    switch (t[i]) {
        case ' ':
        case '\t':
        case '\n':
        case '\v':
        case '\f':
        case '\r':
            return What::blank;
        default:
            return What::letter;
    }
}
__global__ void mark(const unsigned char* t, int n, int* starts, int* ends) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    bool l = what(t, i, n) == What::letter;
    starts[i] = l && what(t, i - 1, n) == What::blank;
    ends[i] = l && what(t, i + 1, n) == What::blank;
}
__global__ void put(const int* starts, const int* ends, const int* at, int n, int* off) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && starts[i]) off[at[i]] = i;
}
__global__ void len(const int* starts, const int* ends, const int* at, int n, const int* off, int* length, int* count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && ends[i]) {
        int w = at[i + 1] - 1;
        length[w] = i + 1 - off[w];
    }
    if (i == 0) *count = at[n];
}
}  // namespace
void words(const unsigned char* d_text, int* d_offsets, int* d_lengths, int* d_count, int n, Workspace& work) {
    if (n == 0) {
        CUDA_CHECK(cudaMemset(d_count, 0, 4));
        return;
    }
    int *starts = work.get<int>(n), *ends = work.get<int>(n), *at = work.get<int>(n + 1);
    const dim3 g(ceil_div(n, 256)), b(256);
    mark<<<g, b>>>(d_text, n, starts, ends);
    primitives::exclusive_sum(starts, at, n, work);
    put<<<g, b>>>(starts, ends, at, n, d_offsets);
    len<<<g, b>>>(starts, ends, at, n, d_offsets, d_lengths, d_count);
    CUDA_CHECK(cudaGetLastError());
}
