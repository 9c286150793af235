// Lab 7, SpMV: the one file you edit. Handout: README.md, contract: spmv.h. Then: make lab7 && ./grader
// "Kernel NAME" says what a kernel must do. You write it and launch it; which parameters it takes is up to you.
#include "spmv.h"  // the contract; todo(), CUDA_CHECK, ceil_div, Workspace, Csr, and the primitives

constexpr int kBlock = 256;
constexpr int kWarps = kBlock / 32;

// ---- Task 1, gather_multiply_reduce: a kernel for each step ----
// Kernel gather, a thread for each nonzero: copies the element of x in the nonzero's column into an array.
// Kernel multiply, a thread for each nonzero: multiplies its value by the gathered element.

// Launch: a thread for each row.
__global__ void reduce_rows(const int* d_row_ptr, const float* d_products, float* d_y, int rows) {
    // 1.1  Where do the products of row r begin, and where do they end? Who writes the y of an empty row?
}

void gather_multiply_reduce(Csr a, const float* d_x, float* d_y, Workspace& work) {
    todo("1");  // take this line out when you start; until then the verdict is SKIP
    // 1.2  There may be no rows, or rows but no nonzeros: which of the three launches then has 0 blocks?
    auto* d_products = work.get<float>(a.nonzeros);  // not right yet: garbage
    reduce_rows<<<ceil_div(a.rows, kBlock), kBlock>>>(a.d_row_ptr, d_products, d_y, a.rows);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 2, row_per_thread: all three steps in one kernel, a thread for each row ----
__global__ void multiply_row_of_thread(Csr a, const float* d_x, float* d_y) {
    // 2.1  The 32 threads of a warp read their first nonzeros at the same time: how far apart are these?
}

void row_per_thread(Csr a, const float* d_x, float* d_y, Workspace&) {
    todo("2");
    multiply_row_of_thread<<<ceil_div(a.rows, kBlock), kBlock>>>(a, d_x, d_y);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 3, warp_per_row: 32 lanes share a row ----
__global__ void multiply_row_of_warp(Csr a, const float* d_x, float* d_y) {
    // 3.1  __shfl_down_sync(kAllLanes, ...) adds up 32 sums. A row has 5 nonzeros: may the other 27 lanes return early?
}

void warp_per_row(Csr a, const float* d_x, float* d_y, Workspace&) {
    todo("3");
    multiply_row_of_warp<<<ceil_div(a.rows, kWarps), kBlock>>>(a, d_x, d_y);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 4, segmented_scan: equally many nonzeros for each thread ----
constexpr int kItems = 7;  // nonzeros of a thread; in task 8: steps
constexpr int kTile = kBlock * kItems;

// For each tile: the sum that leaves it, the row that it belongs to, and whether the tile before has another row.
struct TileCarries {
    float* d_sums;
    int *d_rows, *d_heads;
};

// Launch: a block for each tile of kTile nonzeros. Shared memory: its products, and where a row begins.
__global__ void scan_tiles(Csr a, const float* d_x, float* d_y, TileCarries carries) {
    // 4.1  Mark each row's first nonzero, its head. Which place would an empty row mark?
    // 4.2  What must a thread know about the items of later threads: their sums, and what else?
}

void segmented_scan(Csr a, const float* d_x, float* d_y, Workspace& work) {
    todo("4");
    int tiles = ceil_div(a.nonzeros, kTile);
    // 4.3  What if there are rows, but no nonzeros?
    TileCarries carries{work.get<float>(tiles), work.get<int>(tiles), work.get<int>(tiles)};
    scan_tiles<<<tiles, kBlock>>>(a, d_x, d_y, carries);
    CUDA_CHECK(cudaGetLastError());
    // 4.4  Two blocks must not write the same y, and a row may go on over many tiles. Which launch adds the carries?
}

// ---- Task 5, csr_from_dense: count, scan, fill; a warp for each row ----
// Kernel count_nonzeros: writes how many nonzeros each row has.
// 5.1  cols need not be a multiple of 32: may lanes past the row's end miss the vote?

// Kernel fill_rows, when d_row_ptr is there: writes the columns and the values of each row.

void csr_from_dense(const float* d_dense, int rows, int cols, int* d_row_ptr, int* d_cols, float* d_values,
                    Workspace& work) {
    todo("5");
    // 5.2  Counts become row pointers by a scan: inclusive or exclusive, and with how many results? If rows is 0?
}

// ---- Task 6, csr_from_coo: entries in any order ----
// Kernel mark_heads, a thread for each sorted entry: 1 if the entry is the first one of its place, a head, otherwise 0.
// A scan of the heads numbers the places. A segmented sum of the values adds up each place.

// Kernel write_nonzeros, a thread for each sorted entry: writes the column and the sum of each place.
// Kernel find_rows, a thread for each row pointer: finds where the row begins.
// 6.1  Row r begins with the first entry whose row is r or more. Is that correct for empty rows, and for r = rows?

void csr_from_coo(const int* d_entry_rows, const int* d_entry_cols, const float* d_entry_values, int n, int rows,
                  int cols, int* d_row_ptr, int* d_cols, float* d_values, Workspace& work) {
    todo("6");
    // 6.2  primitives::sort_pairs sorts by one key and keeps the order of equal keys. Which key first, row or column?
    // 6.3  Fewer key bits are fewer passes of the sort. How many bits do the columns need, and the rows?
    // 6.4  What has to be done with the values before the segmented sum can add them up?
}

// ---- Task 7, pagerank: multiply, sum, share; d_sum is one float, the sum of d_y ----
__global__ void follow_or_jump(const float* d_y, const float* d_sum, float* d_rank, int pages) {}

void pagerank(Csr links, int steps, float* d_rank, Workspace& work) {
    todo("7");
    // 7.1  What is d_rank before the first step? And if there are no pages?
    auto *d_y = work.get<float>(links.rows), *d_sum = work.get<float>(1);
    for (int step = 0; step < steps; ++step) {
        // 7.2  Which of your products is fastest if a few pages have very many links? May it write over its input?
        follow_or_jump<<<ceil_div(links.rows, kBlock), kBlock>>>(d_y, d_sum, d_rank, links.rows);
        CUDA_CHECK(cudaGetLastError());
    }
}

// ---- Task 8, merge_path: equally many row ends and nonzeros for each thread ----
// Launch: a block for each tile of kTile steps along the path. Shared memory: its products and row ends.
__global__ void walk_tiles(Csr a, const float* d_x, float* d_y, TileCarries carries) {
    // 8.1  If d_row_ptr[r + 1] == k, which step goes first: the one that ends row r, or the one that takes nonzero k?
    // 8.2  In which direction do threads and tiles carry over what is left at the end of their pieces?
}

void merge_path(Csr a, const float* d_x, float* d_y, Workspace& work) {
    todo("8");
    int tiles = ceil_div(a.rows + a.nonzeros, kTile);
    TileCarries carries{work.get<float>(tiles), work.get<int>(tiles), work.get<int>(tiles)};
    walk_tiles<<<tiles, kBlock>>>(a, d_x, d_y, carries);  // not right yet: who adds the carries to y?
    CUDA_CHECK(cudaGetLastError());
}
