// Style: unions and bit tricks: a float's bits tell whether it is 0, a ballot is a row's map, PTX for the lane and for
// the mask of the lanes below; two namespaces of kernels with the same names; early returns.
#include "spmv.h"

union Word {
    float number;
    unsigned bits;
    __device__ bool is_zero() const { return (bits & 0x7fffffffu) == 0; }
};

__device__ unsigned lane_id() {
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}
__device__ unsigned lanes_below() {
    unsigned mask;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
    return mask;
}

// Calls body(ballot, word, index) for each 32 elements of a row that belongs to this warp.
template <class Body>
__device__ void along_row(const float* row, int cols, Body body) {
    for (int begin = 0; begin < cols; begin += 32) {
        int c = begin + lane_id();
        Word word;
        word.number = c < cols ? row[c] : -0.0f;
        body(__ballot_sync(kAllLanes, !word.is_zero()), word, c);
    }
}

namespace first {
__global__ void pass(const float* dense, int rows, int cols, int* counts) {
    int r = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, count = 0;
    if (r >= rows) return;
    along_row(dense + static_cast<size_t>(r) * cols, cols,
              [&](unsigned ballot, Word, int) { count += __popc(ballot); });
    if (lane_id() == 0) counts[r] = count;
}
}  // namespace first

namespace second {
__global__ void pass(const float* dense, int rows, int cols, const int* row_ptr, int* out_cols, float* values) {
    int r = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    if (r >= rows) return;
    int to = row_ptr[r];
    if (row_ptr[r + 1] == to) return;
    along_row(dense + static_cast<size_t>(r) * cols, cols, [&](unsigned ballot, Word word, int c) {
        int place = to + __popc(ballot & lanes_below());
        to += __popc(ballot);
        if (word.is_zero()) return;
        out_cols[place] = c;
        values[place] = word.number;
    });
}
}  // namespace second

void csr_from_dense(const float* d_dense, int rows, int cols, int* d_row_ptr, int* d_cols, float* d_values,
                    Workspace& work) {
    if (rows == 0) {
        CUDA_CHECK(cudaMemsetAsync(d_row_ptr, 0, sizeof(int)));
        return;
    }
    int *d_counts = work.get<int>(rows), blocks = ceil_div(rows, 8);
    first::pass<<<blocks, 256>>>(d_dense, rows, cols, d_counts);
    CUDA_CHECK(cudaGetLastError());
    primitives::exclusive_sum(d_counts, d_row_ptr, rows, work);
    second::pass<<<blocks, 256>>>(d_dense, rows, cols, d_row_ptr, d_cols, d_values);
    CUDA_CHECK(cudaGetLastError());
}
