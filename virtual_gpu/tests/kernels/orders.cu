// What orders accesses beyond __syncthreads(), in pairs: a right kernel, and a wrong one that differs little. Of a
// wrong one, the marks are the lines that a finding has to name.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>

#include <cuda/barrier>

namespace cg = cooperative_groups;

// ---- Release sequences: warps count themselves, without taking the count ----

__device__ void count_one(int* count) {
    const auto at = static_cast<unsigned>(__cvta_generic_to_shared(count));
    asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(at) : "memory");
}
__device__ void wait_for(int* count, int wanted) {
    while (*(volatile int*)count < wanted) {
    }
}
extern "C" __global__ void right_all_count(int* out) {
    __shared__ int s[128], count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    s[threadIdx.x] = threadIdx.x;
    __syncwarp();
    if (threadIdx.x % 32 == 0) count_one(&count);
    wait_for(&count, 4);
    out[threadIdx.x] = s[(threadIdx.x + 32) % 128];
}
extern "C" __global__ void one_does_not_count(int* out) {
    __shared__ int s[128], count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    s[threadIdx.x] = threadIdx.x;  // one_does_not_count_writer
    __syncwarp();
    if (threadIdx.x % 32 == 0 && threadIdx.x < 96) count_one(&count);
    wait_for(&count, 3);
    out[threadIdx.x] = s[(threadIdx.x + 32) % 128];  // one_does_not_count_reader
}
extern "C" __global__ void right_group_reduce(int* out) {
    __shared__ cg::block_tile_memory<256> memory;
    const auto block = cg::this_thread_block(memory);
    const auto tile = cg::tiled_partition<128>(block);
    out[threadIdx.x] = cg::reduce(tile, static_cast<int>(threadIdx.x), cg::plus<int>());
}

// ---- bar.arrive orders one way ----

__device__ void arrive(int number) { asm volatile("bar.arrive %0, 128;" ::"r"(number) : "memory"); }
__device__ void sync(int number) { asm volatile("bar.sync %0, 128;" ::"r"(number) : "memory"); }

extern "C" __global__ void right_full_and_empty(int* out) {
    __shared__ int s[64];
    const int t = threadIdx.x;
    for (int round = 0; round < 3; ++round) {
        if (t < 64) {
            s[t] = t + round;
            arrive(1);
            sync(2);
        } else {
            sync(1);
            out[t] = s[127 - t];
            arrive(2);
        }
    }
}
extern "C" __global__ void full_without_empty(int* out) {
    __shared__ int s[64];
    const int t = threadIdx.x;
    for (int round = 0; round < 2; ++round) {
        if (t < 64) {
            s[t] = t + round;  // full_without_empty_writer
            arrive(1 + round);
        } else {
            sync(1 + round);
            out[t] = s[127 - t];  // full_without_empty_reader
        }
    }
}
extern "C" __global__ void right_read_of_arrived(int* out) {
    const int t = threadIdx.x;
    if (t < 64) {
        out[t] = t;
        arrive(1);
    } else {
        sync(1);
        out[t] = out[t - 64] + 1;
    }
}
extern "C" __global__ void read_after_arrival(int* out) {
    const int t = threadIdx.x;
    if (t < 64) {
        arrive(1);
        out[t] = out[t + 64];  // read_after_arrival_reader
    } else {
        out[t] = t;  // read_after_arrival_writer
        sync(1);
    }
}

// ---- The loop of compare-and-swap begins with a plain read ----

__device__ void add_by_cas(double* address, double value) {
    auto* bits = reinterpret_cast<unsigned long long*>(address);
    unsigned long long old = *bits, assumed;  // add_by_cas_read
    do {
        assumed = old;
        const double sum = value + __longlong_as_double(static_cast<long long>(assumed));
        old = atomicCAS(bits, assumed, static_cast<unsigned long long>(__double_as_longlong(sum)));  // add_by_cas_swap
    } while (assumed != old);
}
extern "C" __global__ void right_cas_loop(double* sum) { add_by_cas(sum, 1); }
extern "C" __global__ void right_cas_loop_in_shared(double* out) {
    __shared__ double sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    add_by_cas(&sum, 1);
    __syncthreads();
    if (threadIdx.x == 0) *out = sum;
}
extern "C" __global__ void right_bfloat16(__nv_bfloat16* sum) { atomicAdd(sum, __float2bfloat16(1)); }
extern "C" __global__ void right_max_by_cas(int* most) {
    const int mine = blockIdx.x * blockDim.x + threadIdx.x;
    int old = *most;
    while (old < mine) {
        const int assumed = old;
        old = atomicCAS(most, assumed, mine);
        if (old == assumed) break;
    }
}
extern "C" __global__ void plain_update(double* sum) {
    *sum += 1;  // plain_update
}
extern "C" __global__ void plain_read_of_a_sum(int* sum) {
    if (threadIdx.x == 0) atomicAdd(&sum[0], 1);         // plain_read_of_a_sum_writer
    if (threadIdx.x == 0) sum[1 + blockIdx.x] = sum[0];  // plain_read_of_a_sum_reader
}
extern "C" __global__ void swap_after_a_store(int* word, int* out) {
    if (blockIdx.x == 0 && threadIdx.x == 0) word[0] = 5;                         // swap_after_a_store_writer
    if (blockIdx.x == 1 && threadIdx.x == 0) *out = atomicCAS(word, word[0], 7);  // swap_after_a_store_reader
}

