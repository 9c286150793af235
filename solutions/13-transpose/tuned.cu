// The record of task 4, swizzled. As its lesson, swizzled.cu, but everything moves 16 bytes at a time. A thread loads
// four floats of each of four rows, turns these 4 x 4 floats round in registers, and puts them into the tile as four
// quads of columns. So the tile in shared memory is the transpose already, and its quads are swizzled. Blocks that
// start together have tiles below each other, and store neighbours. docs/performance/13-transpose.md has the
// measurements.
#include "transpose.h"

constexpr int kTile = 64;
constexpr int kQuads = kTile / 4;                                  // of a row of the tile
constexpr int kThreads = kQuads * kQuads;                          // one for every 4 x 4 floats
constexpr int kWordRows = 128, kWordColumns = 64, kWordWarps = 8;  // of the other tile, for other sides

// Launch: a block of kThreads threads for each tile; blockIdx.x goes down. Shared memory: the tile. side % 4 == 0.
__global__ void __launch_bounds__(kThreads) turn_quads(const float4* d_in, float4* d_out, int side) {
    __shared__ float4 s_quads[kTile][kQuads];  // quad q of column x lies at q ^ x / 4
    int row_of_quads = side / 4, top = blockIdx.x * kQuads, left = blockIdx.y * kQuads;  // in quads
    int x = threadIdx.x % kQuads, y = threadIdx.x / kQuads;
    if (left + x < row_of_quads && top + y < row_of_quads) {
        const float4* d_from = d_in + 4 * (top + y) * row_of_quads + left + x;
        float4 a = d_from[0], b = d_from[row_of_quads], c = d_from[2 * row_of_quads], d = d_from[3 * row_of_quads];
        s_quads[4 * x][y ^ x] = {a.x, b.x, c.x, d.x};
        s_quads[4 * x + 1][y ^ x] = {a.y, b.y, c.y, d.y};
        s_quads[4 * x + 2][y ^ x] = {a.z, b.z, c.z, d.z};
        s_quads[4 * x + 3][y ^ x] = {a.w, b.w, c.w, d.w};
    }
    __syncthreads();
    // Now x goes down the tile, which is along a row of the output.
    if (top + x >= row_of_quads) return;
#pragma unroll
    for (int column = y; column < kTile; column += kQuads)
        if (4 * left + column < side)
            d_out[(4 * left + column) * row_of_quads + top + x] = s_quads[column][x ^ column / 4];
}

// Launch: a block of 32 x kWordWarps threads for each tile; blockIdx.x goes down. Shared memory: the tile. Rows begin
// anywhere, and a sector that two tiles share is written in parts: the longer a tile's piece of a row of the output,
// the fewer of these.
__global__ void __launch_bounds__(32 * kWordWarps) turn_words(const float* d_in, float* d_out, int side) {
    __shared__ float s_tile[kWordRows][kWordColumns + 1];
    int top = blockIdx.x * kWordRows, left = blockIdx.y * kWordColumns, lane = threadIdx.x, warp = threadIdx.y;
    float loaded[kWordRows / kWordWarps][kWordColumns / 32] = {};
#pragma unroll
    for (int i = 0; i < kWordRows / kWordWarps; ++i) {
#pragma unroll
        for (int j = 0; j < kWordColumns / 32; ++j) {
            int row = top + warp + i * kWordWarps, column = left + lane + j * 32;
            if (row < side && column < side) loaded[i][j] = d_in[row * side + column];
        }
    }
#pragma unroll
    for (int i = 0; i < kWordRows / kWordWarps; ++i) {
#pragma unroll
        for (int j = 0; j < kWordColumns / 32; ++j) s_tile[warp + i * kWordWarps][lane + j * 32] = loaded[i][j];
    }
    __syncthreads();
#pragma unroll
    for (int x = warp; x < kWordColumns; x += kWordWarps) {
#pragma unroll
        for (int y = lane; y < kWordRows; y += 32)
            if (top + y < side && left + x < side) d_out[(left + x) * side + top + y] = s_tile[y][x];
    }
}

void swizzled(const float* d_in, float* d_out, int side) {
    if (side == 0) return;
    if (side % 4 == 0) {
        dim3 grid(ceil_div(side, kTile), ceil_div(side, kTile));
        turn_quads<<<grid, kThreads>>>(reinterpret_cast<const float4*>(d_in), reinterpret_cast<float4*>(d_out), side);
    } else {
        dim3 grid(ceil_div(side, kWordRows), ceil_div(side, kWordColumns));
        turn_words<<<grid, dim3(32, kWordWarps)>>>(d_in, d_out, side);
    }
    CUDA_CHECK(cudaGetLastError());
}
