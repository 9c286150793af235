// Style: distances twice, first to count, then to write; each thread puts its own few pairs in order by insertion
#include "pairs.h"

__device__ int first_not_below(const unsigned* keys, int n, unsigned key) {
    int low = 0, high = n;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (keys[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

__global__ void keys_of(const Point* points, unsigned* keys, int* order, int n, Grid g) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    keys[i] = unsigned((points[i].y - g.bottom) / g.side) * g.columns + (points[i].x - g.left) / g.side;
    order[i] = i;
}

// Calls each(j) for all j > i near point i.
template <class Each>
__device__ void for_each_near(const Point* points, const unsigned* keys, const int* order, int i, int n, int radius,
                              const Grid& g, Each each) {
    const Point p = points[i];
    const int row = (p.y - g.bottom) / g.side, column = (p.x - g.left) / g.side;
    for (int r = max(row - 1, 0); r <= min(row + 1, g.rows - 1); ++r) {
        const unsigned begin = unsigned(r) * g.columns;
        const unsigned end = begin + min(column + 2, g.columns);
        for (int k = first_not_below(keys, n, begin + max(column - 1, 0)); k < n && keys[k] < end; ++k) {
            const int j = order[k];
            const long long dx = points[j].x - p.x, dy = points[j].y - p.y;
            if (j > i && dx * dx + dy * dy <= 1LL * radius * radius) each(j);
        }
    }
}

__global__ void count(const Point* points, const unsigned* keys, const int* order, int* counts, int n, int radius,
                      Grid g) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int found = 0;
    for_each_near(points, keys, order, i, n, radius, g, [&](int) { ++found; });
    counts[i] = found;
}

__global__ void write(const Point* points, const unsigned* keys, const int* order, const int* begins, Pair* pairs,
                      int* total, int n, int radius, Grid g) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0) *total = begins[n];
    if (i >= n) return;
    int end = begins[i];
    for_each_near(points, keys, order, i, n, radius, g, [&](int j) {
        int place = end++;
        for (; place > begins[i] && pairs[place - 1].second > j; --place) pairs[place] = pairs[place - 1];
        pairs[place] = {i, j};
    });
}

void pairs_out(const Point* d_points, Pair* d_pairs, int* d_count, int n, int radius, Grid grid, int, Workspace& work) {
    if (n == 0) {
        CUDA_CHECK(cudaMemsetAsync(d_count, 0, sizeof(int)));
        return;
    }
    auto *keys = work.get<unsigned>(n), *sorted = work.get<unsigned>(n);
    auto *indices = work.get<int>(n), *order = work.get<int>(n), *begins = work.get<int>(n + 1);
    keys_of<<<ceil_div(n, 256), 256>>>(d_points, keys, indices, n, grid);
    CUDA_CHECK(cudaGetLastError());
    primitives::sort_pairs(keys, indices, sorted, order, n, work);
    count<<<ceil_div(n, 64), 64>>>(d_points, sorted, order, indices, n, radius, grid);
    CUDA_CHECK(cudaGetLastError());
    primitives::exclusive_sum(indices, begins, n, work);
    write<<<ceil_div(n, 64), 64>>>(d_points, sorted, order, begins, d_pairs, d_count, n, radius, grid);
    CUDA_CHECK(cudaGetLastError());
}
