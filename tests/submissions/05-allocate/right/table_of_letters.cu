// Style: a constexpr table in __constant__ memory, byte-permute and SIMD intrinsics, uchar4 loads, many small
// functions; words found from a scan of beginnings and a scan of ends.
#include "allocate.h"

struct Table {
    unsigned char blank[256];
};

constexpr Table make_table() {
    Table table{};
    for (int c = 0; c < 256; ++c) table.blank[c] = c == ' ' || (c >= '\t' && c <= '\r') ? 1 : 0;
    return table;
}

__constant__ Table c_table = make_table();

__device__ bool letter(const unsigned char* text, int n, int i) { return i >= 0 && i < n && !c_table.blank[text[i]]; }

constexpr int kBytes = 32;  // of a thread

// A bit for each of the thread's bytes, by comparisons of four bytes at a time.
__device__ unsigned letters_of(const unsigned char* text, int n, int first) {
    if (first + kBytes > n) {
        unsigned bits = 0;
        for (int k = 0; k < kBytes; ++k) bits |= (letter(text, n, first + k) ? 1u : 0u) << k;
        return bits;
    }
    const uint4* wide = reinterpret_cast<const uint4*>(text + first);
    uint4 v[2] = {wide[0], wide[1]};
    unsigned bits = 0;
    const unsigned* word = &v[0].x;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        unsigned space = __vcmpeq4(word[k], 0x20202020u);
        unsigned control = __vcmpgeu4(word[k], 0x09090909u) & __vcmpleu4(word[k], 0x0d0d0d0du);
        unsigned is_letter = ~(space | control) & 0x08040201u;
        unsigned nibble = __byte_perm(is_letter, 0, 0x4440) | __byte_perm(is_letter, 0, 0x4441) |
                          __byte_perm(is_letter, 0, 0x4442) | __byte_perm(is_letter, 0, 0x4443);
        bits |= (nibble & 15u) << (4 * k);
    }
    return bits;
}

__device__ unsigned beginnings(const unsigned char* text, int n, int first, unsigned letters) {
    return letters & ~(letters << 1 | (letter(text, n, first - 1) ? 1u : 0u));
}

__device__ unsigned endings(const unsigned char* text, int n, int first, unsigned letters) {
    return letters & ~(letters >> 1 | (letter(text, n, first + kBytes) ? 1u << 31 : 0u));
}

__global__ void count_words(const unsigned char* text, int* begun, int* ended, int n, int threads) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= threads) return;
    unsigned letters = letters_of(text, n, t * kBytes);
    begun[t] = __popc(beginnings(text, n, t * kBytes, letters));
    ended[t] = __popc(endings(text, n, t * kBytes, letters));
}

__global__ void write_words(const unsigned char* text, const int* begun, const int* ended, int* offsets, int* ends,
                            int n, int threads) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= threads) return;
    unsigned letters = letters_of(text, n, t * kBytes);
    int place = begun[t];
    for (unsigned bits = beginnings(text, n, t * kBytes, letters); bits; bits &= bits - 1)
        offsets[place++] = t * kBytes + __ffs(static_cast<int>(bits)) - 1;
    place = ended[t];
    for (unsigned bits = endings(text, n, t * kBytes, letters); bits; bits &= bits - 1)
        ends[place++] = t * kBytes + 32 - __clz(static_cast<int>(bits & -bits));
}

__global__ void lengths_from_ends(const int* offsets, int* lengths, const int* words) {
    for (int w = blockIdx.x * blockDim.x + threadIdx.x; w < *words; w += gridDim.x * blockDim.x)
        lengths[w] -= offsets[w];
}

void words(const unsigned char* d_text, int* d_offsets, int* d_lengths, int* d_count, int n, Workspace& work) {
    int threads = ceil_div(n, kBytes);
    int *d_begun = work.get<int>(threads + 1), *d_ended = work.get<int>(threads + 1);
    if (n > 0) count_words<<<ceil_div(threads, 128), 128>>>(d_text, d_begun, d_ended, n, threads);
    CUDA_CHECK(cudaGetLastError());
    primitives::exclusive_sum(d_begun, d_begun, threads, work);
    primitives::exclusive_sum(d_ended, d_ended, threads, work);
    CUDA_CHECK(cudaMemcpyAsync(d_count, d_begun + threads, sizeof(int), cudaMemcpyDeviceToDevice));
    if (n == 0) return;
    write_words<<<ceil_div(threads, 128), 128>>>(d_text, d_begun, d_ended, d_offsets, d_lengths, n, threads);
    CUDA_CHECK(cudaGetLastError());
    lengths_from_ends<<<64, 256>>>(d_offsets, d_lengths, d_count);
    CUDA_CHECK(cudaGetLastError());
}
