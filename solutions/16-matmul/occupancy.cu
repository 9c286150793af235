// Task 5, occupancy: as 4, but a thread gets at most 128 registers, so that two blocks fit on a multiprocessor, and the
// sums are cut into as many parts as fill all multiprocessors.
#include <algorithm>

#include "block_tile.cuh"

constexpr int kDeep = 8, kResident = 2;

// Launch: a block of kThreads threads for each tile of C and each part of `steps` steps of kDeep products. Part z goes
// to d_parts + z * rows * columns. Shared memory: two tiles of each matrix.
__global__ void __launch_bounds__(kThreads, kResident)
    part_kernel(Operand<float, true> a, Operand<float, false> b, float* d_parts, int steps) {
    int top = blockIdx.y * kTile, left = blockIdx.x * kTile, first = blockIdx.z * steps * kDeep;
    Sums sum = {};
    multiply_all<kDeep>(a, b, first, min(first + steps * kDeep, a.inner), top, left, sum);
    store(sum, d_parts + blockIdx.z * (a.lines * b.lines), a.lines, b.lines, top, left);
}

// Launch: blocks of kThreads threads, one thread for each of the n elements of C.
__global__ void add_parts(const float* d_parts, float* d_c, int n, int parts) {
    int i = blockIdx.x * kThreads + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int part = 0; part < parts; ++part) sum += d_parts[part * n + i];
    d_c[i] = sum;
}

// How many blocks of part_kernel the device holds at once.
int resident_blocks() {
    int device = 0, processors = 0, each = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, part_kernel, kThreads, 0));
    return processors * each;
}

void occupancy(const float* d_a, const float* d_b, float* d_c, int rows, int columns, int inner, Workspace& work) {
    if (rows == 0 || columns == 0) return;
    dim3 grid = tiles_of(rows, columns);
    int n = rows * columns, steps = std::max(ceil_div(inner, kDeep), 1);
    int tiles = static_cast<int>(grid.x * grid.y), parts = std::clamp(resident_blocks() / tiles, 1, steps);
    int steps_each = ceil_div(steps, parts);
    grid.z = ceil_div(steps, steps_each);  // no part without a step
    float* d_parts = grid.z > 1 ? work.get<float>(std::size_t{grid.z} * n) : d_c;
    part_kernel<<<grid, kThreads>>>({d_a, rows, inner}, {d_b, columns, inner}, d_parts, steps_each);
    CUDA_CHECK(cudaGetLastError());
    if (grid.z == 1) return;
    add_parts<<<ceil_div(n, kThreads), kThreads>>>(d_parts, d_c, n, static_cast<int>(grid.z));
    CUDA_CHECK(cudaGetLastError());
}
