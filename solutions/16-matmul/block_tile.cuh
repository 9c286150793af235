// A block's tile of C = A B for tasks 4 to 6: how a thread loads 16 bytes of A or B at once, where they go in shared
// memory, and the sums of 8 x 8 elements.
#pragma once

#include "matmul.h"

constexpr int kSide = 16;  // a block has kSide x kSide threads
constexpr int kThreads = kSide * kSide;
constexpr int kHalf = 4;                  // a thread has two groups of kHalf neighbouring rows and columns of C
constexpr int kTile = 2 * kHalf * kSide;  // rows and columns of the block's tile of C

constexpr int kPitch = kTile + 4;  // of a row of a tile in shared memory
template <int kDeep>
using Tile = float[kDeep][kPitch];

// A or B as lines of `inner` elements: A has a line for each row of C, and B one for each column. kAlong: whether the
// elements of a line are neighbours in memory; otherwise the lines are.
template <class T, bool kAlong>
struct Operand {
    using Element = T;
    static constexpr bool kIsAlong = kAlong;
    static constexpr int kVector = 16 / sizeof(T);  // elements of a load
    const T* d_data;
    int lines, inner;

    // kVector elements from (line, k) on, in their order in memory. Those beyond the matrix are 0.
    __device__ void load(int line, int k, T (&piece)[kVector]) const {
        int place = kAlong ? k : line, width = kAlong ? inner : lines;
        bool is_inside = kAlong ? line < lines : k < inner;
        const T* d_from = d_data + (kAlong ? line : k) * width + place;
        if (is_inside && width % kVector == 0 && place < width) {
            *reinterpret_cast<uint4*>(piece) = *reinterpret_cast<const uint4*>(d_from);  // 16-byte aligned
        } else {
            for (int i = 0; i < kVector; ++i) piece[i] = is_inside && place + i < width ? d_from[i] : T(0);
        }
    }
};

// The part of a tile of kTile lines and kDeep elements of each that a thread loads and stores: kPieces vectors. The
// tile's rows are those of the memory.
template <class T, bool kAlong, int kDeep>
struct Part {
    using Source = Operand<T, kAlong>;
    static constexpr int kVector = Source::kVector, kPieces = kTile * kDeep / kVector / kThreads;
    static constexpr int kInRow = (kAlong ? kDeep : kTile) / kVector;  // vectors of a row
    alignas(16) T piece[kPieces][kVector];

    __device__ static int row(int t, int p) { return (t + p * kThreads) / kInRow; }
    __device__ static int place(int t, int p) { return (t + p * kThreads) % kInRow * kVector; }
    __device__ static int line(int t, int p) { return kAlong ? row(t, p) : place(t, p); }
    __device__ static int k(int t, int p) { return kAlong ? place(t, p) : row(t, p); }

    template <class From>
    __device__ void load(const From& from, int t, int first_line, int first_k) {
        for (int p = 0; p < kPieces; ++p) from.load(first_line + line(t, p), first_k + k(t, p), piece[p]);
    }
    // As floats; a row of s_tile has an element of each line.
    __device__ void store(Tile<kDeep>& s_tile, int t) const {
        for (int p = 0; p < kPieces; ++p)
            for (int i = 0; i < kVector; ++i)
                s_tile[k(t, p) + (kAlong ? i : 0)][line(t, p) + (kAlong ? 0 : i)] = static_cast<float>(piece[p][i]);
    }
};

template <class From, int kDeep>
using PartOf = Part<typename From::Element, From::kIsAlong, kDeep>;

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
