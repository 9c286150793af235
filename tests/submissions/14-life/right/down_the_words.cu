// Style: a thread walks down its column of words with the sums of three rows in registers, the majority by one lop3
#include "life.h"

namespace {

constexpr int kDown = 16;

struct Digits {
    unsigned one, two, cells;
};

__device__ unsigned majority(unsigned a, unsigned b, unsigned c) {
    unsigned m;
    asm("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(m) : "r"(a), "r"(b), "r"(c));
    return m;
}

__device__ Digits digits(const unsigned* row, int w, int words, int bits_in_last) {
    const unsigned here = row[w];
    unsigned lower, upper;  // the cells before and after each of the 32
    if (w == 0)
        lower = here << 1 | (row[words - 1] >> (bits_in_last - 1) & 1u);
    else
        lower = __funnelshift_l(row[w - 1], here, 1);
    if (w == words - 1)
        upper = here >> 1 | (row[0] & 1u) << (bits_in_last - 1);
    else
        upper = __funnelshift_r(here, row[w + 1], 1);
    return {lower ^ here ^ upper, majority(lower, here, upper), here};
}

__global__ void walk(const unsigned* in, unsigned* out, int rows, int words, int bits_in_last) {
    const int w = blockIdx.x * blockDim.x + threadIdx.x;
    int y = (blockIdx.y * blockDim.y + threadIdx.y) * kDown;
    if (w >= words || y >= rows) return;
    const int end = y + kDown < rows ? y + kDown : rows;
    Digits a = digits(in + (y == 0 ? rows - 1 : y - 1) * words, w, words, bits_in_last);
    Digits b = digits(in + y * words, w, words, bits_in_last);
    const unsigned mask = w + 1 < words || bits_in_last == 32 ? ~0u : (1u << bits_in_last) - 1;
    for (; y < end; ++y) {
        const Digits c = digits(in + (y + 1 == rows ? 0 : y + 1) * words, w, words, bits_in_last);
        // All nine cells: 3, or 4 with a live cell. As binary digits: ones, and twos from four sources.
        const unsigned ones = a.one ^ b.one ^ c.one, t = majority(a.one, b.one, c.one);
        const unsigned s = a.two ^ b.two ^ c.two ^ t;
        const unsigned both = (a.two & b.two) | (c.two & t) | ((a.two | b.two) & (c.two | t));  // at least two twos
        const unsigned all = (a.two & b.two & c.two) | (t & majority(a.two, b.two, c.two));     // at least three
        const unsigned three = ones & s & ~both, four = ~ones & both & ~all & ~s;
        out[y * words + w] = (three | (four & b.cells)) & mask;
        a = b;
        b = c;
    }
}

}  // namespace

void bits(const unsigned* d_in, unsigned* d_out, int rows, int columns, int generations, Workspace& work) {
    if (rows == 0 || columns == 0) return;
    const int words = (columns + 31) / 32, in_last = columns - 32 * (words - 1);
    unsigned* d_spare = work.get<unsigned>(static_cast<std::size_t>(rows) * words);
    if (generations == 0) CUDA_CHECK(cudaMemcpyAsync(d_out, d_in, 4ull * rows * words, cudaMemcpyDefault));
    const dim3 block(16, 8), grid(ceil_div(words, 16), ceil_div(rows, 8 * kDown));
    for (const unsigned* from = d_in; generations > 0; --generations) {
        unsigned* to = generations % 2 != 0 ? d_out : d_spare;
        walk<<<grid, block>>>(from, to, rows, words, in_last);
        CUDA_CHECK(cudaGetLastError());
        from = to;
    }
}
