// Style: bit tricks: a ballot makes a word of 32 bits out of 32 bytes, __funnelshift finds beginnings and ends in it,
// __popc ranks them; masks of blanks as a constant 64-bit set; each warp has a page of its own; u32 aliases.
#include "allocate.h"

using u32 = unsigned;
using u64 = unsigned long long;

constexpr int kRows = 32, kPage = 32 * kRows, kWarps = 8;

__constant__ constexpr u64 kBlanks = 1ull << ' ' | 0b11111ull << '\t';

__device__ bool in_word(const unsigned char* text, int i, int n) {
    if (i < 0 || i >= n) return false;
    u32 byte = text[i];
    return byte >= 64 || !(kBlanks >> byte & 1);
}

struct Marks {
    u32 begins, ends;
};

// Bit l of row r of the page: does a word begin, or end, at that byte? `before` is the last byte's answer, then ours.
__device__ Marks marks_of(const unsigned char* text, int first, int n, u32& before) {
    int lane = threadIdx.x & 31;
    u32 here = __ballot_sync(~0u, in_word(text, first + lane, n));
    u32 next = in_word(text, first + 32, n) ? 1 : 0;
    u32 shifted_up = __funnelshift_l(before, here, 1), shifted_down = __funnelshift_r(here, next, 1);
    before = here;
    return {here & ~shifted_up, here & ~shifted_down};
}

template <class PerRow>
__device__ void over_page(const unsigned char* text, int page, int n, PerRow per_row) {
    int first = page * kPage;
    u32 before = in_word(text, first - 1, n) ? 1u << 31 : 0;
    for (int row = 0; row < kRows && first < n; ++row, first += 32) per_row(first, marks_of(text, first, n, before));
}

__global__ void count_words(const unsigned char* text, int* counts, int n, int pages) {
    int page = blockIdx.x * kWarps + threadIdx.x / 32, count = 0;
    if (page >= pages) return;
    over_page(text, page, n, [&](int, Marks marks) { count += __popc(marks.begins); });
    if (threadIdx.x % 32 == 0) counts[page] = count;
}

__global__ void write_words(const unsigned char* text, const int* words_before, int* begins, int* ends, int n,
                            int pages) {
    int page = blockIdx.x * kWarps + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (page >= pages) return;
    int begun = words_before[page];
    u32 up_to_here = ~0u >> (31 - lane);
    over_page(text, page, n, [&](int first, Marks marks) {
        int rank = begun + __popc(marks.begins & up_to_here) - 1;
        if (marks.begins >> lane & 1) begins[rank] = first + lane;
        if (marks.ends >> lane & 1) ends[rank] = first + lane + 1;
        begun += __popc(marks.begins);
    });
}

__global__ void subtract(const int* begins, int* lengths, const int* count, int* count_out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < *count) lengths[i] -= begins[i];
    if (i == 0) *count_out = *count;
}

void words(const unsigned char* d_text, int* d_offsets, int* d_lengths, int* d_count, int n, Workspace& work) {
    if (n == 0) return CUDA_CHECK(cudaMemsetAsync(d_count, 0, sizeof(int)));
    int pages = ceil_div(n, kPage), blocks = ceil_div(pages, kWarps);
    int *d_counts = work.get<int>(pages), *d_before = work.get<int>(pages + 1);
    count_words<<<blocks, 32 * kWarps>>>(d_text, d_counts, n, pages);
    CUDA_CHECK(cudaGetLastError());
    primitives::exclusive_sum(d_counts, d_before, pages, work);
    write_words<<<blocks, 32 * kWarps>>>(d_text, d_before, d_offsets, d_lengths, n, pages);
    CUDA_CHECK(cudaGetLastError());
    subtract<<<ceil_div(n, 512), 256>>>(d_offsets, d_lengths, d_before + pages, d_count);
    CUDA_CHECK(cudaGetLastError());
}
