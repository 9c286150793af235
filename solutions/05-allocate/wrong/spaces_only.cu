// verdict: WA task=words max_n=5000
// because: wrong from n = 1 on
// Only a space is taken for a blank: lines and tabs are parts of words.
#include "allocate.h"

constexpr int kBlock = 256;
constexpr int kChunk = 16;

__device__ bool is_space(unsigned char byte) { return byte == ' '; }

// The chunk's bytes that are no blanks, as bits 1 to 16; bit 0 is the byte before it, bit 17 the one behind.
__device__ unsigned letters_of(const unsigned char* d_text, int n, int chunk) {
    int first = chunk * kChunk;
    unsigned letters = 0;
    if (first > 0 && !is_space(d_text[first - 1])) letters |= 1;
    if (first + kChunk < n) {  // whole, and one more behind it
        uint4 bytes = reinterpret_cast<const uint4*>(d_text)[chunk];
        unsigned word[4] = {bytes.x, bytes.y, bytes.z, bytes.w};
        for (int k = 0; k < kChunk; ++k)
            letters |= is_space(static_cast<unsigned char>(word[k / 4] >> k % 4 * 8)) ? 0 : 2u << k;
        if (!is_space(d_text[first + kChunk])) letters |= 2u << kChunk;
        return letters;
    }
    for (int k = 0; first + k < n; ++k) letters |= is_space(d_text[first + k]) ? 0 : 2u << k;
    return letters;
}

constexpr unsigned kOwn = 0x1fffe;  // bits 1 to 16

// A word begins where the byte before is blank, and ends where the one behind it is. Bit k of the chunk's byte k.
__device__ unsigned beginnings_in(unsigned letters) { return (letters & ~(letters << 1) & kOwn) >> 1; }
__device__ unsigned ends_in(unsigned letters) { return (letters & ~(letters >> 1) & kOwn) >> 1; }

// Launch: a thread for each chunk.
__global__ void count_beginnings(const unsigned char* d_text, int* d_counts, int n, int chunks) {
    int chunk = blockIdx.x * kBlock + threadIdx.x;
    if (chunk < chunks) d_counts[chunk] = __popc(beginnings_in(letters_of(d_text, n, chunk)));
}

// Launch: as above. d_before[chunk]: how many words begin before the chunk. d_ends[w]: the byte behind word w.
__global__ void scatter_ends(const unsigned char* d_text, const int* d_before, int* d_offsets, int* d_ends, int n,
                             int chunks) {
    int chunk = blockIdx.x * kBlock + threadIdx.x;
    if (chunk >= chunks) return;
    unsigned letters = letters_of(d_text, n, chunk), beginnings = beginnings_in(letters);
    int before = d_before[chunk], w = before;
    for (unsigned rest = beginnings; rest != 0; rest &= rest - 1)  // the lowest bit goes
        d_offsets[w++] = chunk * kChunk + __ffs(rest) - 1;
    for (unsigned rest = ends_in(letters); rest != 0; rest &= rest - 1) {
        unsigned up_to_here = rest ^ (rest - 1);  // the lowest bit, and all below
        d_ends[before + __popc(beginnings & up_to_here) - 1] = chunk * kChunk + __ffs(rest);
    }
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
    int chunks = ceil_div(n, kChunk), blocks = ceil_div(chunks, kBlock), most = ceil_div(n, 2);
    int* d_counts = work.get<int>(chunks);
    int* d_before = work.get<int>(chunks + 1);
    count_beginnings<<<blocks, kBlock>>>(d_text, d_counts, n, chunks);
    CUDA_CHECK(cudaGetLastError());
    primitives::exclusive_sum(d_counts, d_before, chunks, work);
    scatter_ends<<<blocks, kBlock>>>(d_text, d_before, d_offsets, d_lengths, n, chunks);
    CUDA_CHECK(cudaGetLastError());
    subtract_offsets<<<ceil_div(most, kBlock), kBlock>>>(d_offsets, d_lengths, d_before + chunks, d_count);
    CUDA_CHECK(cudaGetLastError());
}
