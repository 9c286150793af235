// Lab 7, SpMV: the contract. What each task takes, gives, and may rely on.
//
// A sparse matrix is mostly zeros; only its nonzeros are stored. The format is CSR, compressed sparse rows:
//
//     1 0 2      d_row_ptr  0 2 2 5        where each row begins, and behind the last one the number of nonzeros
//     0 0 0      d_cols     0 2 0 1 2      in which column each nonzero stands
//     3 4 5      d_values   1 2 3 4 5      and its value
//
// So row r has the nonzeros d_row_ptr[r], ..., d_row_ptr[r + 1] - 1. The second row has none. There are rows + 1 row
// pointers.
//
// In every task
//   d_...    device memory, 256-byte aligned. Inputs are read only: they are compared after the call. Outputs are full
//            of garbage and never overlap an input.
//   rows, cols, nonzeros   0 <= rows, cols <= 2^28 and 0 <= nonzeros <= 2^28, so an int counts rows and nonzeros
//            together. Any of them may be 0, and each of rows and cols may be far more than the nonzeros. A launch of 0
//            blocks is an error.
//   work     temporary device memory, allocated before the clock starts, full of garbage: work.get<int>(count). Each
//            get() gives another array, yours until the task returns.
// A call may return before the device is done; it must leave no work on streams of its own.
//
// Sums may be rounded in another order than the reference's. With u = 2^-24 and gamma(k) = k u / (1 - k u), a sum of k
// products must lie within gamma(k) * (sum of their magnitudes) + k * 2^-149 of the true one: each product is rounded
// once, and once in each of at most k - 1 additions; and one below 2^-126 to a multiple of 2^-149, the smallest float.
// Where nothing can be rounded, as all products are whole numbers and their magnitudes add up to 2^24 at most, the sum
// must be exact. And the same input gives the same bits, run for run: no float atomics, whose order is another one each
// time. Everything is finite.
#pragma once

#include "toolbox/basics.h"      // todo(), CUDA_CHECK, ceil_div, Workspace
#include "toolbox/primitives.h"  // scans, segmented sums and stable sorts, ready-made

// A sparse matrix in device memory, as above. Within each row the columns ascend, and none comes twice. Small: pass it
// to a kernel by value.
struct Csr {
    int rows, cols, nonzeros;
    const int* d_row_ptr;   // rows + 1; d_row_ptr[0] is 0, d_row_ptr[rows] is nonzeros
    const int* d_cols;      // nonzeros
    const float* d_values;  // nonzeros
};

constexpr unsigned kAllLanes = 0xffffffff;  // the mask of shuffles and votes that all 32 lanes of a warp join

// ---- Tasks 1 to 4, and 8: y = A x. d_x has a.cols elements, d_y has a.rows; that of an empty row becomes 0. ----

// Task 1: in three steps, each with a kernel of its own: gather, multiply, reduce.
void gather_multiply_reduce(Csr a, const float* d_x, float* d_y, Workspace& work);

// Task 2: in one kernel, a thread for each row.
void row_per_thread(Csr a, const float* d_x, float* d_y, Workspace& work);

// Task 3: a warp for each row.
void warp_per_row(Csr a, const float* d_x, float* d_y, Workspace& work);

// Task 4: a thread for equally many nonzeros, whatever rows they belong to: a segmented scan, backwards.
void segmented_scan(Csr a, const float* d_x, float* d_y, Workspace& work);

// ---- Tasks 5 and 6: making a Csr ----
// Outputs: d_row_ptr has rows + 1 elements. d_cols and d_values have room for the most there can be, rows * cols or n;
// what is behind the last nonzero has to stay as it was.

// Task 5: from a dense matrix, row by row: element (r, c) is d_dense[r * cols + c]. rows * cols <= 2^28. Kept is what
// is not 0; nor is -0.
void csr_from_dense(const float* d_dense, int rows, int cols, int* d_row_ptr, int* d_cols, float* d_values,
                    Workspace& work);

// Task 6: from n entries in any order (COO, coordinates): value d_entry_values[i] stands in row d_entry_rows[i] and
// column d_entry_cols[i]. n <= 2^28. Entries for one place are added up and become one nonzero; a nonzero stays one,
// even if its value is 0.
void csr_from_coo(const int* d_entry_rows, const int* d_entry_cols, const float* d_entry_values, int n, int rows,
                  int cols, int* d_row_ptr, int* d_cols, float* d_values, Workspace& work);

// ---- Task 7: PageRank ----

constexpr float kDamping = 0.85f;

// How important is each of n = links.rows = links.cols pages? Nonzero (i, j) of `links` says that page j links to page
// i; its value is 1 over the number of j's links, all of which are there. A page without links has an empty column.
// d_rank, n elements, begins as 1 / n everywhere. One step makes of rank r
//     r'[i] = kDamping * y[i] + (1 - kDamping * s) / n,    y = links * r,  s = y[0] + ... + y[n - 1]
// that is: a reader follows a link with probability kDamping, and else, or where there is none, opens any page. d_rank
// is what comes out of `steps` steps, 0 <= steps <= 1000. The same bounds hold for each y[i], and no term of s may pass
// through more than 100 additions; primitives::sum keeps to that. The rest of a step is allowed 8 roundings.
void pagerank(Csr links, int steps, float* d_rank, Workspace& work);

// Task 8: rows and nonzeros shared out equally: all row ends and all nonzeros are merged, and the path is cut into
// equal pieces.
void merge_path(Csr a, const float* d_x, float* d_y, Workspace& work);
