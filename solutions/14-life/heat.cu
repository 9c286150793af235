// Task 7, heat: no torus and no tile. A warp walks down 32 columns: the cells above and below are in registers, those
// to the left and right in other lanes. Its outer lanes have one neighbour only, so 30 of the 32 columns are stored.
#include "torus.cuh"

constexpr int kColumns = 30;  // that a warp stores
constexpr int kRows = 8;      // that a warp walks down
constexpr int kWarps = 4;     // of a block, one below the other

// Launch: a block of 32 x kWarps threads for each kColumns columns and kRows * kWarps rows.
__global__ void heat_kernel(const float* d_in, float* d_out, int rows, int columns) {
    int lane = threadIdx.x, x = blockIdx.x * kColumns + lane - 1;
    int top = (blockIdx.y * kWarps + threadIdx.y) * kRows, end = min(top + kRows, rows);
    bool has_cell = 0 <= x && x < columns;
    auto cell = [&](int y) { return has_cell && 0 <= y && y < rows ? d_in[y * columns + x] : 0.0f; };
    float above = cell(top - 1), here = cell(top);
    for (int y = top; y < end; ++y) {
        float below = cell(y + 1);
        float left = __shfl_up_sync(kAllLanes, here, 1), right = __shfl_down_sync(kAllLanes, here, 1);
        bool is_edge = x == 0 || y == 0 || x == columns - 1 || y == rows - 1;
        float next = is_edge ? here : here + kRate * (above + below + left + right - 4 * here);
        if (has_cell && 1 <= lane && lane <= kColumns) d_out[y * columns + x] = next;
        above = here;
        here = below;
    }
}

void heat(const float* d_in, float* d_out, int rows, int columns, int steps, Workspace& work) {
    if (rows == 0 || columns == 0) return;
    dim3 grid(ceil_div(columns, kColumns), ceil_div(rows, kRows * kWarps)), block(32, kWarps);
    each_generation(d_in, d_out, rows * columns, steps, work, [=](const float* d_from, float* d_to) {
        heat_kernel<<<grid, block>>>(d_from, d_to, rows, columns);
    });
}
