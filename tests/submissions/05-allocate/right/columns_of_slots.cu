// Style: slots in columns, slot k of all triangles side by side; 64-bit grid-stride loops; a small struct with
// operator[] for addresses; a kernel template over what to do with each output; -1 as "no slot".
#include <cstdint>

#include "allocate.h"

struct Range {
    std::int64_t n;
    struct Iterator {
        std::int64_t i, stride;
        __device__ std::int64_t operator*() const { return i; }
        __device__ void operator++() { i += stride; }
        __device__ bool operator!=(Iterator end) const { return i < end.i; }
    };
    __device__ Iterator begin() const {
        return {std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x, std::int64_t{blockDim.x} * gridDim.x};
    }
    __device__ Iterator end() const { return {n, 0}; }
};

struct Columns {
    Triangle* slots;
    std::int64_t n;
    __device__ Triangle* operator[](int k) const { return slots + k * n; }
};

template <class Use>
__device__ int for_each_output(const Triangle& triangle, const Window& window, Use use) {
    Polygon polygon;
    int count = clip(triangle, window, polygon);
    for (int k = 0; k < count; ++k) use(k, fan(polygon, k));
    return count;
}

__global__ void fill_columns(const Triangle* in, Columns columns, int* counts, Window window) {
    for (auto i : Range{columns.n})
        counts[i] = for_each_output(in[i], window, [&](int k, const Triangle& t) { columns[k][i] = t; });
}

__global__ void move_columns(Columns columns, const int* offsets, Triangle* out, int* count) {
    for (auto i : Range{columns.n}) {
        int begin = offsets[i], slots = offsets[i + 1] - begin;
#pragma unroll
        for (int k = 0; k < kMostTriangles; ++k)
            if (k < slots) out[begin + k] = columns[k][i];
        if (i == columns.n - 1) *count = begin + slots;
    }
}

__global__ void count_only(const Triangle* in, int* counts, int n, Window window) {
    for (auto i : Range{n}) counts[i] = for_each_output(in[i], window, [](int, const Triangle&) {});
}

__global__ void write_only(const Triangle* in, const int* offsets, Triangle* out, int* count, int n, Window window) {
    for (auto i : Range{n}) {
        Triangle* to = out + offsets[i];
        int made = for_each_output(in[i], window, [to](int k, const Triangle& t) { to[k] = t; });
        if (i + 1 == n) *count = offsets[i] + made;
    }
}

int blocks_for(int n) { return n < 96 * 512 ? ceil_div(n, 96) : 512; }

void max_slots(const Triangle* d_in, Triangle* d_out, int* d_count, int n, Window window, Workspace& work) {
    if (n == 0) return CUDA_CHECK(cudaMemsetAsync(d_count, 0, sizeof *d_count));
    Columns columns{work.get<Triangle>(std::size_t{kMostTriangles} * n), n};
    int *d_counts = work.get<int>(n), *d_offsets = work.get<int>(n + 1);
    fill_columns<<<blocks_for(n), 96>>>(d_in, columns, d_counts, window);
    CUDA_CHECK(cudaGetLastError());
    primitives::exclusive_sum(d_counts, d_offsets, n, work);
    move_columns<<<blocks_for(n), 96>>>(columns, d_offsets, d_out, d_count);
    CUDA_CHECK(cudaGetLastError());
}

void count_scan_scatter(const Triangle* d_in, Triangle* d_out, int* d_count, int n, Window window, Workspace& work) {
    if (n == 0) return CUDA_CHECK(cudaMemsetAsync(d_count, 0, sizeof *d_count));
    int *d_counts = work.get<int>(n), *d_offsets = work.get<int>(n + 1);
    count_only<<<blocks_for(n), 96>>>(d_in, d_counts, n, window);
    CUDA_CHECK(cudaGetLastError());
    primitives::exclusive_sum(d_counts, d_offsets, n, work);
    write_only<<<blocks_for(n), 96>>>(d_in, d_offsets, d_out, d_count, n, window);
    CUDA_CHECK(cudaGetLastError());
}
