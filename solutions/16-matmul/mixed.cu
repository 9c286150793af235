// Task 6, mixed: as 4, but A and B are halves, in either order. Half of the bytes are loaded, eight elements at once;
// shared memory holds floats, and so do the sums.
#include "block_tile.cuh"

constexpr int kDeep = 16;

// Launch: a block of kThreads threads for each tile of C. Shared memory: two tiles of each matrix.
template <bool kAlongA, bool kAlongB>
__global__ void mixed_kernel(Operand<half, kAlongA> a, Operand<half, kAlongB> b, float* d_c) {
    int top = blockIdx.y * kTile, left = blockIdx.x * kTile;
    Sums sum = {};
    multiply_all<kDeep>(a, b, 0, a.inner, top, left, sum);
    store(sum, d_c, a.lines, b.lines, top, left);
}

template <bool kAlongA, bool kAlongB>
void launch_mixed(const half* d_a, const half* d_b, float* d_c, int rows, int columns, int inner) {
    mixed_kernel<kAlongA, kAlongB>
        <<<tiles_of(rows, columns), kThreads>>>({d_a, rows, inner}, {d_b, columns, inner}, d_c);
    CUDA_CHECK(cudaGetLastError());
}

void mixed(const half* d_a, const half* d_b, float* d_c, int rows, int columns, int inner, Order a, Order b) {
    if (rows == 0 || columns == 0) return;
    // A line is a row of A and a column of B.
    if (a == Order::rows && b == Order::rows) launch_mixed<true, false>(d_a, d_b, d_c, rows, columns, inner);
    if (a == Order::rows && b == Order::columns) launch_mixed<true, true>(d_a, d_b, d_c, rows, columns, inner);
    if (a == Order::columns && b == Order::rows) launch_mixed<false, false>(d_a, d_b, d_c, rows, columns, inner);
    if (a == Order::columns && b == Order::columns) launch_mixed<false, true>(d_a, d_b, d_c, rows, columns, inner);
}
