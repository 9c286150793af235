#include <algorithm>
#include "spmv.h"
#ifndef THREADS
#define THREADS 256
#define ITEMS 8
#define PER_BLOCK 4
#define PER_SM 5
#define VEC 0
#define PRE 0
#define ENOUGH 2000
#define ROTATE 1
#endif
constexpr int kThreads = THREADS;
constexpr int kBlocksPerSm = PER_SM;
constexpr int kItems = ITEMS;
constexpr int kLine = 32;
constexpr int kRoom = kThreads * kItems;
constexpr int kTile = kRoom - kLine;
constexpr int kTilesPerBlock = PER_BLOCK;
constexpr int kLong = 32;

// Of the first `diagonal` steps of the path, how many finish a row? From low to high.
__device__ int rows_ended(const int* row_end, int low, int high, int diagonal) {
    int lane = threadIdx.x % 32;
    while (low < high) {
        int part = ceil_div(high - low, 32), i = low + (lane + 1) * part - 1;
        bool has_ended = i < high && row_end[i] <= diagonal - 1 - i;
        low += part * __popc(__ballot_sync(kAllLanes, has_ended));
        high = min(high, low + part - 1);
    }
    return low;
}

__device__ float sum_of_warp(float sum) {
    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(kAllLanes, sum, distance);
    return sum;
}

#if VEC
template <class Vector, class T>
__device__ Vector load_four(const T* d_array, int k, int n) {
    if (k + 4 <= n) return __ldcs(reinterpret_cast<const Vector*>(d_array + k));
    return {d_array[k], k + 1 < n ? d_array[k + 1] : T{}, k + 2 < n ? d_array[k + 2] : T{}, T{}};
}
#endif

__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    sum_tiles(Csr a, const float* d_x, float* d_y, int tiles, int tiles_each, float* d_carries, int* d_carry_rows) {
    constexpr int kSize = kRoom + 8;
    __shared__ alignas(16) float s_product[kSize];
    __shared__ int s_rows[kTilesPerBlock + 1];
    int t = threadIdx.x, lane = t % 32, warp = t / 32, steps = a.rows + a.nonzeros;
    int first_tile = blockIdx.x * tiles_each, tiles_here = min(tiles_each, tiles - first_tile);
    auto cut = [&](int i, int low, int high) {
        int diagonal = min((first_tile + i) * kTile, steps);
        int ended = rows_ended(a.d_row_ptr + 1, max(low, diagonal - a.nonzeros), min(diagonal, high), diagonal);
        if (lane == 0) s_rows[i] = ended;
    };
    if (warp < 2) cut(warp * tiles_here, 0, a.rows);
    __syncthreads();
    if (tiles_here > 1) {
        for (int i = 1 + warp; i < tiles_here; i += kThreads / 32) cut(i, s_rows[0], s_rows[tiles_here]);
        __syncthreads();
    }
    int begin, end, base;
    auto bounds = [&](int i) {
        begin = (first_tile + i) * kTile - s_rows[i], end = min((first_tile + i + 1) * kTile, steps) - s_rows[i + 1];
        base = begin / kLine * kLine;
    };
#if VEC
    constexpr int kVectors = kItems / 4;
    int4 col[kVectors];
    float4 value[kVectors];
#else
    int col[kItems];
    float value[kItems];
#endif
    auto load = [&] {
#if VEC
#pragma unroll
        for (int v = 0; v < kVectors; ++v) {
            int k = base + (v * kThreads + t) * 4;
            if (k + 3 < begin || k >= end) continue;
            col[v] = load_four<int4>(a.d_cols, k, a.nonzeros);
            value[v] = load_four<float4>(a.d_values, k, a.nonzeros);
        }
#else
#pragma unroll
        for (int v = 0; v < kItems; ++v) {
            int k = base + v * kThreads + t;
            bool is_in = k >= begin && k < end;
            col[v] = is_in ? __ldcs(a.d_cols + k) : 0;
            value[v] = is_in ? __ldcs(a.d_values + k) : 0;
        }
#endif
    };
#if PRE
    bounds(0);
    load();
#endif
    for (int i = 0; i < tiles_here; ++i) {
        int tile = first_tile + i, first_row = s_rows[i], rows = s_rows[i + 1] - first_row;
        bounds(i);
#if !PRE
        load();
#endif
        auto finish = [&](int row, float sum) {
            if (row < rows) {
                d_y[first_row + row] = sum;
            } else {
                d_carries[tile] = sum;
                d_carry_rows[tile] = first_row + rows;
            }
        };
#if VEC
        float4 product[kVectors];
#pragma unroll
        for (int v = 0; v < kVectors; ++v) {
            int k = base + (v * kThreads + t) * 4;
            if (k + 3 < begin || k >= end) continue;
            product[v] = {d_x[col[v].x], d_x[col[v].y], d_x[col[v].z], d_x[col[v].w]};
        }
#else
        float product[kItems];
#pragma unroll
        for (int v = 0; v < kItems; ++v) {
            int k = base + v * kThreads + t;
            product[v] = k >= begin && k < end ? d_x[col[v]] : 0;
        }
#endif
        int* s_end = reinterpret_cast<int*>(s_product + kSize) - (rows + 1);
        for (int row = t; row < rows; row += kThreads) s_end[row] = a.d_row_ptr[first_row + row + 1] - base;
        if (t == 0) s_end[rows] = end - base;
#if VEC
#pragma unroll
        for (int v = 0; v < kVectors; ++v) {
            int k = base + (v * kThreads + t) * 4;
            if (k + 3 < begin || k >= end) continue;
            reinterpret_cast<float4*>(s_product)[v * kThreads + t] = {
                product[v].x * value[v].x, product[v].y * value[v].y, product[v].z * value[v].z, product[v].w * value[v].w};
        }
#else
#pragma unroll
        for (int v = 0; v < kItems; ++v) {
            int k = base + v * kThreads + t;
            if (k >= begin && k < end) s_product[v * kThreads + t] = value[v] * product[v];
        }
#endif
        __syncthreads();
        int sum_begin = begin - base;
#if PRE
        if (i + 1 < tiles_here) {
            bounds(i + 1);
            load();
        }
#endif

        for (int first = warp * 32; first <= rows; first += kThreads) {
            int row = first + lane, from = 0, to = 0;
            if (row <= rows) {
                from = row > 0 ? s_end[row - 1] : sum_begin;
                to = s_end[row];
            }
            int length = to - from;
            if (row <= rows && length <= kLong) {
                float sum = 0;
#if ROTATE
                int k = from + (from / 32 & ((1 << (31 - __clz(length | 1))) - 1));
                for (int j = 0; j < length; ++j) {
                    sum += s_product[k];
                    k = k + 1 == to ? from : k + 1;
                }
#else
                for (int k = from; k < to; ++k) sum += s_product[k];
#endif
                finish(row, sum);
            }
            for (unsigned rest = __ballot_sync(kAllLanes, length > kLong); rest != 0; rest &= rest - 1) {
                int which = __ffs(rest) - 1;
                int long_from = __shfl_sync(kAllLanes, from, which), long_to = __shfl_sync(kAllLanes, to, which);
                float sum = 0;
                for (int k = long_from + lane; k < long_to; k += 32) sum += s_product[k];
                sum = sum_of_warp(sum);
                if (lane == 0) finish(first + which, sum);
            }
        }
        if (i + 1 < tiles_here) __syncthreads();
    }
}

