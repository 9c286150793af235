// Matrix products on tensor cores, by the functions of nvcuda::wmma and by PTX's mma.sync.
#include <cuda_fp16.h>
#include <mma.h>

#include "corpus.h"

using namespace nvcuda;
constexpr int kTile = 16, kPadded = kTile + 8;

std::vector<half> halves(int n) {
    std::vector<half> out(n);
    for (int i = 0; i < n; ++i) out[i] = __float2half(static_cast<float>(i * 7 % 13 - 6));
    return out;
}

using A = wmma::fragment<wmma::matrix_a, kTile, kTile, kTile, half, wmma::row_major>;
using B = wmma::fragment<wmma::matrix_b, kTile, kTile, kTile, half, wmma::row_major>;
using Sum = wmma::fragment<wmma::accumulator, kTile, kTile, kTile, float>;

// Four warps of a block multiply 32 x 32 tiles, which all of them load.
template <bool kGood>
__global__ void multiply_tiles(const half* a, const half* b, float* c, int n) {
    __shared__ half tile_a[2 * kTile * kPadded], tile_b[2 * kTile * kPadded];
    const int warp = threadIdx.x / 32, row = warp / 2 * kTile, column = warp % 2 * kTile;
    Sum sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int k = 0; k < n; k += kTile) {
        for (int i = threadIdx.x; i < 2 * kTile * kTile; i += blockDim.x) {
            tile_a[i / kTile * kPadded + i % kTile] = a[(blockIdx.y * 2 * kTile + i / kTile) * n + k + i % kTile];
            tile_b[i / (2 * kTile) * (2 * kPadded) + i % (2 * kTile)] =
                b[(k + i / (2 * kTile)) * n + blockIdx.x * 2 * kTile + i % (2 * kTile)];
        }
        if (kGood) __syncthreads();
        A left;
        B right;
        wmma::load_matrix_sync(left, tile_a + row * kPadded, kPadded);  // load_before_barrier: race
        wmma::load_matrix_sync(right, tile_b + column, 2 * kPadded);
        wmma::mma_sync(sum, left, right, sum);
        __syncthreads();
    }
    float* to = c + (blockIdx.y * 2 * kTile + row) * n + blockIdx.x * 2 * kTile + column;
    wmma::store_matrix_sync(to, sum, n, wmma::mem_row_major);
}
template <bool kGood>
void load_before_barrier() {
    constexpr int kN = 64;
    Array<half> a(halves(kN * kN)), b(halves(kN * kN));
    Array<float> c(kN * kN, 0.0f);
    multiply_tiles<kGood><<<dim3(kN / 32, kN / 32), 128>>>(a, b, c, kN);
    c.print();
}

template <bool kGood>
__global__ void one_tile(const half* a, const half* b, float* c) {
    A left;
    B right;
    Sum sum;
    if (kGood) wmma::fill_fragment(sum, 0.0f);
    wmma::load_matrix_sync(left, a, kTile);
    wmma::load_matrix_sync(right, b, kTile);
    wmma::mma_sync(sum, left, right, sum);  // sum_never_filled: uninitialized
    wmma::store_matrix_sync(c, sum, kTile, wmma::mem_col_major);
}
template <bool kGood>
void sum_never_filled() {
    Array<half> a(halves(256)), b(halves(256));
    Array<float> c(256, 0.0f);
    one_tile<kGood><<<1, 32>>>(a, b, c);
    c.print();
}

// Each warp takes a tile of its own; the last threads have none to load.
template <bool kGood>
__global__ void tiles_of_warps(const half* a, const half* b, float* c, int elements) {
    const int first = threadIdx.x / 32 * 256;
    if (kGood ? first >= elements : first + threadIdx.x % 32 * 8 >= elements) return;
    A left;
    B right;
    Sum sum;
    wmma::fill_fragment(sum, 0.0f);
    wmma::load_matrix_sync(left, a + first, kTile);  // lanes_have_left: invalid_access
    wmma::load_matrix_sync(right, b, kTile);
    wmma::mma_sync(sum, left, right, sum);
    wmma::store_matrix_sync(c + first, sum, kTile, wmma::mem_row_major);
}
template <bool kGood>
void lanes_have_left() {
    Array<half> a(halves(1024)), b(halves(256));
    Array<float> c(1024, 0.0f);
    tiles_of_warps<kGood><<<1, 128>>>(a, b, c, kGood ? 768 : 760);
    c.print();
}

