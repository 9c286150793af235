// Lab 7, SpMV: the one file you edit. Handout: README.md. Then: make lab7 && ./grader
// Pointers d_* are device memory; inputs must not change; outputs hold garbage at first.
// Each function is called for every size from 0 up and is timed; its Workspace is not.
#include "spmv.h"  // the contract; todo(), CUDA_CHECK, ceil_div, Workspace, Csr, and what primitives.h has ready

constexpr int kBlock = 256;
constexpr int kWarps = kBlock / 32;

// ---- Task 1, gather_multiply_reduce: one step at a time ----
// Launch: a thread for each nonzero, blocks of kBlock.
__global__ void gather(const int* d_cols, const float* d_x, float* d_gathered, int nonzeros) {
    // 1.1  Which element of x does nonzero k meet? Do neighbouring threads read neighbouring elements of it?
}

// Launch: a thread for each nonzero, blocks of kBlock.
__global__ void multiply(const float* d_values, const float* d_gathered, float* d_products, int nonzeros) {
    // 1.2  How many bytes does this kernel move for each product?
}

// Launch: a thread for each row, blocks of kBlock.
__global__ void reduce_rows(const int* d_row_ptr, const float* d_products, float* d_y, int rows) {
    // 1.3  Where do the products of row r begin, where do they end? What must an empty row get, and who writes it?
}

void gather_multiply_reduce(Csr a, const float* d_x, float* d_y, Workspace& work) {
    todo("1");  // take this line out when you start; until then the verdict is SKIP
    // 1.4  There may be rows without any nonzero, and no rows at all: which of the three launches have 0 blocks then?
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
    // 2.1  Which arrays between the steps are needed no more?
    // 2.2  The 32 threads of a warp read their first nonzeros at the same time: how far apart do these lie?
    // 2.3  One row has 10,000 nonzeros, its neighbours have 3. What do the other 31 threads of its warp do?
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
    // 3.2  The row has 5 nonzeros: what do the lanes bring to the sum that have none?
    // 3.3  32 sums become one by __shfl_down_sync(kAllLanes, ...). May a lane leave the kernel before?
}

