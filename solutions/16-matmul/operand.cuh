// A and B in memory, for tasks 4 to 7: how a thread loads 16 bytes of them at once, in either order, and where those go
// in shared memory.
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
