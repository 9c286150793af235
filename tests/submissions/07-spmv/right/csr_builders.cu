// Style: lambdas over a grid; every temporary array comes from a small RAII class over cudaMallocAsync; moves.
#include <utility>

#include "spmv.h"

namespace {

template <class T>
class Buffer {
  public:
    explicit Buffer(std::size_t count) { CUDA_CHECK(cudaMallocAsync(&data_, (count + 1) * sizeof(T), nullptr)); }
    ~Buffer() {
        if (data_ != nullptr) cudaFreeAsync(data_, nullptr);
    }
    Buffer(Buffer&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
    Buffer& operator=(Buffer&&) = delete;
    operator T*() const { return data_; }

  private:
    T* data_ = nullptr;
};

template <class Step>
__global__ void each(int n, Step step) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) step(i);
}

template <class Step>
void for_all(int n, Step step) {
    if (n == 0) return;
    each<<<ceil_div(n, 256), 256>>>(n, step);
    CUDA_CHECK(cudaGetLastError());
}

int width_of(int bound) { return bound <= 1 ? 0 : 32 - __builtin_clz(bound - 1); }

}  // namespace

void csr_from_dense(const float* d_dense, int rows, int cols, int* d_row_ptr, int* d_cols, float* d_values,
                    Workspace& work) {
    int n = rows * cols;
    Buffer<int> places(n + 1);
    int* d_places = places;
    for_all(n, [=] __device__(int i) { d_places[i] = d_dense[i] != 0.0f ? 1 : 0; });
    primitives::exclusive_sum(d_places, d_places, n, work);
    for_all(n, [=] __device__(int i) {
        if (d_places[i] == d_places[i + 1]) return;
        d_cols[d_places[i]] = i % cols;
        d_values[d_places[i]] = d_dense[i];
    });
    for_all(rows + 1, [=] __device__(int row) { d_row_ptr[row] = d_places[row * cols]; });
}

void csr_from_coo(const int* d_entry_rows, const int* d_entry_cols, const float* d_entry_values, int n, int rows,
                  int cols, int* d_row_ptr, int* d_cols, float* d_values, Workspace& work) {
    Buffer<unsigned> keys(n), sorted(n);
    Buffer<int> order(n), by_column(n), by_row(n), heads(n), places(n + 1);
    Buffer<float> sums(n);
    unsigned *d_keys = keys, *d_sorted = sorted;
    int *d_order = order, *d_by_column = by_column, *d_by_row = by_row, *d_heads = heads, *d_places = places;
    float* d_sums = sums;
    for_all(n, [=] __device__(int i) {
        d_order[i] = i;
        d_keys[i] = d_entry_cols[i];
    });
    primitives::sort_pairs(d_keys, d_order, d_sorted, d_by_column, n, work, width_of(cols));
    for_all(n, [=] __device__(int i) { d_keys[i] = d_entry_rows[d_by_column[i]]; });
    primitives::sort_pairs(d_keys, d_by_column, d_sorted, d_by_row, n, work, width_of(rows));
    for_all(n, [=] __device__(int i) {
        int here = d_by_row[i];
        d_sums[i] = d_entry_values[here];
        d_heads[i] = 1;
        if (i == 0) return;
        int before = d_by_row[i - 1];
        d_heads[i] = d_entry_rows[here] != d_entry_rows[before] || d_entry_cols[here] != d_entry_cols[before];
    });
    primitives::segmented_inclusive_sum(d_sums, d_heads, d_sums, n, work);
    primitives::exclusive_sum(d_heads, d_places, n, work);
    for_all(n, [=] __device__(int i) {
        if (i + 1 < n && d_heads[i + 1] == 0) return;
        int place = d_places[i + 1] - 1;
        d_cols[place] = d_entry_cols[d_by_row[i]];
        d_values[place] = d_sums[i];
    });
    for_all(rows + 1, [=] __device__(int row) {
        int low = 0, high = n;
        while (low != high) {
            int middle = (low + high) >> 1;
            if (static_cast<int>(d_sorted[middle]) < row)
                low = middle + 1;
            else
                high = middle;
        }
        d_row_ptr[row] = d_places[low];
    });
}
