// Task 5, bits: as 2, but a thread has a word of 32 cells. Bit operations work on all 32 at once: an exclusive or adds
// bits, an and carries.
#include "torus.cuh"

constexpr int kBlockX = 32, kBlockY = 8;

struct Row {
    unsigned left, here, right;  // of 32 cells: their left neighbours, themselves, their right neighbours
};

// Word w of a row. Bit x of `left` is cell x - 1: the word shifted up, and the last cell of the word before.
__device__ Row row_of(const unsigned* d_row, int w, int words, int columns) {
    int last = (columns - 1) % 32;  // the highest bit of a row's last word that is a cell
    unsigned here = d_row[w], before = d_row[w > 0 ? w - 1 : words - 1], after = d_row[w + 1 < words ? w + 1 : 0];
    unsigned from_before = before >> (w > 0 ? 31 : last) & 1, from_after = after & 1;
    return {here << 1 | from_before, here, here >> 1 | from_after << (w + 1 < words ? 31 : last)};
}

// Launch: blocks of kBlockX x kBlockY threads, one thread for each word.
__global__ void bits_kernel(const unsigned* d_in, unsigned* d_out, int rows, int columns) {
    int words = ceil_div(columns, 32);
    int w = blockIdx.x * kBlockX + threadIdx.x, y = blockIdx.y * kBlockY + threadIdx.y;
    if (w >= words || y >= rows) return;
    Row above = row_of(d_in + wrapped(y - 1, rows) * words, w, words, columns);
    Row row = row_of(d_in + y * words, w, words, columns);
    Row below = row_of(d_in + wrapped(y + 1, rows) * words, w, words, columns);
    // Each row has a sum of two bits: `ones` count once, `twos` twice.
    unsigned ones_a = above.left ^ above.here ^ above.right, ones_b = below.left ^ below.here ^ below.right;
    unsigned twos_a = (above.left & above.here) | (above.right & (above.left ^ above.here));
    unsigned twos_b = (below.left & below.here) | (below.right & (below.left ^ below.here));
    unsigned ones_r = row.left ^ row.right, twos_r = row.left & row.right;
    // The ones again make a sum of two bits, so there are four twos.
    unsigned ones = ones_a ^ ones_r ^ ones_b;
    unsigned twos_o = (ones_a & ones_r) | (ones_b & (ones_a ^ ones_r));
    // 2 or 3 neighbours: exactly one of the four. None of two pairs has both, and one pair has one.
    unsigned one_two = (twos_a ^ twos_b ^ twos_r ^ twos_o) & ~(twos_a & twos_b) & ~(twos_r & twos_o);
    unsigned cells = one_two & (ones | row.here);
    if (w == words - 1) cells &= ~0u >> (31 - (columns - 1) % 32);  // bits that are no cells
    d_out[y * words + w] = cells;
}

void bits(const unsigned* d_in, unsigned* d_out, int rows, int columns, int generations, Workspace& work) {
    if (rows == 0 || columns == 0) return;
    int words = ceil_div(columns, 32);
    dim3 grid(ceil_div(words, kBlockX), ceil_div(rows, kBlockY)), block(kBlockX, kBlockY);
    each_generation(d_in, d_out, rows * words, generations, work, [=](const unsigned* d_from, unsigned* d_to) {
        bits_kernel<<<grid, block>>>(d_from, d_to, rows, columns);
    });
}
