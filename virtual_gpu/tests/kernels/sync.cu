// Right programs: none of them may be reported, in any order.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <cuda/atomic>

extern "C" __global__ void tree_reduce(const int* in, int* out) {
    __shared__ int s[256];
    const int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) s[t] += s[t + half];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

extern "C" __global__ void double_buffer_scan(const int* in, int* out) {
    extern __shared__ int buffers[];
    int *from = buffers, *to = buffers + blockDim.x;
    const int t = threadIdx.x;
    from[t] = in[t];
    __syncthreads();
    for (int step = 1; step < blockDim.x; step *= 2) {
        to[t] = from[t] + (t >= step ? from[t - step] : 0);
        int* swap = from;
        from = to;
        to = swap;
        __syncthreads();
    }
    out[t] = from[t];
}

extern "C" __global__ void warp_reduce(const int* in, int* out) {
    int x = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (int offset = 16; offset > 0; offset /= 2) x += __shfl_down_sync(~0u, x, offset);
    __shared__ int partial[32];
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = x;
    __syncthreads();
    if (threadIdx.x < 32) {
        x = threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0;
        x = __reduce_add_sync(~0u, x);
        if (threadIdx.x == 0) out[blockIdx.x] = x;
    }
}

// Warp-synchronous with __syncwarp().
extern "C" __global__ void warp_scan_shared(const int* in, int* out) {
    __shared__ int s[64];
    const int lane = threadIdx.x % 32, base = threadIdx.x - lane;
    s[threadIdx.x] = in[threadIdx.x];
    __syncwarp();
    for (int step = 1; step < 32; step *= 2) {
        const int other = lane >= step ? s[base + lane - step] : 0;
        __syncwarp();
        s[threadIdx.x] += other;
        __syncwarp();
    }
    out[threadIdx.x] = s[threadIdx.x];
}

extern "C" __global__ void votes(const int* in, int* out) {
    const int x = in[threadIdx.x];
    int r = __any_sync(~0u, x > 90) + 2 * __all_sync(~0u, x >= 0) +
            4 * (__ballot_sync(~0u, x % 2) >> (threadIdx.x % 32) & 1);
    r += 8 * __syncthreads_count(x > 50) + 8000 * __syncthreads_or(x == 17) + 16000 * __syncthreads_and(x < 100);
    if (threadIdx.x % 2 == 0) r += 100000 * __popc(__activemask());
    out[threadIdx.x] = r;
}

extern "C" __global__ void lock_in_a_warp(int* lock, int* counter) {
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            *(volatile int*)counter = *(volatile int*)counter + 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}

extern "C" __global__ void naive_lock(int* lock, int* counter) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    *(volatile int*)counter = *(volatile int*)counter + 1;
    __threadfence();
    atomicExch(lock, 0);
}

// Single-pass scan: a ticket gives the order, flags carry the sums.
__device__ int block_scan(int x, int* s) {
    const int t = threadIdx.x;
    s[t] = x;
    __syncthreads();
    for (int step = 1; step < blockDim.x; step *= 2) {
        const int other = t >= step ? s[t - step] : 0;
        __syncthreads();
        s[t] += other;
        __syncthreads();
    }
    return s[t];
}
extern "C" __global__ void look_back_volatile(const int* in, int* out, volatile int* flags, volatile int* sums,
                                              int* ticket, int n) {
    __shared__ int s[128];
    __shared__ int tile, before;
    if (threadIdx.x == 0) tile = atomicAdd(ticket, 1);
    __syncthreads();
    const int i = tile * 128 + threadIdx.x;
    const int x = block_scan(i < n ? in[i] : 0, s);
    if (threadIdx.x == 0) {
        int sum = 0;
        if (tile > 0) {
            while (flags[tile - 1] == 0) {
            }
            __threadfence();
            sum = sums[tile - 1];
        }
        sums[tile] = sum + s[127];
        __threadfence();
        flags[tile] = 1;
        before = sum;
    }
    __syncthreads();
    if (i < n) out[i] = x + before;
}
extern "C" __global__ void look_back_atomic(const int* in, int* out, int* flags, int* sums, int* ticket, int n) {
    __shared__ int s[128];
    __shared__ int tile, before;
    if (threadIdx.x == 0) tile = atomicAdd(ticket, 1);
    __syncthreads();
    const int i = tile * 128 + threadIdx.x;
    const int x = block_scan(i < n ? in[i] : 0, s);
    if (threadIdx.x == 0) {
        int sum = 0;
        if (tile > 0) {
            cuda::atomic_ref<int, cuda::thread_scope_device> flag(flags[tile - 1]);
            while (flag.load(cuda::memory_order_acquire) == 0) {
            }
            sum = sums[tile - 1];
        }
        sums[tile] = sum + s[127];
        cuda::atomic_ref<int, cuda::thread_scope_device>(flags[tile]).store(1, cuda::memory_order_release);
        before = sum;
    }
    __syncthreads();
    if (i < n) out[i] = x + before;
}
// The block's own number as the order: right only if blocks start in ascending order, as they do on every GPU.
extern "C" __global__ void look_back_by_block(const int* in, int* out, volatile int* flags, volatile int* sums, int n) {
    __shared__ int s[128];
    __shared__ int before;
    const int tile = blockIdx.x;
    const int i = tile * 128 + threadIdx.x;
    const int x = block_scan(i < n ? in[i] : 0, s);
    if (threadIdx.x == 0) {
        int sum = 0;
        if (tile > 0) {
            while (flags[tile - 1] == 0) {  // look_back_by_block
            }
            __threadfence();
            sum = sums[tile - 1];
        }
        sums[tile] = sum + s[127];
        __threadfence();
        flags[tile] = 1;
        before = sum;
    }
    __syncthreads();
    if (i < n) out[i] = x + before;
}
// Wrong: waits for the block after it, which starts later.
extern "C" __global__ void look_ahead_by_block(volatile int* flags) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x + 1 < gridDim.x)
        while (flags[blockIdx.x + 1] == 0) {
        }
    flags[blockIdx.x] = 1;
}