// A matrix of 40 columns is no multiple of a tile: its last tiles would begin in one row and end in the next one.
template <bool kGood>
__global__ void whole_rows(const half* a, const half* b, float* c, int rows, int columns) {
    const int first = blockIdx.x * kTile, row = blockIdx.y * kTile;
    if (kGood && (first + kTile > columns || row + kTile > rows)) return;
    A left;
    B right;
    Sum sum;
    wmma::fill_fragment(sum, 0.0f);
    wmma::load_matrix_sync(left, a, kTile);
    wmma::load_matrix_sync(right, b, kTile);
    wmma::mma_sync(sum, left, right, sum);
    float* to = c + row * columns + first;
    wmma::store_matrix_sync(to, sum, columns, wmma::mem_row_major);  // tile_past_end: out_of_bounds
}
template <bool kGood>
void tile_past_end() {
    constexpr int kRows = 32, kColumns = 40;
    Array<half> a(halves(256)), b(halves(256));
    Array<float> c(kRows * kColumns, 0.0f);
    whole_rows<kGood><<<dim3((kColumns + kTile - 1) / kTile, kRows / kTile), 32>>>(a, b, c, kRows, kColumns);
    c.print();
}

// Lines of 17 halves have no bank conflicts for single halves, but no matrix may have them.
template <bool kGood>
__global__ void padded_by_one(const half* a, const half* b, float* c) {
    constexpr int kLine = kGood ? kPadded : kTile + 1;
    __shared__ half tile[kTile * kLine];
    for (int i = threadIdx.x; i < kTile * kTile; i += 32) tile[i / kTile * kLine + i % kTile] = a[i];
    __syncwarp();
    A left;
    B right;
    Sum sum;
    wmma::fill_fragment(sum, 0.0f);
    wmma::load_matrix_sync(left, tile, kLine);  // line_of_odd_length: misaligned
    wmma::load_matrix_sync(right, b, kTile);
    wmma::mma_sync(sum, left, right, sum);
    wmma::store_matrix_sync(c, sum, kTile, wmma::mem_row_major);
}
template <bool kGood>
void line_of_odd_length() {
    Array<half> a(halves(256)), b(halves(256));
    Array<float> c(256, 0.0f);
    padded_by_one<kGood><<<1, 32>>>(a, b, c);
    c.print();
}

// 16 x 8 x 8 by ldmatrix and mma.sync: lane t gets elements 2(t % 4) and the next one of rows t / 4 and t / 4 + 8.
template <bool kGood>
__global__ void by_mma_sync(const half* a, const half* b, float* c) {
    __shared__ __align__(16) half left[16 * 8], right[8 * 8];
    const int lane = threadIdx.x;
    for (int i = lane; i < 16 * 8; i += 32) left[i] = a[i];
    for (int i = lane; i < 8 * 8; i += 32) right[i] = b[i];
    if (kGood) __syncwarp();
    const auto at_left = static_cast<unsigned>(__cvta_generic_to_shared(left + lane % 16 * 8));
    const auto at_right = static_cast<unsigned>(__cvta_generic_to_shared(right + lane % 8 * 8));
    unsigned x[2], y;
    float d[4] = {};
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(x[0]), "=r"(x[1])
                 : "r"(at_left)  // rows_before_sync: race
                 : "memory");
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(y) : "r"(at_right) : "memory");
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(x[0]), "r"(x[1]), "r"(y));
    for (int k = 0; k < 4; ++k) c[(lane / 4 + k / 2 * 8) * 8 + lane % 4 * 2 + k % 2] = d[k];
}
template <bool kGood>
void rows_before_sync() {
    Array<half> a(halves(16 * 8)), b(halves(8 * 8));
    Array<float> c(16 * 8, 0.0f);
    by_mma_sync<kGood><<<1, 32>>>(a, b, c);
    c.print();
}

int main(int argc, char** argv) {
    return run({PAIR(load_before_barrier), PAIR(sum_never_filled), PAIR(lanes_have_left), PAIR(tile_past_end),
                PAIR(line_of_odd_length), PAIR(rows_before_sync)},
               argc, argv);
}