// ---- A mask may name lanes that have left: nobody waits for them ----

extern "C" __global__ void right_mask_with_lanes_that_left(int* out) {
    const int t = threadIdx.x;
    if (t >= 16) return;
    const int before = t < 8 ? 1 : 2;
    const int other = __shfl_xor_sync(~0u, before, 8);
    out[t] = other + 10 * __popc(__ballot_sync(~0u, before == 2));
}
extern "C" __global__ void mask_without_the_lane(int* out) {
    const int t = threadIdx.x;
    out[t] = __shfl_xor_sync(0xffff, t, 1);  // mask_without_the_lane
}

// ---- cuda::barrier: its waiting is a loop that reads ----

extern "C" __global__ void right_tree_of_barriers(const int* in, int* out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ int s[256];
    const int t = threadIdx.x;
    if (t == 0) init(&barrier, 256);
    __syncthreads();
    s[t] = in[blockIdx.x * 256 + t];
    for (int half = 128; half > 0; half /= 2) {
        barrier.arrive_and_wait();
        if (t < half) s[t] += s[t + half];
    }
    barrier.wait(barrier.arrive());
    if (t == 0) out[blockIdx.x] = s[0];
}
extern "C" __global__ void tree_with_a_barrier_too_few(const int* in, int* out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ int s[256];
    const int t = threadIdx.x;
    if (t == 0) init(&barrier, 256);
    __syncthreads();
    s[t] = in[blockIdx.x * 256 + t];  // tree_with_a_barrier_too_few_writer
    if (t < 128) s[t] += s[t + 128];  // tree_with_a_barrier_too_few_reader
    barrier.arrive_and_wait();
    if (t == 0) out[blockIdx.x] = s[0];
}

// ---- Flags in shared memory order global memory ----

// The first warp writes, and tells the second one by a flag.
template <bool kFences>
__device__ void flag_in_shared(int* data, int* out) {
    __shared__ int flag;
    const int t = threadIdx.x;
    if (t == 0) flag = 0;
    __syncthreads();
    if (t < 32) {
        data[t] = t;  // flag_without_fence_writer
        __syncwarp();
        if (kFences) __threadfence_block();
        if (t == 0) atomicExch(&flag, 1);
    } else {
        while (atomicAdd(&flag, 0) == 0) {
        }
        if (kFences) __threadfence_block();
        out[t] = data[63 - t];  // flag_without_fence_reader
    }
}
extern "C" __global__ void right_flag_in_shared(int* data, int* out) { flag_in_shared<true>(data, out); }
extern "C" __global__ void flag_without_fence(int* data, int* out) { flag_in_shared<false>(data, out); }

// A flag in global memory orders shared memory, within a block.
template <bool kFences>
__device__ void shared_by_flag(int* flag, int* out) {
    __shared__ int s[32];
    const int t = threadIdx.x;
    if (t < 32) {
        s[t] = t;  // shared_without_fence_writer
        __syncwarp();
        if (kFences) __threadfence();
        if (t == 0) atomicExch(flag + blockIdx.x, 1000000);
    } else {
        while (atomicAdd(flag + blockIdx.x, 0) != 1000000) {
        }
        __threadfence();
        out[blockIdx.x * 32 + t - 32] = s[63 - t];  // shared_without_fence_reader
    }
}
extern "C" __global__ void right_shared_by_flag(int* flag, int* out) { shared_by_flag<true>(flag, out); }
extern "C" __global__ void shared_without_fence(int* flag, int* out) { shared_by_flag<false>(flag, out); }

// A lock for each bucket: the lanes of a warp take several at once.
template <bool kLocks>
__device__ void lock_in_shared(int* data) {
    __shared__ int lock[4];
    const int bucket = threadIdx.x % 4;
    if (threadIdx.x < 4) lock[threadIdx.x] = 0;
    __syncthreads();
    for (bool done = false; !done;) {
        if (kLocks && atomicCAS(&lock[bucket], 0, 1) != 0) continue;
        __threadfence_block();
        data[bucket] = data[bucket] + 1;  // no_lock_in_shared
        __threadfence_block();
        atomicExch(&lock[bucket], 0);
        done = true;
    }
}
extern "C" __global__ void right_lock_in_shared(int* data, int*) { lock_in_shared<true>(data); }
extern "C" __global__ void no_lock_in_shared(int* data, int*) { lock_in_shared<false>(data); }

template <bool kWaits>
__device__ void barrier_in_shared(int* data, int* out) {
    using Barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ alignas(Barrier) char memory[sizeof(Barrier)];
    Barrier& barrier = *reinterpret_cast<Barrier*>(memory);
    const int t = threadIdx.x, last = static_cast<int>(blockDim.x) - 1;
    if (t == 0) init(&barrier, blockDim.x);
    __syncthreads();
    data[t] = t;  // arrival_alone_writer
    if (kWaits)
        barrier.arrive_and_wait();
    else
        static_cast<void>(barrier.arrive());
    out[t] = data[last - t];  // arrival_alone_reader
}
extern "C" __global__ void right_barrier_in_shared(int* data, int* out) { barrier_in_shared<true>(data, out); }
extern "C" __global__ void arrival_alone(int* data, int* out) { barrier_in_shared<false>(data, out); }