// Waits until so many blocks are at work.
extern "C" __global__ void meet(int* arrived, int count) {
    if (threadIdx.x != 0) return;
    atomicAdd(arrived, 1);
    while (atomicAdd(arrived, 0) < count) {
    }
}

// What a block finds of the block with the ticket before its own: nothing, if that one is late.
extern "C" __global__ void take_tickets(int* ticket, int* flags, int* found) {
    __shared__ int mine;
    if (threadIdx.x == 0) mine = atomicAdd(ticket, 1);
    __syncthreads();
    if (threadIdx.x != 0) return;
    atomicExch(flags + mine, 1);
    if (mine > 0) found[mine] = atomicAdd(flags + mine - 1, 0);
}

extern "C" __global__ void grid_barrier(int* data, int* out) {
    const auto grid = cooperative_groups::this_grid();
    for (int round = 0; round < 3; ++round) {
        if (threadIdx.x == 0) data[blockIdx.x] = round * 100 + blockIdx.x;
        grid.sync();
        if (threadIdx.x == 0) out[blockIdx.x] = data[(blockIdx.x + 1) % gridDim.x] + (round > 0 ? out[blockIdx.x] : 0);
        grid.sync();
    }
}

// Half of the warps produce, the other half consume, by named barriers.
extern "C" __global__ void named_barriers(const int* in, int* out) {
    __shared__ int s[64];
    const int t = threadIdx.x;
    if (t < 64) {
        s[t] = in[t] * 2;
        asm volatile("bar.arrive 1, 128;" ::: "memory");
    } else {
        asm volatile("bar.sync 1, 128;" ::: "memory");
        out[t - 64] = s[127 - t];
    }
}

extern "C" __global__ void atomics(int* ints, unsigned* words, float* sum, double* wide, unsigned long long* big) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&ints[0], t);
    atomicMin(&ints[1], -t);
    atomicMax(&ints[2], t);
    atomicAnd(&words[0], ~(1u << (t % 32)));
    atomicOr(&words[1], 1u << (t % 32));
    atomicXor(&words[2], t);
    atomicInc(&words[3], 9);
    atomicDec(&words[4], 9);
    atomicAdd(sum, 0.5f);
    atomicAdd(wide, 0.25);
    atomicAdd(big, 1ull << 33);
    __shared__ int s[2];
    if (threadIdx.x < 2) s[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&s[t % 2], 1);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(&ints[3], s[0] * 1000 + s[1]);
}

// Tiles of two warps: from compute capability 8.0 on, they meet in reserved shared memory.
extern "C" __global__ void tiles_of_warps(const int* in, int* out) {
    namespace cg = cooperative_groups;
    __shared__ cg::block_tile_memory<256> memory;
    const auto tile = cg::tiled_partition<64>(cg::this_thread_block(memory));
    out[threadIdx.x] = cg::reduce(tile, in[threadIdx.x], cg::plus<int>());
}

// The second collective writes what lanes of the same warp have read at the end of the first.
extern "C" __global__ void tiles_in_a_row(const int* in, int* out) {
    namespace cg = cooperative_groups;
    __shared__ cg::block_tile_memory<256> memory;
    const auto tile = cg::tiled_partition<64>(cg::this_thread_block(memory));
    const int sum = cg::reduce(tile, in[threadIdx.x], cg::plus<int>());
    const int most = cg::reduce(tile, in[threadIdx.x], cg::greater<int>());
    out[threadIdx.x] = sum - most;
}

extern "C" __global__ void device_heap(int** slots, int* out) {
    int* p = static_cast<int*>(malloc(16));
    p[3] = threadIdx.x * 7;
    slots[threadIdx.x] = p;
    __syncthreads();
    out[threadIdx.x] = slots[(threadIdx.x + 1) % blockDim.x][3];
    __syncthreads();
    free(p);
}

// What free() in a kernel is given: twice the same, not the start, memory of the host's cudaMalloc.
extern "C" __global__ void frees(int* out, int which) {
    int* p = static_cast<int*>(malloc(16));
    p[0] = out[0];
    out[1] = p[0];
    if (which == 0) free(p);
    free(which == 2 ? out : p + which);  // frees
}
