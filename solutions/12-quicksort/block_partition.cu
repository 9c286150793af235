// Task 2, block_partition: as 1, but a block partitions a range, 32 neighbouring keys to a warp, around the median of
// 512 keys. Ranges of up to 2048 keys are sorted in shared memory. Children go into the fire-and-forget stream; a range
// without a child, onto the block's own stack. Keys move between two arrays: a warp must not overwrite unread keys.
#include "pivots.cuh"
#include "toolbox/shuffle.h"

namespace {

constexpr int kThreads = 512, kSmall = 2048;

// The arrays of keys that have been partitioned `level` times: first d_in, then d_temp and d_out in turn. A key that
// has reached its final place is always in d_out.
struct Arrays {
    const int* d_in;
    int *d_temp, *d_out;
    __device__ const int* from(int level) const { return level == 0 ? d_in : level % 2 == 1 ? d_temp : d_out; }
    __device__ int* to(int level) const { return level % 2 == 0 ? d_temp : d_out; }
};

struct Range {
    int first, count, level;
};

// The stack has the larger of two sides below the smaller one, and only the top is split. So the k-th range above the
// lowest has at most n / 2^k keys, and 26 ranges are enough for 2^26 keys.
struct Shared {
    int keys[kSmall];
    Range stack[32];
    int on_stack;
    int less_end, greater_begin;  // the next smaller key goes to less_end, the next greater to greater_begin - 1
};

__device__ void sort_small(Shared& s, const Arrays& arrays, Range range) {
    const int* d_from = arrays.from(range.level) + range.first;
    for (int i = threadIdx.x; i < range.count; i += kThreads) s.keys[i] = d_from[i];
    sort_shared<kThreads>(s.keys, range.count);
    for (int i = threadIdx.x; i < range.count; i += kThreads) arrays.d_out[range.first + i] = s.keys[i];
}

// The median of kThreads keys of the range.
__device__ int choose_pivot(Shared& s, const Arrays& arrays, Range range) {
    const int* d_from = arrays.from(range.level) + range.first;
    s.keys[threadIdx.x] = d_from[random_offset(range.first, range.count, threadIdx.x)];
    sort_shared<kThreads>(s.keys, kThreads);
    return s.keys[kThreads / 2];
}

// Smaller keys go to the front of the range, greater ones to its end; each warp reserves places for its keys. The
// places left in the middle are those of the keys that equal the pivot.
__device__ void partition(Shared& s, const Arrays& arrays, Range range, int pivot) {
    const int* d_from = arrays.from(range.level);
    int* d_to = arrays.to(range.level);
    int end = range.first + range.count, lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        s.less_end = range.first;
        s.greater_begin = end;
    }
    __syncthreads();
    for (int i = range.first + threadIdx.x; i - lane < end; i += kThreads) {
        int key = i < end ? d_from[i] : pivot;
        unsigned less = __ballot_sync(kAllLanes, key < pivot), greater = __ballot_sync(kAllLanes, pivot < key);
        int from = 0;  // where the warp's keys go: lane 0 reserves places for the smaller ones, lane 1 for the greater
        if (lane == 0) from = atomicAdd(&s.less_end, __popc(less));
        if (lane == 1) from = atomicSub(&s.greater_begin, __popc(greater)) - __popc(greater);
        int less_from = __shfl_sync(kAllLanes, from, 0), greater_from = __shfl_sync(kAllLanes, from, 1);
        unsigned lanes_before = (1u << lane) - 1;
        if (key < pivot) d_to[less_from + __popc(less & lanes_before)] = key;
        if (pivot < key) d_to[greater_from + __popc(greater & lanes_before)] = key;
    }
    __syncthreads();
    for (int i = s.less_end + threadIdx.x; i < s.greater_begin; i += kThreads) arrays.d_out[i] = pivot;
}

__global__ void sort_range(Arrays arrays, Range range, int levels);

// Called by one thread. A child sorts the side, or else this block does so later.
__device__ void hand_on(Shared& s, const Arrays& arrays, Range side, int levels) {
    if (side.count == 0) return;
    if (side.count > kSmall && levels > 0) {
        sort_range<<<1, kThreads, 0, cudaStreamFireAndForget>>>(arrays, side, levels - 1);
        if (cudaGetLastError() == cudaSuccess) return;
    }
    s.stack[s.on_stack++] = side;
}

// Launch: a block of kThreads. Shared memory: a small range and the stack. levels: of children that are allowed below.
__global__ void __launch_bounds__(kThreads) sort_range(Arrays arrays, Range range, int levels) {
    __shared__ Shared s;
    if (threadIdx.x == 0) {
        s.stack[0] = range;
        s.on_stack = 1;
    }
    while (true) {
        __syncthreads();  // the pushed ranges are visible
        if (s.on_stack == 0) return;
        Range top = s.stack[s.on_stack - 1];
        if (top.count <= kSmall) {
            sort_small(s, arrays, top);  // has barriers: all threads have read the stack then
            if (threadIdx.x == 0) --s.on_stack;
            continue;
        }
        partition(s, arrays, top, choose_pivot(s, arrays, top));
        if (threadIdx.x != 0) continue;
        --s.on_stack;
        Range less{top.first, s.less_end - top.first, top.level + 1};
        Range greater{s.greater_begin, top.first + top.count - s.greater_begin, top.level + 1};
        bool less_is_larger = less.count > greater.count;
        hand_on(s, arrays, less_is_larger ? less : greater, levels);
        hand_on(s, arrays, less_is_larger ? greater : less, levels);
    }
}

}  // namespace

void block_partition(const int* d_in, int* d_out, int n, int max_depth, Workspace& work) {
    if (n == 0) return;
    Arrays arrays{d_in, work.get<int>(n), d_out};
    sort_range<<<1, kThreads>>>(arrays, Range{0, n, 0}, max_depth);
    CUDA_CHECK(cudaGetLastError());
}
