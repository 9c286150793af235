// Lab 7, SpMV: the one file you edit. Handout: README.md. Then: make lab7 && ./grader
// Pointers d_* are device memory; inputs must not change; outputs hold garbage at first.
// Calls start at n = 0 and are timed; allocating the Workspace is not.
#include "spmv.h"  // the contract; todo(), CUDA_CHECK, ceil_div, Workspace, Csr, and the primitives

constexpr int kBlock = 256;
constexpr int kWarps = kBlock / 32;

// ---- Task 1, gather_multiply_reduce: a kernel for each step ----
// Launch: a thread for each nonzero, blocks of kBlock.
__global__ void gather(const int* d_cols, const float* d_x, float* d_gathered, int nonzeros) {
    // 1.1  Which element of x does nonzero k need?
}

// Launch: a thread for each nonzero, blocks of kBlock.
__global__ void multiply(const float* d_values, const float* d_gathered, float* d_products, int nonzeros) {}

// Launch: a thread for each row, blocks of kBlock.
__global__ void reduce_rows(const int* d_row_ptr, const float* d_products, float* d_y, int rows) {
    // 1.2  Where do the products of row r begin, and where do they end? Who writes the y of an empty row?
}

void gather_multiply_reduce(Csr a, const float* d_x, float* d_y, Workspace& work) {
    todo("1");  // take this line out when you start; until then the verdict is SKIP
    // 1.3  There may be no rows, or rows but no nonzeros: which of the three launches then has 0 blocks?
    auto* d_gathered = work.get<float>(a.nonzeros);
    auto* d_products = work.get<float>(a.nonzeros);
    gather<<<ceil_div(a.nonzeros, kBlock), kBlock>>>(a.d_cols, d_x, d_gathered, a.nonzeros);
    CUDA_CHECK(cudaGetLastError());
    multiply<<<ceil_div(a.nonzeros, kBlock), kBlock>>>(a.d_values, d_gathered, d_products, a.nonzeros);
    CUDA_CHECK(cudaGetLastError());
    reduce_rows<<<ceil_div(a.rows, kBlock), kBlock>>>(a.d_row_ptr, d_products, d_y, a.rows);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 2, row_per_thread: all three steps in one kernel ----
// Launch: a thread for each row, blocks of kBlock.
__global__ void multiply_row_of_thread(Csr a, const float* d_x, float* d_y) {
    // 2.1  Which of task 1's arrays do you still need?
    // 2.2  The 32 threads of a warp read their first nonzeros at the same time: how far apart are these?
}

void row_per_thread(Csr a, const float* d_x, float* d_y, Workspace&) {
    todo("2");
    multiply_row_of_thread<<<ceil_div(a.rows, kBlock), kBlock>>>(a, d_x, d_y);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 3, warp_per_row: 32 lanes share a row ----
// Launch: a warp for each row, blocks of kBlock.
__global__ void multiply_row_of_warp(Csr a, const float* d_x, float* d_y) {
    // 3.1  Which row is this warp's? Which nonzeros are this lane's, so that the warp reads neighbouring ones?
    // 3.2  __shfl_down_sync(kAllLanes, ...) adds up 32 sums. A row has 5 nonzeros: may the other 27 lanes return early?
}

void warp_per_row(Csr a, const float* d_x, float* d_y, Workspace&) {
    todo("3");
    multiply_row_of_warp<<<ceil_div(a.rows, kWarps), kBlock>>>(a, d_x, d_y);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 4, segmented_scan: equally many nonzeros for each thread ----
constexpr int kItems = 7;  // nonzeros of a thread
constexpr int kTile = kBlock * kItems;

// Launch: a block of kBlock threads for each tile of kTile nonzeros.
// Shared memory: the tile's products, and where a row begins. d_carries: an element for each tile.
__global__ void scan_tiles(Csr a, const float* d_x, float* d_y, float* d_carries) {
    // 4.1  Which rows begin in this tile? (Two threads can find out for all, by binary search in d_row_ptr.)
    // 4.2  Mark each row's first nonzero, its head. Which place would an empty row mark?
    // 4.3  Scan backwards: what is added to each product, and where does the sum restart? What does a head hold then?
    // 4.4  What must a thread know about the shares behind its own: their sums, and what else?
}

void segmented_scan(Csr a, const float* d_x, float* d_y, Workspace& work) {
    todo("4");
    int tiles = ceil_div(a.nonzeros, kTile);  // not right yet
    // 4.5  What if there are rows, but no nonzeros?
    auto* d_carries = work.get<float>(tiles);
    scan_tiles<<<tiles, kBlock>>>(a, d_x, d_y, d_carries);
    CUDA_CHECK(cudaGetLastError());
    // 4.6  A row may go on over many tiles, and two blocks must not write the same y. Which launch adds the carries?
}

// ---- Task 5, csr_from_dense: count, scan, fill ----
// Launch: a warp for each row, blocks of kBlock.
__global__ void count_nonzeros(const float* d_dense, int rows, int cols, int* d_counts) {
    // 5.1  __ballot_sync(kAllLanes, ...) lets all lanes vote at once. How does one vote count 32 elements?
    // 5.2  cols need not be a multiple of 32: may lanes behind the row's end miss the vote?
}

// Launch: a warp for each row, blocks of kBlock.
__global__ void fill_rows(const float* d_dense, int rows, int cols, const int* d_row_ptr, int* d_cols,
                          float* d_values) {
    // 5.3  Where does this row begin in d_cols? How many of its nonzeros come before this lane's?
}

void csr_from_dense(const float* d_dense, int rows, int cols, int* d_row_ptr, int* d_cols, float* d_values,
                    Workspace& work) {
    todo("5");
    auto* d_counts = work.get<int>(rows);
    count_nonzeros<<<ceil_div(rows, kWarps), kBlock>>>(d_dense, rows, cols, d_counts);
    CUDA_CHECK(cudaGetLastError());
    // 5.4  Counts become row pointers by a scan: inclusive or exclusive, and with how many results? If rows is 0?
    fill_rows<<<ceil_div(rows, kWarps), kBlock>>>(d_dense, rows, cols, d_row_ptr, d_cols, d_values);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 6, csr_from_coo: entries in any order ----
// Launch: a thread for each entry, blocks of kBlock. d_order[i]: the index of the entry that is i-th in order.
__global__ void mark_heads(const int* d_entry_rows, const int* d_entry_cols, const int* d_order, int* d_heads, int n) {
    // 6.1  Entries of the same place are neighbours now. When is one the first of its place?
}

// Launch: a thread for each entry, blocks of kBlock. d_places: the scan of d_heads.
__global__ void write_nonzeros(const int* d_entry_cols, const float* d_sums, const int* d_order, const int* d_places,
                               int n, int* d_cols, float* d_values) {
    // 6.2  A segmented sum has added up the values of each place. Which of its entries has the total?
}

// Launch: a thread for each row pointer, blocks of kBlock.
__global__ void find_rows(const int* d_entry_rows, const int* d_order, const int* d_places, int n, int rows,
                          int* d_row_ptr) {
    // 6.3  Row r begins with the first entry whose row is r or more. Is that right for empty rows, and for r = rows?
}

void csr_from_coo(const int* d_entry_rows, const int* d_entry_cols, const float* d_entry_values, int n, int rows,
                  int /* cols: how many bits do the keys need? */, int* d_row_ptr, int* d_cols, float* d_values,
                  Workspace& work) {
    todo("6");
    auto *d_order = work.get<int>(n), *d_heads = work.get<int>(n), *d_places = work.get<int>(n + 1);
    auto* d_sums = work.get<float>(n);
    // 6.4  primitives::sort_pairs sorts by one key and keeps the order of equal keys. Which key first, row or column?
    mark_heads<<<ceil_div(n, kBlock), kBlock>>>(d_entry_rows, d_entry_cols, d_order, d_heads, n);
    CUDA_CHECK(cudaGetLastError());
    // 6.5  Which scan turns heads into places?
    primitives::segmented_inclusive_sum(d_entry_values, d_heads, d_sums, n, work);  // not right yet: values in order?
    write_nonzeros<<<ceil_div(n, kBlock), kBlock>>>(d_entry_cols, d_sums, d_order, d_places, n, d_cols, d_values);
    CUDA_CHECK(cudaGetLastError());
    find_rows<<<ceil_div(rows + 1, kBlock), kBlock>>>(d_entry_rows, d_order, d_places, n, rows, d_row_ptr);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 7, pagerank: multiply, sum, share ----
// Launch: a thread for each page, blocks of kBlock. d_sum: one float, the sum of d_y.
__global__ void follow_or_jump(const float* d_y, const float* d_sum, float* d_rank, int pages) {
    // 7.1  What is every page's equal share?
}

void pagerank(Csr links, int steps, float* d_rank, Workspace& work) {
    todo("7");
    // 7.2  What is d_rank before the first step? And if there are no pages?
    auto *d_y = work.get<float>(links.rows), *d_sum = work.get<float>(1);
    for (int step = 0; step < steps; ++step) {
        // 7.3  Which of your products is fastest if a few pages have very many links? May it write over its input?
        follow_or_jump<<<ceil_div(links.rows, kBlock), kBlock>>>(d_y, d_sum, d_rank, links.rows);
        CUDA_CHECK(cudaGetLastError());
    }
}

// ---- Task 8, merge_path: equally many row ends and nonzeros for each thread ----
// Launch: a block of kBlock threads for each tile of kTile steps along the path.
// Shared memory: the tile's products and row ends. d_carries: an element for each tile.
__global__ void walk_tiles(Csr a, const float* d_x, float* d_y, float* d_carries) {
    // 8.1  The path merges row ends with the nonzeros' indices 0, 1, 2, ... (lab 5's load_balanced). What does a step
    //      do that takes a nonzero, and one that takes a row end? Which goes first if d_row_ptr[r + 1] == k?
    // 8.2  Where is the path after d steps? One of the two lists needs no memory: what is its k-th element?
    // 8.3  What does a thread, or a tile, carry over at the end of its piece? In which direction, compared with task 4?
}

void merge_path(Csr a, const float* d_x, float* d_y, Workspace& work) {
    todo("8");
    int tiles = ceil_div(a.rows + a.nonzeros, kTile);
    auto* d_carries = work.get<float>(tiles);
    walk_tiles<<<tiles, kBlock>>>(a, d_x, d_y, d_carries);
    CUDA_CHECK(cudaGetLastError());
    // 8.4  Who delivers the carries?
}
