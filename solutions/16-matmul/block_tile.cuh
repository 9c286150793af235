// A block's tile of C = A B for tasks 4 to 6: the sums of 8 x 8 elements in each thread, and the way of the tiles of A
// and B through registers and shared memory.
#pragma once

#include "operand.cuh"

struct Place {  // of a thread's elements in the block's tile: rows y and y + kTile / 2, columns x and x + kTile / 2
    int x, y;   // the first of kHalf neighbours
    __device__ static Place of(int t) { return {t % kSide * kHalf, t / kSide * kHalf}; }
};

using Sums = float[2 * kHalf][2 * kHalf];

// Adds the products of two tiles to a thread's sums.
template <int kDeep>
__device__ void multiply(const Tile<kDeep>& s_a, const Tile<kDeep>& s_b, Place at, Sums& sum) {
#pragma unroll
    for (int k = 0; k < kDeep; ++k) {
        float4 a[2], b[2];
        for (int half = 0; half < 2; ++half) {
            a[half] = *reinterpret_cast<const float4*>(&s_a[k][at.y + half * kTile / 2]);
            b[half] = *reinterpret_cast<const float4*>(&s_b[k][at.x + half * kTile / 2]);
        }
        const float left[] = {a[0].x, a[0].y, a[0].z, a[0].w, a[1].x, a[1].y, a[1].z, a[1].w};
        const float right[] = {b[0].x, b[0].y, b[0].z, b[0].w, b[1].x, b[1].y, b[1].z, b[1].w};
        for (int i = 0; i < 2 * kHalf; ++i)
            for (int j = 0; j < 2 * kHalf; ++j) sum[i][j] += left[i] * right[j];
    }
}

// The sums over k from first to last, a multiple of kDeep apart unless last is the end. Two tiles of each matrix: while
// the block multiplies those of one step, the next ones are on their way, first to registers, then to the other tiles.
template <int kDeep, class A, class B>
__device__ void multiply_all(const A& a, const B& b, int first, int last, int top, int left, Sums& sum) {
    __shared__ __align__(16) Tile<kDeep> s_a[2], s_b[2];
    int t = threadIdx.x, now = 0;
    Place at = Place::of(t);
    PartOf<A, kDeep> next_a;
    PartOf<B, kDeep> next_b;
    next_a.load(a, t, top, first);
    next_b.load(b, t, left, first);
    next_a.store(s_a[0], t);
    next_b.store(s_b[0], t);
    __syncthreads();
    for (int k = first + kDeep; k < last; k += kDeep) {
        next_a.load(a, t, top, k);
        next_b.load(b, t, left, k);
        multiply<kDeep>(s_a[now], s_b[now], at, sum);
        now ^= 1;  // nobody reads these tiles: the last step that did ended at a barrier
        next_a.store(s_a[now], t);
        next_b.store(s_b[now], t);
        __syncthreads();
    }
    multiply<kDeep>(s_a[now], s_b[now], at, sum);
}

// Stores a thread's sums, four neighbours at once where rows are aligned.
inline __device__ void store(const Sums& sum, float* d_c, int rows, int columns, int top, int left) {
    Place at = Place::of(threadIdx.x);
    for (int i = 0; i < 2 * kHalf; ++i) {
        int row = top + at.y + i % kHalf + i / kHalf * (kTile / 2);
        if (row >= rows) continue;
        for (int half = 0; half < 2; ++half) {
            int column = left + at.x + half * (kTile / 2);
            const float* from = &sum[i][half * kHalf];
            if (columns % kHalf == 0 && column < columns) {
                *reinterpret_cast<float4*>(&d_c[row * columns + column]) =
                    make_float4(from[0], from[1], from[2], from[3]);
            } else {
                for (int j = 0; j < kHalf; ++j)
                    if (column + j < columns) d_c[row * columns + column + j] = from[j];
            }
        }
    }
}

inline dim3 tiles_of(int rows, int columns) { return dim3(ceil_div(columns, kTile), ceil_div(rows, kTile)); }
