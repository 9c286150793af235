// Lab 7, SpMV: the ladder. Each rung has a file of its own, NAME.cu; its comment says only what changed from the one
// before. Rungs 1 to 4 and 8 multiply, 5 and 6 make a CSR matrix, 7 multiplies again and again.
// Speeds: bytes that must move a second, on an NVIDIA H200 at n = 2^24 (docs/times-h200.md); of the first two with rows
// of 16, of the others with a matrix that has a few very long rows.
//
// rung                        H200  idea
// gather_multiply_reduce  599 GB/s  three kernels: gather x, multiply, add up each row
// row_per_thread          860 GB/s  one kernel, a thread for each row
// warp_per_row            178 GB/s  a warp for each row; its lanes read neighbouring nonzeros
// segmented_scan          770 GB/s  equally many nonzeros for each thread; rows added up by a backward segmented scan
// csr_from_dense          672 GB/s  count each row's nonzeros, scan, and put them where they go
// csr_from_coo             59 GB/s  sort by row and column, add up equal places, count
// pagerank                181 GB/s  steps of SpMV, a sum, and an even share for everybody
// merge_path              723 GB/s  rows and nonzeros shared out equally along the merge of row ends and nonzeros
#include "spmv.h"
