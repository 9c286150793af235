// The record of task 8, merge_path. What differs from its lesson, merge_path.cu:
//   sum_rows          In a tile, a thread sums a short row and a warp a long one, from shared memory.
//   sum_tiles         A block has up to kMostTiles tiles. Loads of the next one are under way during the sums.
//   rows_ended        A warp searches, 32 ways at a time.
//   load              Columns and values, which are read once, do not displace x in the caches.
//   add_carries       Its launch overlaps with sum_tiles. A warp sums the carries of a row with several.
//   leave_room_for_x  x gets all of the L1 cache that the blocks leave.
// Gathering x is the limit: the L2 cache cannot answer more requests per second. docs/performance/07-spmv.md has the
// measurements.
#include <algorithm>
#include <mutex>

#include "spmv.h"
#include "toolbox/dependent_launch.h"

constexpr int kBlock = 256;
constexpr int kBlocksPerSm = 6;  // leaves a thread 40 registers
constexpr int kItems = 8;        // loads of a thread for a tile, all under way at the same time
constexpr int kLine = 32;        // columns, or values, in a cache line of 128 bytes
// Steps of a tile. Its loads begin at the start of a line, so they may fetch up to kLine - 1 nonzeros before the tile.
constexpr int kTile = kBlock * kItems - kLine;
constexpr int kMostTiles = 4;        // of a block, one after the other
constexpr int kEnoughBlocks = 4000;  // five times what an H200 runs at once, 132 * kBlocksPerSm: then a block gets more
constexpr int kLong = 32;            // nonzeros: longer rows are summed by a warp
static_assert(kMostTiles < kBlock / 32, "a warp for each cut");

// Of the first `diagonal` steps of the path, how many finish a row? Row i ends before nonzero k if row_end[i] <= k.
// The lanes of a warp look at 32 places in each turn. A binary search takes five times as many turns, and each turn
// waits for the load of the turn before.
__device__ int rows_ended(const int* row_end, int rows, int nonzeros, int diagonal) {
    int low = max(0, diagonal - nonzeros), high = min(diagonal, rows), lane = threadIdx.x % 32;
    while (low < high) {
        int part = ceil_div(high - low, 32), i = low + (lane + 1) * part - 1;
        bool has_ended = i < high && row_end[i] + i < diagonal;
        low += part * __popc(__ballot_sync(kAllLanes, has_ended));
        high = min(high, low + part - 1);
    }
    return low;
}

// A thread's columns and values of a tile, before it has gathered x.
struct Nonzeros {
    int col[kItems];
    float value[kItems];
};

// The nonzeros of a tile, and which of them a thread loads.
struct TileRange {
    int begin, end;
    __device__ int base() const { return begin / kLine * kLine; }  // the first load: the start of a line
    __device__ int nonzero(int item) const { return base() + item * kBlock + static_cast<int>(threadIdx.x); }
    __device__ bool has(int item) const { return nonzero(item) >= begin && nonzero(item) < end; }
};

// Columns and values are read only once. __ldcs says so: the caches drop them first and keep x.
__device__ void load(Nonzeros& own, Csr a, TileRange range) {
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
        own.col[i] = range.has(i) ? __ldcs(a.d_cols + range.nonzero(i)) : 0;
        own.value[i] = range.has(i) ? __ldcs(a.d_values + range.nonzero(i)) : 0;
    }
}

// The sum of values[from] to values[to - 1], by all lanes of a warp.
__device__ float sum_by_warp(const float* values, int from, int to) {
    float sum = 0;
    for (int k = from + threadIdx.x % 32; k < to; k += 32) sum += values[k];
    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(kAllLanes, sum, distance);
    return sum;
}

// Where the sum of a row begins. In rows of 16, the first products of all 32 lanes are in two banks. So a lane starts
// from / 32 products later, modulo a power of two, and goes round.
__device__ int first_of_row(int from, int length) {
    int power = 1 << (31 - __clz(length | 1));  // the largest up to the length
    return from + (from / 32 & (power - 1));
}

// Sums the products of rows 0 to `last` of a tile, of a short row by a thread, of a long one by a warp. Row `row` has
// those from s_end[row - 1], or from `begin`, up to s_end[row]. Calls finish(row, sum).
template <class Finish>
__device__ void sum_rows(const float* s_product, const int* s_end, int begin, int last, Finish finish) {
    int t = threadIdx.x, lane = t % 32;
    for (int first = t - lane; first <= last; first += kBlock) {
        int row = first + lane, from = 0, to = 0;
        if (row <= last) {
            from = row > 0 ? s_end[row - 1] : begin;
            to = s_end[row];
        }
        int length = to - from;
        if (row <= last && length <= kLong) {
            int k = first_of_row(from, length);
            float sum = 0;
            for (int j = 0; j < length; ++j) {
                sum += s_product[k];
                k = k + 1 == to ? from : k + 1;
            }
            finish(row, sum);
        }
        for (unsigned rest = __ballot_sync(kAllLanes, length > kLong); rest != 0; rest &= rest - 1) {
            int which = __ffs(rest) - 1;
            int long_from = __shfl_sync(kAllLanes, from, which), long_to = __shfl_sync(kAllLanes, to, which);
            float sum = sum_by_warp(s_product, long_from, long_to);
            if (lane == 0) finish(first + which, sum);
        }
    }
}

