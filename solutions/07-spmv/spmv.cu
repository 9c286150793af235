// Lab 7, SpMV: the ladder. Each rung has a file of its own, NAME.cu; its comment says only what changed from the one
// before. Rungs 1 to 4 and 8 multiply, 5 and 6 make a CSR matrix, 7 multiplies again and again.
//
// gather_multiply_reduce  three kernels: gather x, multiply, add up each row
// row_per_thread          one kernel, a thread for each row
// warp_per_row            a warp for each row; its lanes read neighbouring nonzeros
// segmented_scan          equally many nonzeros for each thread; rows added up by a backward segmented scan
// csr_from_dense          count each row's nonzeros, scan, and put them where they go
// csr_from_coo            sort by row and column, add up equal places, count
// pagerank                steps of SpMV, a sum, and an even share for everybody
// merge_path              rows and nonzeros shared out equally along the merge of row ends and nonzeros
#include "spmv.h"
