// Style: a thread for each sorted point, with two searches for each of three rows
#include "pairs.h"

__device__ unsigned cell_of(Point p, const Grid& g) {
    return unsigned((p.y - g.bottom) / g.side) * unsigned(g.columns) + unsigned((p.x - g.left) / g.side);
}

__global__ void keys_of(const Point* points, unsigned* keys, int* order, int n, Grid g) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) keys[i] = cell_of(points[i], g), order[i] = i;
}

__device__ const unsigned* lower_bound(const unsigned* begin, int size, unsigned key) {
    while (size > 0) {
        const int half = size / 2;
        if (begin[half] < key)
            begin += half + 1, size -= half + 1;
        else
            size = half;
    }
    return begin;
}

__global__ void look_around(const Point* points, const unsigned* keys, const int* order, int* counts, int n, int radius,
                            Grid g) {
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= n) return;
    const Point p = points[order[s]];
    const int row = keys[s] / g.columns, column = keys[s] % g.columns;
    int found = 0;
    for (int r = row - 1; r <= row + 1; ++r) {
        if (r < 0 || r >= g.rows) continue;
        const unsigned low = unsigned(r) * g.columns + max(column - 1, 0);
        const unsigned high = unsigned(r) * g.columns + min(column + 1, g.columns - 1);
        for (int k = lower_bound(keys, n, low) - keys; k < n && keys[k] <= high; ++k) {
            const Point q = points[order[k]];
            const long long dx = q.x - p.x, dy = q.y - p.y;
            if (k != s && dx * dx + dy * dy <= 1LL * radius * radius) ++found;
        }
    }
    counts[order[s]] = found;
}

void sorted_cells(const Point* d_points, int* d_counts, int n, int radius, Grid grid, Workspace& work) {
    if (n == 0) return;
    auto *keys = work.get<unsigned>(n), *sorted = work.get<unsigned>(n);
    auto *indices = work.get<int>(n), *order = work.get<int>(n);
    keys_of<<<ceil_div(n, 512), 512>>>(d_points, keys, indices, n, grid);
    CUDA_CHECK(cudaGetLastError());
    primitives::sort_pairs(keys, indices, sorted, order, n, work);
    look_around<<<ceil_div(n, 64), 64>>>(d_points, sorted, order, d_counts, n, radius, grid);
    CUDA_CHECK(cudaGetLastError());
}
