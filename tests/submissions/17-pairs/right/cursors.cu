// Style: grid-stride loops; a second atomic moves a cursor in each cell; a thread for each binned point
#include "pairs.h"

struct Cells {
    Grid grid;
    __device__ int of(Point p) const {
        return (p.y - grid.bottom) / grid.side * grid.columns + (p.x - grid.left) / grid.side;
    }
};

__global__ void count(const Point* points, int* counters, int n, Cells cells) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&counters[cells.of(points[i])], 1);
}

__global__ void fill(const Point* points, int* cursors, int* slots, int n, Cells cells) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        slots[atomicAdd(&cursors[cells.of(points[i])], 1)] = i;
}

// After fill(), the cursor of a cell is where the next cell begins.
__global__ void look(const Point* points, const int* cursors, const int* slots, int* counts, int n, int radius,
                     Cells cells) {
    const Grid g = cells.grid;
    for (int s = blockIdx.x * blockDim.x + threadIdx.x; s < n; s += gridDim.x * blockDim.x) {
        const Point p = points[slots[s]];
        const int cell = cells.of(p), column = cell % g.columns;
        int found = -1;
        for (int row = -1; row <= 1; ++row) {
            const int middle = cell + row * g.columns;
            if (middle < 0 || middle >= g.columns * g.rows) continue;
            const int low = middle - (column > 0), high = middle + (column + 1 < g.columns);
            for (int k = low > 0 ? cursors[low - 1] : 0; k < cursors[high]; ++k) {
                const Point q = points[slots[k]];
                const long long dx = q.x - p.x, dy = q.y - p.y;
                found += dx * dx + dy * dy <= static_cast<long long>(radius) * radius;
            }
        }
        counts[slots[s]] = found;
    }
}

void binned(const Point* d_points, int* d_counts, int n, int radius, Grid grid, Workspace& work) {
    if (n == 0) return;
    const int cells = grid.columns * grid.rows, blocks = ceil_div(n, 512);
    int* counters = work.get<int>(cells + 1);
    int* slots = work.get<int>(n);
    CUDA_CHECK(cudaMemset(counters, 0, cells * sizeof(int)));
    count<<<blocks, 128>>>(d_points, counters, n, Cells{grid});
    CUDA_CHECK(cudaGetLastError());
    primitives::exclusive_sum(counters, counters, cells, work);
    fill<<<blocks, 128>>>(d_points, counters, slots, n, Cells{grid});
    CUDA_CHECK(cudaGetLastError());
    look<<<blocks, 128>>>(d_points, counters, slots, d_counts, n, radius, Cells{grid});
    CUDA_CHECK(cudaGetLastError());
}