void warp_per_row(Csr a, const float* d_x, float* d_y, Workspace&) {
    todo("3");
    // 3.4  rows may be 2^28: is rows * 32 still an int?
    multiply_row_of_warp<<<ceil_div(a.rows, kWarps), kBlock>>>(a, d_x, d_y);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 4, segmented_scan: the same number of nonzeros for everybody ----
constexpr int kItems = 7;  // nonzeros of a thread
constexpr int kTile = kBlock * kItems;

// Launch: a block of kBlock threads for each tile of kTile nonzeros.
// Shared memory: the tile's products, and where a row begins. d_carries: an element for each tile.
__global__ void scan_tiles(Csr a, const float* d_x, float* d_y, float* d_carries) {
    // 4.1  Which rows begin in this tile? Let two threads search d_row_ptr for all: for what?
    // 4.2  Mark the heads, the first nonzeros of rows. Which place would an empty row mark, and whose is it?
    // 4.3  Going backwards, what is added to a product, and where does the sum start afresh? So what has the head got?
    // 4.4  What does a thread need to know of those behind it: their sums, and what else, to join any number of them?
    // 4.5  Which rows of this tile are not yet complete? Who has the rest, and how many tiles may that be?
    // 4.6  Which y does nobody write so far?
}

void segmented_scan(Csr a, const float* d_x, float* d_y, Workspace& work) {
    todo("4");
    // 4.7  There may be rows, and no nonzero.
    int tiles = ceil_div(a.nonzeros, kTile);
    auto* d_carries = work.get<float>(tiles);
    scan_tiles<<<tiles, kBlock>>>(a, d_x, d_y, d_carries);
    CUDA_CHECK(cudaGetLastError());
    // 4.8  Two blocks must not both write the y of a row that they share, so a launch after this one adds what the
    //      first has left behind. If a row goes over many tiles? (primitives.h has segmented sums.) Whose carry is it?
}

// ---- Task 5, csr_from_dense: count, scan, fill ----
// Launch: a warp for each row, blocks of kBlock.
__global__ void count_nonzeros(const float* d_dense, int rows, int cols, int* d_counts) {
    // 5.1  A vote, __ballot_sync(kAllLanes, ...), asks all lanes at once. How does it count 32 elements?
    // 5.2  cols is no multiple of 32: may the lanes beyond the row's end stay away from the vote?
}

// Launch: a warp for each row, blocks of kBlock.
__global__ void fill_rows(const float* d_dense, int rows, int cols, const int* d_row_ptr, int* d_cols,
                          float* d_values) {
    // 5.3  Where does this row begin in d_cols? How many kept elements lie before this lane's own? Ask the vote again.
}

void csr_from_dense(const float* d_dense, int rows, int cols, int* d_row_ptr, int* d_cols, float* d_values,
                    Workspace& work) {
    todo("5");
    auto* d_counts = work.get<int>(rows);
    count_nonzeros<<<ceil_div(rows, kWarps), kBlock>>>(d_dense, rows, cols, d_counts);
    CUDA_CHECK(cudaGetLastError());
    // 5.4  Counts become row pointers by a scan: inclusive or exclusive, and how many results? And if rows = 0?
    fill_rows<<<ceil_div(rows, kWarps), kBlock>>>(d_dense, rows, cols, d_row_ptr, d_cols, d_values);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 6, csr_from_coo: entries in any order ----
// Launch: a thread for each entry, blocks of kBlock. d_order[i]: which entry is the i-th in order.
__global__ void mark_heads(const int* d_entry_rows, const int* d_entry_cols, const int* d_order, int* d_heads, int n) {
    // 6.1  Entries of one place now are neighbours. When is one the first of its place? Which has no left neighbour?
}

// Launch: a thread for each entry, blocks of kBlock. d_places: the scan of d_heads.
__global__ void write_nonzeros(const int* d_entry_cols, const float* d_sums, const int* d_order, const int* d_places,
                               int n, int* d_cols, float* d_values) {
    // 6.2  A segmented sum has added up the values of each place. Which of its entries has the total?
}

// Launch: a thread for each row pointer, blocks of kBlock.
__global__ void find_rows(const int* d_entry_rows, const int* d_order, const int* d_places, int n, int rows,
                          int* d_row_ptr) {
    // 6.3  Row r begins with the first entry whose row is r, or more. Is that right for empty rows, and for r = rows?
}

void csr_from_coo(const int* d_entry_rows, const int* d_entry_cols, const float* d_entry_values, int n, int rows,
                  int /* cols: how many bits have the keys? */, int* d_row_ptr, int* d_cols, float* d_values,
                  Workspace& work) {
    todo("6");
    auto *d_order = work.get<int>(n), *d_heads = work.get<int>(n), *d_places = work.get<int>(n + 1);
    auto* d_sums = work.get<float>(n);
    // 6.4  primitives::sort_pairs sorts by one key, and keeps the order of equal ones. By which key first, by row or by
    //      column, so that both are in order at the end? What travels along as the value?
    mark_heads<<<ceil_div(n, kBlock), kBlock>>>(d_entry_rows, d_entry_cols, d_order, d_heads, n);
    CUDA_CHECK(cudaGetLastError());
    // 6.5  Which scan makes places of heads, and which one sums of d_entry_values? In which order does it need them?
    primitives::segmented_inclusive_sum(d_entry_values, d_heads, d_sums, n, work);
    write_nonzeros<<<ceil_div(n, kBlock), kBlock>>>(d_entry_cols, d_sums, d_order, d_places, n, d_cols, d_values);
    CUDA_CHECK(cudaGetLastError());
    find_rows<<<ceil_div(rows + 1, kBlock), kBlock>>>(d_entry_rows, d_order, d_places, n, rows, d_row_ptr);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 7, pagerank: multiply, sum, share ----
// Launch: a thread for each page, blocks of kBlock. d_sum: one float, the sum of d_y.
__global__ void follow_or_jump(const float* d_y, const float* d_sum, float* d_rank, int pages) {
    // 7.1  What is everybody's share? Does the host have to know the sum?
}

void pagerank(Csr links, int steps, float* d_rank, Workspace& work) {
    todo("7");
    // 7.2  What is d_rank before the first step? And if there are no pages?
    auto *d_y = work.get<float>(links.rows), *d_sum = work.get<float>(1);
    for (int step = 0; step < steps; ++step) {
        // 7.3  Which of your products is the fastest for a web, where few pages have very many links? May it write its
        //      result over what it multiplies?
        follow_or_jump<<<ceil_div(links.rows, kBlock), kBlock>>>(d_y, d_sum, d_rank, links.rows);
        CUDA_CHECK(cudaGetLastError());
    }
}

// ---- Task 8, merge_path: rows and nonzeros shared out equally ----
// Launch: a block of kBlock threads for each tile of kTile steps along the path.
// Shared memory: the tile's products, and its rows' ends. d_carries: an element for each tile.
__global__ void walk_tiles(Csr a, const float* d_x, float* d_y, float* d_carries) {
    // 8.1  Merge row ends with the nonzeros' numbers, 0, 1, 2, ... (lab 9): what does a step do that takes a nonzero,
    //      and one that takes a row end? Which goes first if row r ends before nonzero k, d_row_ptr[r + 1] == k?
    // 8.2  Where is the path after d steps? One of the two lists needs no memory: what is its k-th element?
    // 8.3  What leaves a thread, and a block, at the end of its piece, and in which direction, compared with task 4?
}

void merge_path(Csr a, const float* d_x, float* d_y, Workspace& work) {
    todo("8");
    // 8.4  How many steps has the path? Which tile of task 4 has most to do if a million empty rows follow each other?
    int tiles = ceil_div(a.rows + a.nonzeros, kTile);
    auto* d_carries = work.get<float>(tiles);
    walk_tiles<<<tiles, kBlock>>>(a, d_x, d_y, d_carries);
    CUDA_CHECK(cudaGetLastError());
}
