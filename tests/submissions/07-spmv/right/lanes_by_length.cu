// Style: lanes for a row as a template parameter, chosen from the mean length; two-dimensional blocks, one row of the
// block for each row of the matrix; shuffles with a width, cudaLaunchKernelEx; sums in double; [[likely]].
#include <utility>

#include "spmv.h"

template <int kLanes>
__global__ void rows_of_block(Csr a, const float* x, float* y) {
    static_assert(kLanes <= 32 && (kLanes & (kLanes - 1)) == 0);
    for (long long r = blockIdx.x * 1LL * blockDim.y + threadIdx.y;; r += 1LL * gridDim.x * blockDim.y) {
        bool there = r < a.rows;
        if (!__any_sync(kAllLanes, there)) return;
        double sum = 0;
        if (there) [[likely]] {
            for (int k = a.d_row_ptr[r] + threadIdx.x; k < a.d_row_ptr[r + 1]; k += kLanes)
                sum += static_cast<double>(__ldg(a.d_values + k)) * __ldg(x + a.d_cols[k]);
        }
#pragma unroll
        for (int apart = kLanes / 2; apart > 0; apart /= 2) sum += __shfl_xor_sync(kAllLanes, sum, apart, kLanes);
        if (there && threadIdx.x == 0) y[r] = static_cast<float>(sum);
    }
}

template <int kLanes>
void launch(const Csr& a, const float* x, float* y) {
    cudaLaunchConfig_t config = {};
    config.blockDim = dim3(kLanes, 256 / kLanes);
    config.gridDim = dim3(min(ceil_div(a.rows, 256 / kLanes), 4096));
    CUDA_CHECK(cudaLaunchKernelEx(&config, rows_of_block<kLanes>, a, x, y));
}

void warp_per_row(Csr a, const float* d_x, float* d_y, Workspace&) {
    if (a.rows == 0) return;
    constexpr std::pair<int, void (*)(const Csr&, const float*, float*)> kWays[] = {
        {2, launch<2>}, {4, launch<4>}, {8, launch<8>}, {16, launch<16>}};
    for (auto [lanes, way] : kWays) {
        if (a.nonzeros / a.rows <= lanes) return way(a, d_x, d_y);
    }
    launch<32>(a, d_x, d_y);
}