// Launch: a block of kBlock for each `tiles_each` tiles. Shared memory: how many rows end before each of its tiles;
// the products of one tile and, at the end of the same array, its row ends.
__global__ void __launch_bounds__(kBlock, kBlocksPerSm)
    sum_tiles(Csr a, const float* d_x, float* d_y, int tiles, int tiles_each, float* d_carries, int* d_carry_rows) {
    // kTile words are enough for the products and the rows' ends. Up to kLine - 1 words lie before the products, and
    // there is one row end more than rows: another kLine.
    constexpr int kRoom = kTile + kLine;
    __shared__ float s_product[kRoom];
    __shared__ int s_rows[kMostTiles + 1];
    int t = threadIdx.x, steps = a.rows + a.nonzeros;
    int first_tile = blockIdx.x * tiles_each, tiles_here = min(tiles_each, tiles - first_tile);
    if (t / 32 <= tiles_here) {  // cut the path: a warp for each cut
        int diagonal = min((first_tile + t / 32) * kTile, steps);
        int ended = rows_ended(a.d_row_ptr + 1, a.rows, a.nonzeros, diagonal);
        if (t % 32 == 0) s_rows[t / 32] = ended;
    }
    __syncthreads();

    auto range_of = [&](int i) {
        int first_step = (first_tile + i) * kTile;
        return TileRange{first_step - s_rows[i], min(first_step + kTile, steps) - s_rows[i + 1]};
    };
    Nonzeros own;
    load(own, a, range_of(0));
    for (int i = 0; i < tiles_here; ++i) {
        TileRange range = range_of(i);
        int tile = first_tile + i, first_row = s_rows[i], rows = s_rows[i + 1] - first_row, base = range.base();

        // Products and row ends, into shared memory: the ends as ints, at the end of the products' array. The last
        // "row" is what is left at the end of the tile.
        float x[kItems];
#pragma unroll
        for (int j = 0; j < kItems; ++j) x[j] = range.has(j) ? d_x[own.col[j]] : 0;
        int* s_end = reinterpret_cast<int*>(s_product + kRoom) - (rows + 1);
        for (int row = t; row < rows; row += kBlock) s_end[row] = a.d_row_ptr[first_row + row + 1] - base;
        if (t == 0) s_end[rows] = range.end - base;
#pragma unroll
        for (int j = 0; j < kItems; ++j) {
            if (range.has(j)) s_product[j * kBlock + t] = own.value[j] * x[j];
        }
        __syncthreads();
        if (i + 1 < tiles_here) load(own, a, range_of(i + 1));  // under way during the sums

        sum_rows(s_product, s_end, range.begin - base, rows, [&](int row, float sum) {
            if (row < rows) {
                d_y[first_row + row] = sum;
            } else {  // it belongs to a row that ends in a later tile
                d_carries[tile] = sum;
                d_carry_rows[tile] = first_row + rows;
            }
        });
        if (i + 1 < tiles_here) __syncthreads();  // before the next tile overwrites s_product
    }
}

// Launch: a thread for each tile. Of the tiles with a carry for the same row, the thread of the last one adds them all
// to y. If there are several, its warp sums them.
__global__ void __launch_bounds__(kBlock)
    add_carries(Csr a, const float* d_carries, const int* d_carry_rows, int tiles, float* d_y) {
    wait_for_earlier_kernels();
    int tile = blockIdx.x * kBlock + threadIdx.x, lane = threadIdx.x % 32, row = 0;
    bool is_last = false, has_several = false;
    float y = 0;
    if (tile < tiles) {
        row = d_carry_rows[tile];
        is_last = row < a.rows && (tile + 1 == tiles || d_carry_rows[tile + 1] != row);
        has_several = is_last && tile > 0 && d_carry_rows[tile - 1] == row;
        if (is_last) y = d_y[row];
        if (is_last && !has_several) d_y[row] = y + d_carries[tile];
    }
    // The tile in which the row begins: before it, the path ends `row` rows and takes d_row_ptr[row] nonzeros.
    int first = has_several ? (row + a.d_row_ptr[row]) / kTile : 0;
    for (unsigned rest = __ballot_sync(kAllLanes, has_several); rest != 0; rest &= rest - 1) {
        int which = __ffs(rest) - 1;
        int from = __shfl_sync(kAllLanes, first, which), to = __shfl_sync(kAllLanes, tile, which) + 1;
        float sum = sum_by_warp(d_carries, from, to);
        if (lane == which) d_y[row] = y + sum;
    }
}

// Asks for no more shared memory than the blocks use. The rest of the memory on a multiprocessor is its L1 cache, which
// holds x; by default, some of it is shared memory that nobody uses.
static void leave_room_for_x() {
    int device = 0, most = 0;
    cudaFuncAttributes attributes{};
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device));
    CUDA_CHECK(cudaFuncGetAttributes(&attributes, sum_tiles));
    int used =
        kBlocksPerSm * static_cast<int>(attributes.sharedSizeBytes + 1024);  // the system takes 1 KB of each block
    int percent = std::min(ceil_div(100 * used, most), 100);
    CUDA_CHECK(cudaFuncSetAttribute(sum_tiles, cudaFuncAttributePreferredSharedMemoryCarveout, percent));
}

void merge_path(Csr a, const float* d_x, float* d_y, Workspace& work) {
    if (a.rows == 0) return;
    int tiles = ceil_div(a.rows + a.nonzeros, kTile);
    auto* d_carries = work.get<float>(tiles);
    auto* d_carry_rows = work.get<int>(tiles);
    int tiles_each = std::clamp(tiles / kEnoughBlocks, 1, kMostTiles);
    static std::once_flag once;
    std::call_once(once, leave_room_for_x);
    sum_tiles<<<ceil_div(tiles, tiles_each), kBlock>>>(a, d_x, d_y, tiles, tiles_each, d_carries, d_carry_rows);
    CUDA_CHECK(cudaGetLastError());
    launch_dependent<add_carries>(ceil_div(tiles, kBlock), kBlock, a, d_carries, d_carry_rows, tiles, d_y);
}
