// Lab 7, SpMV: the one file you edit. Handout: README.md, contract: spmv.h. Then: make lab7 && ./grader
#include "spmv.h"  // the contract; todo(), CUDA_CHECK, ceil_div, Workspace, Csr, and the primitives

constexpr int kBlock = 256;
constexpr int kWarps = kBlock / 32;

// ---- Task 1, gather_multiply_reduce: a kernel for each step ----
__global__ void gather(const int* d_cols, const float* d_x, float* d_gathered, int nonzeros) {}

__global__ void multiply(const float* d_values, const float* d_gathered, float* d_products, int nonzeros) {}

__global__ void reduce_rows(const int* d_row_ptr, const float* d_products, float* d_y, int rows) {
    // 1.1  Where do the products of row r begin, and where do they end? Who writes the y of an empty row?
}

void gather_multiply_reduce(Csr a, const float* d_x, float* d_y, Workspace& work) {
    todo("1");  // take this line out when you start; until then the verdict is SKIP
    // 1.2  There may be no rows, or rows but no nonzeros: which of the three launches then has 0 blocks?
    auto* d_gathered = work.get<float>(a.nonzeros);
    auto* d_products = work.get<float>(a.nonzeros);
    gather<<<ceil_div(a.nonzeros, kBlock), kBlock>>>(a.d_cols, d_x, d_gathered, a.nonzeros);
    CUDA_CHECK(cudaGetLastError());
    multiply<<<ceil_div(a.nonzeros, kBlock), kBlock>>>(a.d_values, d_gathered, d_products, a.nonzeros);
    CUDA_CHECK(cudaGetLastError());
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
constexpr int kItems = 7;  // nonzeros of a thread
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
    int tiles = ceil_div(a.nonzeros, kTile);  // not right yet: no tile
    // 4.3  What if there are rows, but no nonzeros?
    TileCarries carries{work.get<float>(tiles), work.get<int>(tiles), work.get<int>(tiles)};
    scan_tiles<<<tiles, kBlock>>>(a, d_x, d_y, carries);
    CUDA_CHECK(cudaGetLastError());
    // 4.4  Two blocks must not write the same y, and a row may go on over many tiles. Which launch adds the carries?
}

// ---- Task 5, csr_from_dense: count, scan, fill; a warp for each row ----
__global__ void count_nonzeros(const float* d_dense, int rows, int cols, int* d_counts) {
    // 5.1  cols need not be a multiple of 32: may lanes past the row's end miss the vote?
}

__global__ void fill_rows(const float* d_dense, int rows, int cols, const int* d_row_ptr, int* d_cols,
                          float* d_values) {}

void csr_from_dense(const float* d_dense, int rows, int cols, int* d_row_ptr, int* d_cols, float* d_values,
                    Workspace& work) {
    todo("5");
    auto* d_counts = work.get<int>(rows);
    count_nonzeros<<<ceil_div(rows, kWarps), kBlock>>>(d_dense, rows, cols, d_counts);
    CUDA_CHECK(cudaGetLastError());
    // 5.2  Counts become row pointers by a scan: inclusive or exclusive, and with how many results? If rows is 0?
    fill_rows<<<ceil_div(rows, kWarps), kBlock>>>(d_dense, rows, cols, d_row_ptr, d_cols, d_values);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 6, csr_from_coo: entries in any order ----
// d_order[i]: the index of the entry that is i-th in order.
__global__ void mark_heads(const int* d_entry_rows, const int* d_entry_cols, const int* d_order, int* d_heads, int n) {}

// d_places: the scan of d_heads.
__global__ void write_nonzeros(const int* d_entry_cols, const float* d_sums, const int* d_order, const int* d_heads,
                               const int* d_places, int n, int* d_cols, float* d_values) {}

__global__ void find_rows(const int* d_entry_rows, const int* d_order, const int* d_places, int n, int rows,
                          int* d_row_ptr) {
    // 6.1  Row r begins with the first entry whose row is r or more. Is that correct for empty rows, and for r = rows?
}

void csr_from_coo(const int* d_entry_rows, const int* d_entry_cols, const float* d_entry_values, int n, int rows,
                  int /* cols: how many bits do the keys need? */, int* d_row_ptr, int* d_cols, float* d_values,
                  Workspace& work) {
    todo("6");
    auto *d_order = work.get<int>(n), *d_heads = work.get<int>(n), *d_places = work.get<int>(n + 1);
    auto* d_sums = work.get<float>(n);
    // 6.2  primitives::sort_pairs sorts by one key and keeps the order of equal keys. Which key first, row or column?
    mark_heads<<<ceil_div(n, kBlock), kBlock>>>(d_entry_rows, d_entry_cols, d_order, d_heads, n);
    CUDA_CHECK(cudaGetLastError());
    primitives::segmented_inclusive_sum(d_entry_values, d_heads, d_sums, n, work);  // not right yet: values in order?
    write_nonzeros<<<ceil_div(n, kBlock), kBlock>>>(d_entry_cols, d_sums, d_order, d_heads, d_places, n, d_cols,
                                                    d_values);
    CUDA_CHECK(cudaGetLastError());
    find_rows<<<ceil_div(rows + 1, kBlock), kBlock>>>(d_entry_rows, d_order, d_places, n, rows, d_row_ptr);
    CUDA_CHECK(cudaGetLastError());
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
__global__ void sum_tiles(Csr a, const float* d_x, float* d_y, float* d_carries, int* d_carry_rows) {
    // 8.1  If d_row_ptr[r + 1] == k, which step goes first: the one that ends row r, or the one that takes nonzero k?
    // 8.2  In which direction do threads and tiles carry over what is left at the end of their pieces?
}

void merge_path(Csr a, const float* d_x, float* d_y, Workspace& work) {
    todo("8");
    int tiles = ceil_div(a.rows + a.nonzeros, kTile);
    auto* d_carries = work.get<float>(tiles);
    auto* d_carry_rows = work.get<int>(tiles);
    sum_tiles<<<tiles, kBlock>>>(a, d_x, d_y, d_carries, d_carry_rows);  // not right yet: who adds the carries to y?
    CUDA_CHECK(cudaGetLastError());
}
