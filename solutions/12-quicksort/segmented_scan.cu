// Task 3, segmented_scan: no kernel launches another. All ranges of a recursion's level lie side by side as segments. A
// round partitions them all with two segmented scans, whatever their number and lengths are.
// Once no segment of different keys is longer than half a tile, two launches sort all tiles. The tiles of the second
// launch begin half a tile later, so each of these segments lies in one tile of the first or the second launch.
// Global memory: about 120 bytes a key in each round.
// (Guy Blelloch, "Vector models for data-parallel computing", 1990: quicksort.)
#include <utility>

#include "pivots.cuh"

namespace {

constexpr int kThreads = 512;
constexpr int kTile = 2048;

// d_first[i] is the first place of key i's segment. Data of a segment, such as its pivot, is stored at that place.
struct Segments {
    int* d_first;
    int n;
    __device__ bool is_last(int i) const { return i + 1 == n || d_first[i + 1] != d_first[i]; }
};

// Launch: a thread for each key. The thread of a segment's last key knows both ends.
__global__ void choose_pivots(const int* d_keys, Segments segments, int* d_pivots) {
    int i = blockIdx.x * kThreads + threadIdx.x;
    if (i >= segments.n || !segments.is_last(i)) return;
    int first = segments.d_first[i], count = i + 1 - first;
    auto some_key = [&](int k) { return d_keys[first + random_offset(first, count, k)]; };
    d_pivots[first] = median(some_key(0), some_key(1), some_key(2));
}

// Launch: as above.
__global__ void flag(const int* d_keys, Segments segments, const int* d_pivots, int* d_heads, int* d_less,
                     int* d_equal) {
    int i = blockIdx.x * kThreads + threadIdx.x;
    if (i >= segments.n) return;
    int first = segments.d_first[i], pivot = d_pivots[first];
    d_heads[i] = first == i;
    d_less[i] = d_keys[i] < pivot;
    d_equal[i] = d_keys[i] == pivot;
}

// Launch: as above. The sums at a segment's last key are its totals. Sets *d_more if any side is still too long.
__global__ void share_totals(Segments segments, const int* d_less, const int* d_equal, int* d_less_total,
                             int* d_equal_total, int* d_more) {
    int i = blockIdx.x * kThreads + threadIdx.x;
    if (i >= segments.n || !segments.is_last(i)) return;
    int first = segments.d_first[i];
    int greater = i + 1 - first - d_less[i] - d_equal[i];
    d_less_total[first] = d_less[i];
    d_equal_total[first] = d_equal[i];
    if (max(d_less[i], greater) > kTile / 2) *d_more = 1;
}

// Launch: as above. Splits each segment into three: smaller keys, keys that equal the pivot, greater keys.
__global__ void move(const int* d_from, Segments segments, const int* d_pivots, const int* d_less, const int* d_equal,
                     const int* d_less_total, const int* d_equal_total, int* d_to, int* d_next_first) {
    int i = blockIdx.x * kThreads + threadIdx.x;
    if (i >= segments.n) return;
    int first = segments.d_first[i], key = d_from[i], pivot = d_pivots[first];
    int equal_first = first + d_less_total[first], greater_first = equal_first + d_equal_total[first];
    int next_first = first, rank = d_less[i] - 1;
    if (key == pivot) {
        next_first = equal_first;
        rank = d_equal[i] - 1;
    } else if (key > pivot) {
        next_first = greater_first;
        rank = i - first - d_less[i] - d_equal[i];
    }
    d_to[next_first + rank] = key;
    d_next_first[next_first + rank] = next_first;
}

// Launch: a block of kThreads for each tile. The first tile begins at `start`. d_to may be d_from.
__global__ void __launch_bounds__(kThreads) sort_tiles(const int* d_from, int* d_to, int n, int start) {
    __shared__ int s_keys[kTile];
    int first = start + blockIdx.x * kTile, count = min(kTile, n - first);
    for (int i = threadIdx.x; i < count; i += kThreads) s_keys[i] = d_from[first + i];
    sort_shared<kThreads>(s_keys, count);
    for (int i = threadIdx.x; i < count; i += kThreads) d_to[first + i] = s_keys[i];
}

}  // namespace

void segmented_scan(const int* d_in, int* d_out, int n, Workspace& work) {
    if (n == 0) return;
    const int* d_from = d_in;
    if (n > kTile) {
        int blocks = ceil_div(n, kThreads), more = 1;
        int *d_pivots = work.get<int>(n), *d_heads = work.get<int>(n), *d_more = work.get<int>(1);
        int *d_less = work.get<int>(n), *d_less_total = work.get<int>(n);
        int *d_equal = work.get<int>(n), *d_equal_total = work.get<int>(n);
        int *d_to = work.get<int>(n), *d_other = d_out, *d_next_first = work.get<int>(n);
        Segments segments{work.get<int>(n), n};
        CUDA_CHECK(cudaMemsetAsync(segments.d_first, 0, n * sizeof(int)));  // one segment, from place 0
        while (more != 0) {
            choose_pivots<<<blocks, kThreads>>>(d_from, segments, d_pivots);
            CUDA_CHECK(cudaGetLastError());
            flag<<<blocks, kThreads>>>(d_from, segments, d_pivots, d_heads, d_less, d_equal);
            CUDA_CHECK(cudaGetLastError());
            primitives::segmented_inclusive_sum(d_less, d_heads, d_less, n, work);
            primitives::segmented_inclusive_sum(d_equal, d_heads, d_equal, n, work);
            CUDA_CHECK(cudaMemsetAsync(d_more, 0, sizeof(int)));
            share_totals<<<blocks, kThreads>>>(segments, d_less, d_equal, d_less_total, d_equal_total, d_more);
            CUDA_CHECK(cudaGetLastError());
            move<<<blocks, kThreads>>>(d_from, segments, d_pivots, d_less, d_equal, d_less_total, d_equal_total, d_to,
                                       d_next_first);
            CUDA_CHECK(cudaGetLastError());
            d_from = d_to;
            std::swap(d_to, d_other);
            std::swap(segments.d_first, d_next_first);
            CUDA_CHECK(cudaMemcpy(&more, d_more, sizeof(int), cudaMemcpyDeviceToHost));
        }
    }
    sort_tiles<<<ceil_div(n, kTile), kThreads>>>(d_from, d_out, n, 0);
    CUDA_CHECK(cudaGetLastError());
    if (n <= kTile) return;
    sort_tiles<<<ceil_div(n - kTile / 2, kTile), kThreads>>>(d_out, d_out, n, kTile / 2);
    CUDA_CHECK(cudaGetLastError());
}
