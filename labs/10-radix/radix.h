// Lab 10, radix sort: the contract. What each task takes, gives, and may rely on.
//
// A radix sort puts keys in ascending order without comparing two of them: digit by digit, the lowest first, and
// stably, so that what earlier digits have put in order stays in order among equal later ones.
//     in  5 2 7 1      by bit 0  2 5 7 1      by bit 1  5 1 2 7      by bit 2  1 2 5 7
//
// In every task
//   d_*in    n elements of device memory, 256-byte aligned. Read only: they are compared after the call.
//   d_*out   room for n elements of device memory, 256-byte aligned, full of garbage; never overlaps an input.
//   n        0 <= n <= 2^26, and 2^24 in task 4; any n, not only powers of two. For n = 0 a launch of 0 blocks is an
//            error: do not launch.
//   bits     only these bits of the key's order word decide. Keys that are alike there keep their order, whatever the
//            other bits are: every sort of this lab is stable. bits.end - bits.begin may be odd, and no multiple of
//            a digit's width.
//   work     temporary device memory, allocated before the clock starts, full of garbage: work.get<int>(count). Each
//            get() gives another array, yours until the task returns.
//
// Order words. Keys of every type are sorted by an unsigned word of their size:
//   unsigned, unsigned long long   the key itself
//   int                            its bits, so changed that INT_MIN is 0 and INT_MAX is 0xffffffff
//   float                          its bits, so changed that -inf < ... < -1 < ... < -0 < +0 < ... < 1 < ... < +inf.
//                                  NaN goes by its bits as well: with the sign bit set before -inf, else behind
//                                  +inf (IEEE 754 calls this totalOrder).
//
// Streams. A task may make streams and events of its own. It must leave no work on them: the default stream waits
// for them by an event, or the host does, before the task returns. Work on the default stream may go on. A stream that
// is to overlap with the default one is made with cudaStreamNonBlocking. Whoever makes a stream or an event destroys
// it; that may be done while work is still on it.
//
// Ready-made are primitives::exclusive_sum and its sisters. primitives::sort_keys and sort_pairs are not: they are what
// you write here, and a program of this lab that calls them does not link.
// Graded as named at the end of radix.cu.
#pragma once

#include "toolbox/basics.h"      // todo(), CUDA_CHECK, ceil_div, Workspace
#include "toolbox/primitives.h"  // primitives::exclusive_sum(): n counts become n + 1 offsets, the last one the total
#include "toolbox/relaxed.h"     // load_relaxed(), store_relaxed(): what blocks of one launch talk through, for task 5

// Bits begin, begin + 1, ..., end - 1 of a key of w bits; bit 0 is the lowest. 0 <= begin < end <= w.
struct Bits {
    int begin, end;
};

// Task 1: one bit a pass. Keys with a 0 there go to the front, keys with a 1 behind them; an exclusive sum says where.
void split_one_bit(const unsigned* d_in, unsigned* d_out, int n, Bits bits, Workspace& work);

// Task 2: R bits a pass. Tiles count their digits, a sum over the transposed table of counts says where each tile's
// keys of each digit go, and a tile is sorted by its digit in shared memory before it is written. R is 1, 2, 4 or 8.
template <int R, class Key>
void digit(const Key* d_in, Key* d_out, int n, Bits bits, Workspace& work);

// Task 3: keys of any type, by their order words, and each takes its value along.
template <class Key>
void pairs(const Key* d_keys_in, const unsigned* d_values_in, Key* d_keys_out, unsigned* d_values_out, int n, Bits bits,
           Workspace& work);

// Task 4: what is large is moved once: sort (key, place) pairs by all 32 bits of the key, then gather.
struct Record {
    unsigned key, payload[7];  // 32 bytes; arrays of records are 256-byte aligned, so a record is a sector
};
void by_index(const Record* d_in, Record* d_out, int n, Workspace& work);

// Task 5: as 2 and 3, but a digit takes one launch: keys are read once and written once. d_values_in and d_values_out
// may both be null, then there are keys only.
template <class Key>
void onesweep(const Key* d_keys_in, const unsigned* d_values_in, Key* d_keys_out, unsigned* d_values_out, int n,
              Bits bits, Workspace& work);
