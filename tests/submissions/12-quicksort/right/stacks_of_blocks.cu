// Style: a block partitions by scans of cooperative groups; streams are made and destroyed in the kernel; a stack in
// shared memory; assert in a kernel; operators on structs.
#include <cooperative_groups.h>
#include <cooperative_groups/scan.h>

#include <cassert>

#include "quicksort.h"

namespace cg = cooperative_groups;

namespace {

constexpr int kThreads = 256, kSmall = 1024, kStack = 64;

struct Range {
    int first, count;
};

struct Counts {
    int less, equal;
};

__device__ Counts operator+(Counts a, Counts b) { return {a.less + b.less, a.equal + b.equal}; }

// What comes before this thread; total: of the block.
__device__ Counts exclusive(cg::thread_block block, Counts own, Counts* s_warps, Counts& total) {
    auto warp = cg::tiled_partition<32>(block);
    Counts sum{cg::inclusive_scan(warp, own.less), cg::inclusive_scan(warp, own.equal)};
    block.sync();
    if (warp.thread_rank() == 31) s_warps[warp.meta_group_rank()] = sum;
    block.sync();
    Counts before{sum.less - own.less, sum.equal - own.equal};
    total = {0, 0};
    for (unsigned w = 0; w < warp.meta_group_size(); ++w) {
        if (w < warp.meta_group_rank()) before = before + s_warps[w];
        total = total + s_warps[w];
    }
    return before;
}

__device__ void network(cg::thread_block block, int* s, int count) {
    for (int size = 2; size < 2 * count; size *= 2) {
        for (int distance = size / 2; distance > 0; distance /= 2) {
            block.sync();
            for (int pair = block.thread_rank(); 2 * pair < kSmall; pair += kThreads) {
                int low = 2 * pair - (pair & (distance - 1));
                int high = 2 * distance == size ? low ^ (size - 1) : low + distance;
                if (high < count && s[high] < s[low]) {
                    int key = s[low];
                    s[low] = s[high];
                    s[high] = key;
                }
            }
        }
    }
    block.sync();
}

__global__ void __launch_bounds__(kThreads) sort_range(int* keys, int* temp, Range range, int levels) {
    __shared__ int s_keys[kSmall];
    __shared__ Range s_stack[kStack];
    __shared__ int s_depth;
    __shared__ Counts s_warps[kThreads / 32];
    auto block = cg::this_thread_block();
    if (block.thread_rank() == 0) {
        s_stack[0] = range;
        s_depth = 1;
    }
    for (;;) {
        block.sync();
        int depth = s_depth;
        if (depth == 0) break;
        Range top = s_stack[depth - 1];
        block.sync();
        int* d_keys = keys + top.first;
        if (top.count <= kSmall) {
            for (int i = block.thread_rank(); i < top.count; i += kThreads) s_keys[i] = d_keys[i];
            network(block, s_keys, top.count);
            for (int i = block.thread_rank(); i < top.count; i += kThreads) d_keys[i] = s_keys[i];
            if (block.thread_rank() == 0) --s_depth;
            continue;
        }
        // The median of a sample, so that organ pipes and sorted keys are as good as others.
        unsigned place = (block.thread_rank() + 1) * 0x9e3779b9u ^ static_cast<unsigned>(top.first) * 0x85ebca6bu;
        s_keys[block.thread_rank()] = d_keys[(place >> 4) % top.count];
        network(block, s_keys, kThreads);
        int pivot = s_keys[kThreads / 2];

        Counts done{0, 0}, total;
        int* d_temp = temp + top.first;
        // Less and equal keys keep their order from the front, greater ones are turned around from the back.
        for (int i = block.thread_rank(); i - static_cast<int>(block.thread_rank()) < top.count; i += kThreads) {
            bool there = i < top.count;
            int key = there ? d_keys[i] : 0;
            Counts own{there && key < pivot, there && key == pivot};
            Counts before = done + exclusive(block, own, s_warps, total);
            if (own.less)
                d_temp[before.less] = key;
            else if (there && !own.equal)
                d_temp[top.count - 1 - (i - before.less - before.equal)] = key;
            done = done + total;
        }
        block.sync();
        for (int i = block.thread_rank(); i < top.count; i += kThreads)
            d_keys[i] = i < done.less || i >= done.less + done.equal ? d_temp[i] : pivot;
        block.sync();
        if (block.thread_rank() != 0) continue;
        --s_depth;
        Range sides[2] = {{top.first, done.less},
                          {top.first + done.less + done.equal, top.count - done.less - done.equal}};
        if (sides[0].count < sides[1].count) {
            Range swap = sides[0];
            sides[0] = sides[1];
            sides[1] = swap;
        }
        for (Range side : sides) {
            if (side.count < 2) continue;
            if (levels > 0 && side.count > kSmall) {
                cudaStream_t stream;
                if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess) {
                    sort_range<<<1, kThreads, 0, stream>>>(keys, temp, side, levels - 1);
                    bool launched = cudaGetLastError() == cudaSuccess;
                    cudaStreamDestroy(stream);
                    if (launched) continue;
                }
                cudaGetLastError();
            }
            assert(s_depth < kStack);
            s_stack[s_depth++] = side;
        }
    }
}

}  // namespace

void block_partition(const int* d_in, int* d_out, int n, int max_depth, Workspace& work) {
    if (n == 0) return;
    CUDA_CHECK(cudaMemcpyAsync(d_out, d_in, n * sizeof(int), cudaMemcpyDeviceToDevice));
    sort_range<<<1, kThreads>>>(d_out, work.get<int>(n), Range{0, n}, max_depth);
    CUDA_CHECK(cudaGetLastError());
}
