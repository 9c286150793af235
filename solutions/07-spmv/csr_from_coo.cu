// Task 6, csr_from_coo: a stable sort by column, then one by row, puts the entries in order, and entries of the same
// place side by side. Heads mark the first entry of each place, a scan of the heads numbers the places, and a segmented
// sum adds up each place. No atomics: the sums are the same in every run.
#include "spmv.h"

constexpr int kBlock = 256;

// How many bits the numbers below `bound` need.
static int bits_below(int bound) {
    int bits = 0;
    while (bits < 31 && (1 << bits) < bound) ++bits;
    return bits;
}

// Launch: a thread for each entry.
__global__ void number_entries(int* d_order, int n) {
    int i = blockIdx.x * kBlock + threadIdx.x;
    if (i < n) d_order[i] = i;
}

// Launch: a thread for each entry. d_out[i] = d_in[d_order[i]].
template <class T>
__global__ void gather_in_order(const T* d_in, const int* d_order, T* d_out, int n) {
    int i = blockIdx.x * kBlock + threadIdx.x;
    if (i < n) d_out[i] = d_in[d_order[i]];
}

// Launch: a thread for each entry. The first entry is always a head: nothing is before it.
__global__ void mark_heads(const unsigned* d_sorted_rows, const int* d_sorted_cols, int* d_heads, int n) {
    int i = blockIdx.x * kBlock + threadIdx.x;
    if (i >= n) return;
    d_heads[i] = i == 0 || d_sorted_rows[i] != d_sorted_rows[i - 1] || d_sorted_cols[i] != d_sorted_cols[i - 1];
}

// Launch: a thread for each entry. The last entry of a place has the place's sum and writes it. d_places[i]: how many
// heads come before entry i.
__global__ void write_nonzeros(const int* d_sorted_cols, const float* d_sums, const int* d_heads, const int* d_places,
                               int n, int* d_cols, float* d_values) {
    int i = blockIdx.x * kBlock + threadIdx.x;
    if (i >= n || (i + 1 < n && !d_heads[i + 1])) return;
    int place = d_places[i + 1] - 1;
    d_cols[place] = d_sorted_cols[i];
    d_values[place] = d_sums[i];
}

// Launch: a thread for each row pointer. Row r begins with the first entry of row r or of a later row, so empty rows
// need no special case.
__global__ void find_rows(const unsigned* d_sorted_rows, const int* d_places, int n, int rows, int* d_row_ptr) {
    int row = blockIdx.x * kBlock + threadIdx.x;
    if (row > rows) return;
    int low = 0, high = n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (static_cast<int>(d_sorted_rows[middle]) < row)
            low = middle + 1;
        else
            high = middle;
    }
    d_row_ptr[row] = d_places[low];
}

void csr_from_coo(const int* d_entry_rows, const int* d_entry_cols, const float* d_entry_values, int n, int rows,
                  int cols, int* d_row_ptr, int* d_cols, float* d_values, Workspace& work) {
    auto *d_order = work.get<int>(n), *d_by_col = work.get<int>(n), *d_by_row = work.get<int>(n);
    auto *d_rows_by_col = work.get<unsigned>(n), *d_sorted_rows = work.get<unsigned>(n);
    auto *d_sorted_cols = work.get<int>(n), *d_heads = work.get<int>(n), *d_places = work.get<int>(n + 1);
    auto* d_sums = work.get<float>(n);
    unsigned* d_keys = d_sorted_rows;  // the first sort's, which nobody needs: the second sort overwrites them
    int blocks = ceil_div(n, kBlock);
    if (n > 0) {
        number_entries<<<blocks, kBlock>>>(d_order, n);
        CUDA_CHECK(cudaGetLastError());

        // Two stable sorts of unsigned keys: rows and columns are not negative.
        auto* d_unsigned_cols = reinterpret_cast<const unsigned*>(d_entry_cols);
        primitives::sort_pairs(d_unsigned_cols, d_order, d_keys, d_by_col, n, work, bits_below(cols));
        auto* d_unsigned_rows = reinterpret_cast<const unsigned*>(d_entry_rows);
        gather_in_order<<<blocks, kBlock>>>(d_unsigned_rows, d_by_col, d_rows_by_col, n);
        CUDA_CHECK(cudaGetLastError());
        primitives::sort_pairs(d_rows_by_col, d_by_col, d_sorted_rows, d_by_row, n, work, bits_below(rows));

        gather_in_order<<<blocks, kBlock>>>(d_entry_cols, d_by_row, d_sorted_cols, n);
        CUDA_CHECK(cudaGetLastError());
        gather_in_order<<<blocks, kBlock>>>(d_entry_values, d_by_row, d_sums, n);
        CUDA_CHECK(cudaGetLastError());

        // Entries of the same place are neighbours now, and are added up.
        mark_heads<<<blocks, kBlock>>>(d_sorted_rows, d_sorted_cols, d_heads, n);
        CUDA_CHECK(cudaGetLastError());
        primitives::segmented_inclusive_sum(d_sums, d_heads, d_sums, n, work);
    }

    // The heads number the places.
    primitives::exclusive_sum(d_heads, d_places, n, work);  // for n = 0 it writes only the total, 0
    if (n > 0) {
        write_nonzeros<<<blocks, kBlock>>>(d_sorted_cols, d_sums, d_heads, d_places, n, d_cols, d_values);
        CUDA_CHECK(cudaGetLastError());
    }
    find_rows<<<ceil_div(rows + 1, kBlock), kBlock>>>(d_sorted_rows, d_places, n, rows, d_row_ptr);
    CUDA_CHECK(cudaGetLastError());
}
