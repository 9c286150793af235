// Style: tensor cores by wmma: a tile's 256 answers times a matrix of ones are its counts, exact in half precision.
#include <mma.h>

#include "compact.h"

using namespace nvcuda;

template <class T, class Keep>
__global__ void count_rows(const T* in, int* counts, int n, Keep keep) {
    __shared__ __half s_answers[256], s_ones[256];
    __shared__ float s_sums[256];
    int lane = threadIdx.x, first = blockIdx.x * 256;
    for (int k = lane; k < 256; k += 32) {
        s_answers[k] = __float2half(first + k < n && keep(in[first + k]) ? 1.0f : 0.0f);
        s_ones[k] = __float2half(1.0f);
    }
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> answers;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> ones;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
    wmma::fill_fragment(sums, 0.0f);
    wmma::load_matrix_sync(answers, s_answers, 16);
    wmma::load_matrix_sync(ones, s_ones, 16);
    wmma::mma_sync(sums, answers, ones, sums);
    wmma::store_matrix_sync(s_sums, sums, 16, wmma::mem_row_major);
    __syncwarp();
    float sum = lane < 16 ? s_sums[16 * lane] : 0;
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (lane == 0) counts[blockIdx.x] = static_cast<int>(sum);
}

template <class T, class Keep>
__global__ void scatter_rows(const T* in, const int* places, T* out, int* total, int n, Keep keep) {
    int place = places[blockIdx.x], lane = threadIdx.x;
    for (int k = lane; k < 256; k += 32) {
        int i = blockIdx.x * 256 + k;
        bool kept = i < n && keep(in[i]);
        unsigned votes = __ballot_sync(0xffffffff, kept);
        if (kept) out[place + __popc(votes & ((1u << lane) - 1))] = in[i];
        place += __popc(votes);
    }
    if (blockIdx.x == 0 && lane == 0) *total = places[gridDim.x];
}

template <class T, class Keep>
void fused(const T* d_in, T* d_out, int* d_count, int n, Keep keep, Workspace& work) {
    CUDA_CHECK(cudaMemsetAsync(d_count, 0, sizeof *d_count));
    if (n == 0) return;
    int tiles = ceil_div(n, 256), *d_places = work.get<int>(tiles + 1);
    count_rows<<<tiles, 32>>>(d_in, d_places, n, keep);
    CUDA_CHECK(cudaGetLastError());
    primitives::exclusive_sum(d_places, d_places, tiles, work);
    scatter_rows<<<tiles, 32>>>(d_in, d_places, d_out, d_count, n, keep);
    CUDA_CHECK(cudaGetLastError());
}

template void fused(const int*, int*, int*, int, IsPositive, Workspace&);
template void fused(const unsigned char*, unsigned char*, int*, int, IsDiamond, Workspace&);
template void fused(const float*, float*, int*, int, IsAbove, Workspace&);