__global__ void __launch_bounds__(128)
    add_carries(Csr a, const float* d_carries, const int* d_carry_rows, int tiles, float* d_y) {
    int tile = blockIdx.x * 128 + threadIdx.x, lane = threadIdx.x % 32, row = a.rows;
    bool is_last = false, goes_on = false;
    if (tile < tiles) {
        row = d_carry_rows[tile];
        is_last = row < a.rows && (tile + 1 == tiles || d_carry_rows[tile + 1] != row);
        goes_on = is_last && tile > 0 && d_carry_rows[tile - 1] == row;
        float carry = d_carries[tile];
        if (is_last && !goes_on) d_y[row] += carry;
    }
    int first = goes_on ? (row + a.d_row_ptr[row]) / kTile : 0;
    for (unsigned rest = __ballot_sync(kAllLanes, goes_on); rest != 0; rest &= rest - 1) {
        int which = __ffs(rest) - 1;
        int from = __shfl_sync(kAllLanes, first, which), to = __shfl_sync(kAllLanes, tile, which);
        float sum = 0;
        for (int k = from + lane; k <= to; k += 32) sum += d_carries[k];
        sum = sum_of_warp(sum);
        if (lane == which) d_y[row] += sum;
    }
}

void merge_path(Csr a, const float* d_x, float* d_y, Workspace& work) {
    if (a.rows == 0) return;
    int tiles = ceil_div(a.rows + a.nonzeros, kTile);
    auto* d_carries = work.get<float>(tiles);
    auto* d_carry_rows = work.get<int>(tiles);
    int tiles_each = std::clamp(tiles / 1, 1, kTilesPerBlock);
    sum_tiles<<<ceil_div(tiles, tiles_each), kThreads>>>(a, d_x, d_y, tiles, tiles_each, d_carries, d_carry_rows);
    CUDA_CHECK(cudaGetLastError());
    add_carries<<<ceil_div(tiles, 128), 128>>>(a, d_carries, d_carry_rows, tiles, d_y);
    CUDA_CHECK(cudaGetLastError());
}
