// Task 7, tensor_cores: as 6, but shared memory holds halves, and a warp multiplies fragments of 16 x 16 elements.
#include <mma.h>

#include "block_tile.cuh"

namespace wmma = nvcuda::wmma;

constexpr int kDeep = 32, kFragment = 16;
constexpr int kWarps = kThreads / 32, kWarpsAcross = 4;  // a warp has kDown x kAcross fragments of C
constexpr int kDown = kTile / kFragment / (kWarps / kWarpsAcross), kAcross = kTile / kFragment / kWarpsAcross;

// A tile of halves as it lies in memory: along its lines, or across.
template <bool kAlong>
struct HalfTile {
    static constexpr int kRows = kAlong ? kTile : kDeep, kWidth = (kAlong ? kDeep : kTile) + 8;
    half rows[kRows][kWidth];

    __device__ void take(const Part<half, kAlong, kDeep>& part) {
        for (int p = 0; p < part.kPieces; ++p)
            *reinterpret_cast<uint4*>(&rows[part.row(threadIdx.x, p)][part.place(threadIdx.x, p)]) =
                *reinterpret_cast<const uint4*>(part.piece[p]);
    }
    __device__ const half* at(int line, int k) const { return kAlong ? &rows[line][k] : &rows[k][line]; }
};

// A line is a row of A and a column of B: what is along the lines is row by row in A, and column by column in B.
template <bool kAlong>
using FragmentA = wmma::fragment<wmma::matrix_a, kFragment, kFragment, kFragment, half,
                                 std::conditional_t<kAlong, wmma::row_major, wmma::col_major>>;
template <bool kAlong>
using FragmentB = wmma::fragment<wmma::matrix_b, kFragment, kFragment, kFragment, half,
                                 std::conditional_t<kAlong, wmma::col_major, wmma::row_major>>;
using FragmentC = wmma::fragment<wmma::accumulator, kFragment, kFragment, kFragment, float>;

// Stores a fragment of C that may not be inside the matrix, or not aligned, by way of shared memory.
__device__ void store_any(const FragmentC& sum, float* s_piece, float* d_c, int rows, int columns, int row,
                          int column) {
    wmma::store_matrix_sync(s_piece, sum, kFragment, wmma::mem_row_major);
    __syncwarp();
    for (int i = threadIdx.x % 32; i < kFragment * kFragment; i += 32) {
        int r = row + i / kFragment, c = column + i % kFragment;
        if (r < rows && c < columns) d_c[r * columns + c] = s_piece[i];
    }
    __syncwarp();  // before the next fragment
}

// Launch: a block of kThreads threads for each tile of C. Shared memory: a tile of each matrix, a fragment a warp.
template <bool kAlongA, bool kAlongB>
__global__ void __launch_bounds__(kThreads)
    tensor_kernel(Operand<half, kAlongA> a, Operand<half, kAlongB> b, float* d_c) {
    __shared__ __align__(32) HalfTile<kAlongA> s_a;
    __shared__ __align__(32) HalfTile<kAlongB> s_b;
    __shared__ __align__(32) float s_pieces[kWarps][kFragment * kFragment];
    int t = threadIdx.x, warp = t / 32, rows = a.lines, columns = b.lines;
    int top = blockIdx.y * kTile, left = blockIdx.x * kTile;
    int down = warp / kWarpsAcross * kDown * kFragment, across = warp % kWarpsAcross * kAcross * kFragment;
    FragmentC sum[kDown][kAcross];
    for (auto& row : sum)
        for (auto& fragment : row) wmma::fill_fragment(fragment, 0.0f);
    Part<half, kAlongA, kDeep> next_a;
    Part<half, kAlongB, kDeep> next_b;
    next_a.load(a, t, top, 0);
    next_b.load(b, t, left, 0);
    for (int first = 0; first < a.inner; first += kDeep) {
        s_a.take(next_a);
        s_b.take(next_b);
        __syncthreads();
        next_a.load(a, t, top, first + kDeep);  // zeros after the last step
        next_b.load(b, t, left, first + kDeep);
        for (int k = 0; k < kDeep; k += kFragment) {
            FragmentA<kAlongA> from_a[kDown];
            FragmentB<kAlongB> from_b[kAcross];
            for (int i = 0; i < kDown; ++i)
                wmma::load_matrix_sync(from_a[i], s_a.at(down + i * kFragment, k), s_a.kWidth);
            for (int j = 0; j < kAcross; ++j)
                wmma::load_matrix_sync(from_b[j], s_b.at(across + j * kFragment, k), s_b.kWidth);
            for (int i = 0; i < kDown; ++i)
                for (int j = 0; j < kAcross; ++j) wmma::mma_sync(sum[i][j], from_a[i], from_b[j], sum[i][j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < kDown; ++i) {
        for (int j = 0; j < kAcross; ++j) {
            int row = top + down + i * kFragment, column = left + across + j * kFragment;
            if (columns % 8 == 0 && row + kFragment <= rows && column + kFragment <= columns)  // 32-byte aligned
                wmma::store_matrix_sync(d_c + row * columns + column, sum[i][j], columns, wmma::mem_row_major);
            else
                store_any(sum[i][j], s_pieces[warp], d_c, rows, columns, row, column);
        }
    }
}

template <bool kAlongA, bool kAlongB>
void launch_tensor(const half* d_a, const half* d_b, float* d_c, int rows, int columns, int inner) {
    tensor_kernel<kAlongA, kAlongB>
        <<<tiles_of(rows, columns), kThreads>>>({d_a, rows, inner}, {d_b, columns, inner}, d_c);
    CUDA_CHECK(cudaGetLastError());
}

void tensor_cores(const half* d_a, const half* d_b, float* d_c, int rows, int columns, int inner, Order a, Order b) {
    if (rows == 0 || columns == 0) return;
    if (a == Order::rows && b == Order::rows) launch_tensor<true, false>(d_a, d_b, d_c, rows, columns, inner);
    if (a == Order::rows && b == Order::columns) launch_tensor<true, true>(d_a, d_b, d_c, rows, columns, inner);
    if (a == Order::columns && b == Order::rows) launch_tensor<false, false>(d_a, d_b, d_c, rows, columns, inner);
    if (a == Order::columns && b == Order::columns) launch_tensor<false, true>(d_a, d_b, d_c, rows, columns, inner);
}
