// Task 7, summed_area: a scan of every row, a transpose, a scan of every row again, and a transpose. The columns become
// rows, so that one kernel serves both directions and every access is coalesced.
#include "tile.cuh"

constexpr int kWarps = 8;  // of a block, a row for each

// Launch: a block of 32 x kWarps threads for every kWarps rows. d_out may be d_in, if T is unsigned: a lane reads an
// element before it writes the sum there.
template <class T>
__global__ void scan_rows(const T* d_in, unsigned* d_out, int rows, int columns) {
    int row = blockIdx.x * kWarps + threadIdx.y, lane = threadIdx.x;
    if (row >= rows) return;  // the whole warp leaves
    unsigned before = 0;      // the sum of all elements before these 32
    for (int first = 0; first < columns; first += 32) {
        int i = row * columns + first + lane;
        unsigned sum = first + lane < columns ? d_in[i] : 0;
        for (int distance = 1; distance < 32; distance *= 2) {
            unsigned left = __shfl_up_sync(kAllLanes, sum, distance);
            if (lane >= distance) sum += left;
        }
        sum += before;
        if (first + lane < columns) d_out[i] = sum;
        before = __shfl_sync(kAllLanes, sum, 31);
    }
}

void summed_area(const unsigned char* d_in, unsigned* d_out, int rows, int columns, Workspace& work) {
    if (rows == 0 || columns == 0) return;
    auto* d_turned = work.get<unsigned>(static_cast<std::size_t>(rows) * columns);
    dim3 rows_of_block(32, kWarps), block_of_tile(kTile, kBlockY);
    scan_rows<<<ceil_div(rows, kWarps), rows_of_block>>>(d_in, d_out, rows, columns);
    CUDA_CHECK(cudaGetLastError());
    transpose_tiles<<<tiles_of(rows, columns), block_of_tile>>>(d_out, d_turned, rows, columns);
    CUDA_CHECK(cudaGetLastError());
    scan_rows<<<ceil_div(columns, kWarps), rows_of_block>>>(d_turned, d_turned, columns, rows);
    CUDA_CHECK(cudaGetLastError());
    transpose_tiles<<<tiles_of(columns, rows), block_of_tile>>>(d_turned, d_out, columns, rows);
    CUDA_CHECK(cudaGetLastError());
}
