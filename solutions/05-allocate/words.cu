// Task 3, words: as 2, for a text. An element is a chunk of 16 bytes, in which 0 to 8 words begin: a count for each
// byte would be four times as long as the text. A word may begin in one chunk and end in another. So each chunk writes
// its beginnings and its ends, and another kernel takes the differences. No thread walks along a word.
// Global memory: the text read twice; a count and an offset for each chunk; each word's beginning, end and length.
#include "allocate.h"

constexpr int kBlock = 256;
constexpr int kChunk = 16;  // bytes of a uint4

__device__ bool is_letter(unsigned char byte) { return !is_blank(byte); }

// Which bytes of the chunk are letters, as bits 1 to 16; bit 0 is the byte before the chunk, bit 17 the one behind.
__device__ unsigned letters_of(const unsigned char* d_text, int n, int chunk) {
    int first = chunk * kChunk;
    unsigned letters = 0;
    if (first > 0 && is_letter(d_text[first - 1])) letters |= 1;
    if (first + kChunk < n) {  // a full chunk, and a byte behind it
        uint4 bytes = reinterpret_cast<const uint4*>(d_text)[chunk];
        unsigned word[4] = {bytes.x, bytes.y, bytes.z, bytes.w};
        for (int k = 0; k < kChunk; ++k)
            letters |= is_letter(static_cast<unsigned char>(word[k / 4] >> k % 4 * 8)) ? 2u << k : 0;
        if (is_letter(d_text[first + kChunk])) letters |= 2u << kChunk;
        return letters;
    }
    for (int k = 0; first + k < n; ++k) letters |= is_letter(d_text[first + k]) ? 2u << k : 0;
    return letters;
}

// The chunk's own bytes, without the two neighbours.
constexpr unsigned kOwn = ((1u << kChunk) - 1) << 1;

// A word begins at a letter after a blank, and ends at a letter before a blank. Bit k stands for byte k of the chunk.
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
        // The word that ends here is the last that has begun.
        unsigned up_to_here = rest ^ (rest - 1);  // the lowest bit, and all below
        d_ends[before + __popc(beginnings & up_to_here) - 1] = chunk * kChunk + __ffs(rest);
    }
}

// Launch: a thread for each possible word. d_lengths holds the ends at first.
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
