// Style: cooperative groups; the loop over tiles has two buffers, so that one barrier for each tile is enough
#include <cooperative_groups.h>

#include "pairs.h"

namespace cg = cooperative_groups;

__global__ void two_buffers(const Point* points, int* counts, int n, long long square) {
    __shared__ Point tiles[2][128];
    const cg::thread_block block = cg::this_thread_block();
    const int t = block.thread_rank(), i = block.group_index().x * block.size() + t;
    const Point own = points[min(i, n - 1)];
    int near = 0, now = 0;
    if (t < n) tiles[0][t] = points[t];
    block.sync();
    for (int first = 0; first < n; first += 128, now ^= 1) {
        const int next = first + 128 + t;
        if (next < n) tiles[now ^ 1][t] = points[next];
        const int size = min(128, n - first);
        for (int k = 0; k < size; ++k) {
            const long long dx = tiles[now][k].x - own.x, dy = tiles[now][k].y - own.y;
            near += dx * dx + dy * dy <= square;
        }
        block.sync();
    }
    if (i < n) counts[i] = near - 1;
}

void tiled(const Point* d_points, int* d_counts, int n, int radius) {
    if (n == 0) return;
    two_buffers<<<ceil_div(n, 128), 128>>>(d_points, d_counts, n, 1LL * radius * radius);
    CUDA_CHECK(cudaGetLastError());
}
