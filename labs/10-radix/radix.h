// Lab 10, radix sort: the contract. Declarations first, then what you may rely on.
//
// A radix sort puts keys in ascending order without comparing them. It goes digit by digit, from the lowest up, and
// every pass is stable: keys with equal digits keep the order of the pass before.
//     in  5 2 7 1      by bit 0  2 5 7 1      by bit 1  5 1 2 7      by bit 2  1 2 5 7
#pragma once

#include "toolbox/basics.h"      // todo(), CUDA_CHECK, ceil_div, Workspace
#include "toolbox/primitives.h"  // primitives::exclusive_sum(): n counts become n + 1 offsets, the last one the total
#include "toolbox/relaxed.h"     // load_relaxed(), store_relaxed(): how blocks of one launch communicate, for task 5

// Bits begin, begin + 1, ..., end - 1 of a key of w bits; bit 0 is the lowest. 0 <= begin < end <= w.
struct Bits {
    int begin, end;
};

// Task 1: one bit a pass. Keys with a 0 go to the front, keys with a 1 follow; an exclusive sum gives the places.
void split_one_bit(const unsigned* d_in, unsigned* d_out, int n, Bits bits, Workspace& work);

// Task 2: R bits a pass. Each tile counts its digits. A sum over the transposed table of counts says where the keys of
// each tile and digit go. A tile is sorted by its digit in shared memory before it is written. R is 1, 2, 4 or 8.
template <int R, class Key>
void digit(const Key* d_in, Key* d_out, int n, Bits bits, Workspace& work);

// Task 3: keys of any type, sorted by their order words. The value moves with its key.
template <class Key>
void pairs(const Key* d_keys_in, const unsigned* d_values_in, Key* d_keys_out, unsigned* d_values_out, int n, Bits bits,
           Workspace& work);

// Task 4: records are moved once: sort (key, place) pairs by all 32 bits of the key, then gather the records.
struct Record {
    unsigned key, payload[7];  // 32 bytes; arrays of records are 256-byte aligned, so a record is a sector
};
void by_index(const Record* d_in, Record* d_out, int n, Workspace& work);

// Task 5: as 2 and 3, with one launch per digit, which reads and writes each key once. d_values_in and d_values_out may
// both be null: then there are keys only.
template <class Key>
void onesweep(const Key* d_keys_in, const unsigned* d_values_in, Key* d_keys_out, unsigned* d_values_out, int n,
              Bits bits, Workspace& work);

// ---- What you may rely on, in every task ----
//
// d_*in    n elements of device memory, 256-byte aligned. Read only: the grader checks that they did not change.
// d_*out   room for n elements of device memory, 256-byte aligned, full of garbage; never overlaps an input.
// n        0 <= n <= 2^26, and at most 2^24 in task 4; not only powers of two. A launch of 0 blocks is an error: for
//          n = 0 do not launch.
// bits     Only these bits of the key's order word count. Keys with equal bits there keep their order, whatever their
//          other bits are: every sort of this lab is stable. bits.end - bits.begin may be odd, and need not be a
//          multiple of the digit's width.
// work     temporary device memory, allocated before the clock starts, full of garbage: work.get<int>(count). Each
//          get() returns another array, yours until the task returns.
//
// Order words. A key is sorted by an unsigned word of the same size:
//   unsigned, unsigned long long   the key itself
//   int                            its bits, changed so that INT_MIN becomes 0 and INT_MAX becomes 0xffffffff
//   float                          its bits, changed so that -inf < ... < -1 < ... < -0 < +0 < ... < 1 < ... < +inf. A
//                                  NaN with the sign bit set comes before -inf, any other NaN after +inf. (IEEE 754
//                                  calls this order totalOrder.)
//
// Streams. A task may create streams and events, and must destroy them, which it may do while their work still runs.
// Before the task returns, the default stream (by an event) or the host must wait for all work on other streams. The
// default stream itself may still be busy. A stream overlaps with the default one only if it is made with
// cudaStreamNonBlocking.
//
// Ready-made sorts. You write the sort, so primitives_sort.h may not be included and is not linked. You may use the
// scans.
//
// Graded types. See grading/instantiations.h.
