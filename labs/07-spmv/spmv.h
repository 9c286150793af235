// Lab 7, SpMV: the contract. What each task takes, what it returns, and what it may rely on.
//
// A sparse matrix is mostly zeros; only its nonzeros are stored. The format is CSR, compressed sparse rows:
//
//     1 0 2      d_row_ptr  0 2 2 5        where each row begins; the last one is the number of nonzeros
//     0 0 0      d_cols     0 2 0 1 2      the column of each nonzero
//     3 4 5      d_values   1 2 3 4 5      the value of each nonzero
//
// Row r has the nonzeros d_row_ptr[r], ..., d_row_ptr[r + 1] - 1; the second row has none. What holds in every task
// (sizes, memory, how exact a sum must be) is at the end of this file.
#pragma once

#include "toolbox/basics.h"           // todo(), CUDA_CHECK, ceil_div, Workspace
#include "toolbox/primitives.h"       // scans, sums and segmented sums, ready-made
#include "toolbox/primitives_sort.h"  // and stable sorts
#include "toolbox/shuffle.h"          // kAllLanes

// A sparse matrix in device memory. Within each row the columns ascend, and none occurs twice. Small: pass it to a
// kernel by value.
struct Csr {
    int rows, cols, nonzeros;
    const int* d_row_ptr;   // rows + 1; d_row_ptr[0] is 0, d_row_ptr[rows] is nonzeros
    const int* d_cols;      // nonzeros
    const float* d_values;  // nonzeros
};

// ---- Tasks 1 to 4, and 8: y = A x. d_x has a.cols elements, d_y has a.rows. An empty row's y becomes 0. ----

// Task 1: three steps, each with a kernel of its own: gather, multiply, reduce.
void gather_multiply_reduce(Csr a, const float* d_x, float* d_y, Workspace& work);

// Task 2: one kernel, a thread for each row.
void row_per_thread(Csr a, const float* d_x, float* d_y, Workspace& work);

// Task 3: a warp for each row.
void warp_per_row(Csr a, const float* d_x, float* d_y, Workspace& work);

// Task 4: equally many nonzeros for each thread, whatever rows they belong to: a backward segmented scan.
void segmented_scan(Csr a, const float* d_x, float* d_y, Workspace& work);

// Task 8: all row ends and all nonzeros are merged, and the path is cut into equal pieces.
void merge_path(Csr a, const float* d_x, float* d_y, Workspace& work);

// ---- Tasks 5 and 6: build a Csr ----
// Outputs: d_row_ptr has rows + 1 elements. d_cols and d_values have room for the largest possible result, rows * cols
// or n nonzeros; what comes after the last nonzero must stay unchanged.

// Task 5: from a dense matrix, row by row: element (r, c) is d_dense[r * cols + c]. rows * cols <= 2^28. Every element
// that is not 0 is kept; -0 is 0, too.
void csr_from_dense(const float* d_dense, int rows, int cols, int* d_row_ptr, int* d_cols, float* d_values,
                    Workspace& work);

// Task 6: from n entries in any order (COO, coordinates): d_entry_values[i] is in row d_entry_rows[i] and column
// d_entry_cols[i]. n <= 2^28. Entries of the same place are added up and become one nonzero, even if its value is 0.
void csr_from_coo(const int* d_entry_rows, const int* d_entry_cols, const float* d_entry_values, int n, int rows,
                  int cols, int* d_row_ptr, int* d_cols, float* d_values, Workspace& work);

// ---- Task 7: PageRank ----

constexpr float kDamping = 0.85f;

// How important is each of n = links.rows = links.cols pages? Nonzero (i, j) of `links` means that page j links to page
// i; its value is 1 over the number of page j's links. A page without links has an empty column. d_rank gets the n
// ranks after `steps` steps, 0 <= steps <= 1000. They begin as 1 / n, and a step turns r into r':
//     r'[i] = kDamping * y[i] + (1 - kDamping * s) / n,    y = links * r,  s = y[0] + ... + y[n - 1]
void pagerank(Csr links, int steps, float* d_rank, Workspace& work);

// ---- In every task ----
// d_...                  device memory, 256-byte aligned. Inputs are read only: the grader checks this.
//                        Outputs are full of garbage at first and never overlap an input.
// rows, cols, nonzeros   0 <= rows, cols <= 2^28 and 0 <= nonzeros <= 2^28, so rows + nonzeros is an int. Any of them
//                        may be 0, and rows and cols may each be far greater than nonzeros. A launch of 0 blocks is an
//                        error.
// work                   temporary device memory, allocated before the clock starts and full of garbage:
//                        work.get<int>(count). Each get() returns another array, yours until the task returns.
// A call may return before the device has finished. It must leave no work on streams of its own.
//
// ---- How exact a sum must be ----
// You may add in any order. With u = 2^-24 and gamma(k) = k u / (1 - k u), a sum of k products must be within
//     gamma(k) * (sum of the products' magnitudes) + k * 2^-149
// of the true sum: each product is rounded once, and once more in each of at most k - 1 additions; a product below
// 2^-126 is rounded to a multiple of 2^-149, the smallest float. If all products are whole numbers whose magnitudes add
// up to at most 2^24, nothing is rounded, and the sum must be exact. All values are finite.
// The same input must give the same bits in every run: no float atomics, whose order differs from run to run.
// In pagerank, the bound holds for each y[i]. A term of s may pass through up to 100 additions (primitives::sum stays
// within that), and the rest of a step may round 8 times.
