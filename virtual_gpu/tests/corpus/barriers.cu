// Barriers that only some threads reach, shuffles from absent lanes, and threads that wait forever.
#include <cuda/barrier>

#include "corpus.h"

template <bool kGood>
__global__ void sum_tile(const int* in, int* out, int n) {
    __shared__ int tile[64];
    const int t = threadIdx.x;
    tile[t] = 0;
    if (t < n) {
        tile[t] = in[t];
        if (!kGood) __syncthreads();  // barrier_in_branch: divergent_barrier
    }
    __syncthreads();
    if (t < n) out[t] = tile[t] + tile[63 - t];
}
template <bool kGood>
void barrier_in_branch() {
    Array<int> in(numbers(64)), out(64, 0);
    sum_tile<kGood><<<1, 64>>>(in, out, 40);
    out.print();
}

// Each thread takes as many steps as its number has bits.
template <bool kGood>
__global__ void steps_of_each(const int* in, int* out) {
    __shared__ int tile[64];
    const int t = threadIdx.x;
    int value = in[t];
    tile[t] = value;
    __syncthreads();
    for (int step = 0; kGood ? step < 10 : value > 0; ++step) {
        const int other = tile[(t + 1) % 64];
        __syncthreads();  // barrier_in_loop: divergent_barrier
        tile[t] = value > 0 ? other : tile[t];
        value /= 2;
        __syncthreads();
    }
    out[t] = tile[t];
}
template <bool kGood>
void barrier_in_loop() {
    Array<int> in(numbers(64)), out(64, 0);
    steps_of_each<kGood><<<1, 64>>>(in, out);
    out.print();
}

// One warp loads, the other computes, and waits once more.
template <bool kGood>
__global__ void roles(const int* in, int* out) {
    __shared__ int tile[32];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int round = 0; round < 4; ++round) {
        if (warp == 0) tile[lane] = in[round * 32 + lane];
        __syncthreads();
        if (warp == 1) {
            out[round * 32 + lane] = tile[lane] * 2;
            if (!kGood) __syncthreads();  // roles_out_of_step: divergent_barrier
        }
        __syncthreads();
    }
}
template <bool kGood>
void roles_out_of_step() {
    Array<int> in(numbers(128)), out(128, 0);
    roles<kGood><<<1, 64>>>(in, out);
    out.print();
}

// The last rows of a matrix: threads past the end take no part in the sum of the warp.
template <bool kGood>
__global__ void sum_of_row(const int* in, int* out, int columns) {
    const int lane = threadIdx.x;
    int sum = 0;
    if (kGood || lane < columns) {
        sum = lane < columns ? in[lane] : 0;
        for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);  // shuffle_of_absent: uninitialized
    }
    if (lane == 0) *out = sum;
}
template <bool kGood>
void shuffle_of_absent() {
    Array<int> in(numbers(32)), out(1, 0);
    sum_of_row<kGood><<<1, 32>>>(in, out, 20);
    out.print();
}

// A half warp adds up, and begins with the other half.
template <bool kGood>
__global__ void sum_of_half(const int* in, int* out) {
    int sum = in[threadIdx.x];
    if (threadIdx.x >= 16) return;
    for (int d = kGood ? 8 : 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffff, sum, d);  // half_mask: uninitialized
    if (threadIdx.x == 0) *out = sum;
}
template <bool kGood>
void half_mask() {
    Array<int> in(numbers(32)), out(1, 0);
    sum_of_half<kGood><<<1, 32>>>(in, out);
    out.print();
}

// Who has a large value gets a place by the ballot; the ballot stands within the branch.
template <bool kGood>
__global__ void places(const int* in, int* out) {
    const bool large = in[threadIdx.x] > 500;
    unsigned all = kGood ? __ballot_sync(~0u, large) : 0;
    if (large) {
        if (!kGood) all = __ballot_sync(~0u, true);  // ballot_in_branch: deadlock
        out[__popc(all & ((1u << threadIdx.x) - 1))] = in[threadIdx.x];
    }
    __syncwarp();
}
template <bool kGood>
void ballot_in_branch() {
    Array<int> in(numbers(32)), out(32, 0);
    places<kGood><<<1, 32>>>(in, out);
    out.print();
}

// Every block waits for the one after it; not all of them fit on a device.
template <bool kGood>
__global__ void wait_for_next(int* done, int* out) {
    const int b = kGood ? gridDim.x - 1 - blockIdx.x : blockIdx.x;  // the first to start is the last in the chain
    if (threadIdx.x != 0) return;
    if (b + 1 < gridDim.x)
        while (atomicAdd(&done[b + 1], 0) == 0) {  // later_block: deadlock
        }
    out[b] = b;
    atomicExch(&done[b], 1);
}
template <bool kGood>
void later_block() {
    const int blocks = 5'000;
    Array<int> done(blocks, 0), out(blocks, 0);
    wait_for_next<kGood><<<blocks, 32>>>(done, out);
    out.print();
}

// A lock that one way out does not give back.
template <bool kGood>
__global__ void insert(const int* in, int* lock, int* table) {
    if (threadIdx.x != 0) return;
    while (atomicCAS(lock, 0, 1) != 0) {  // way_out_with_lock: deadlock
    }
    __threadfence();
    const int slot = in[blockIdx.x] % 8;
    if (table[slot] != 0) {
        if (kGood) __threadfence();
        if (kGood) atomicExch(lock, 0);
        return;
    }
    table[slot] = in[blockIdx.x];
    __threadfence();
    atomicExch(lock, 0);
}
template <bool kGood>
void way_out_with_lock() {
    Array<int> in(numbers(32)), lock(1, 0), table(8, 0);
    insert<kGood><<<32, 32>>>(in, lock, table);
    table.print();
}

// A barrier of all blocks by a counter, used twice and not reset.
template <bool kGood>
__global__ void phases(int* arrived, int* data) {
    for (int phase = 1; phase <= 2; ++phase) {
        atomicAdd(&data[phase], blockIdx.x);
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) {
            atomicAdd(arrived, 1);
            const int wanted = gridDim.x * (kGood ? phase : phase * phase);
            while (atomicAdd(arrived, 0) < wanted) {  // counted_wrong: deadlock
            }
        }
        __syncthreads();
    }
}
template <bool kGood>
void counted_wrong() {
    Array<int> arrived(1, 0), data(3, 0);
    phases<kGood><<<4, 64>>>(arrived, data);
    data.print();
}

// A barrier of four warps, which only three of them reach.
template <bool kGood>
__global__ void named(const int* in, int* out) {
    __shared__ int tile[128];
    tile[threadIdx.x] = in[threadIdx.x];
    if (threadIdx.x >= 96) return;
    if (kGood)
        asm volatile("bar.sync 1, 96;" ::: "memory");
    else
        asm volatile("bar.sync 1, 128;" ::: "memory");  // warps_of_named_barrier: deadlock
    out[threadIdx.x] = tile[95 - threadIdx.x];
}
template <bool kGood>
void warps_of_named_barrier() {
    Array<int> in(numbers(128)), out(128, 0);
    named<kGood><<<1, 128>>>(in, out);
    out.print();
}

template <bool kGood>
__global__ void produce(const int* in, int* out) {
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ cuda::barrier<cuda::thread_scope_block> full;
    __shared__ int tile[32];
    if (threadIdx.x == 0) init(&full, kGood ? 64 : 65);
    __syncthreads();
    if (threadIdx.x < 32) tile[threadIdx.x] = in[threadIdx.x];
    full.arrive_and_wait();  // arrivals_of_barrier: deadlock
    if (threadIdx.x >= 32) out[threadIdx.x - 32] = tile[63 - threadIdx.x];
}
template <bool kGood>
void arrivals_of_barrier() {
    Array<int> in(numbers(32)), out(32, 0);
    produce<kGood><<<1, 64>>>(in, out);
    out.print();
}

// The lanes leave the loop one by one; those that stay vote with all.
template <bool kGood>
__global__ void search(const int* in, int* out, int n) {
    const int lane = threadIdx.x;
    int i = lane;
    while (kGood || i < n) {
        const bool found = i < n && in[i] > 990;
        if (__any_sync(~0u, found || (kGood && __all_sync(~0u, i >= n)))) break;  // vote_of_some: deadlock
        i += 32;
    }
    __syncwarp();
    out[lane] = i;
}
template <bool kGood>
void vote_of_some() {
    Array<int> in(50, 1), out(32, 0);
    search<kGood><<<1, 32>>>(in, out, 50);
    out.print();
}

// Two locks at once: one thread takes them in one order, another one in the other.
template <bool kGood>
__global__ void move_amount(const int* from, int* locks, int* amounts) {
    const int first = kGood ? 0 : from[threadIdx.x] % 2, second = 1 - first;
    for (bool is_done = false; !is_done;) {
        if (atomicCAS(&locks[first], 0, 1) != 0) continue;
        while (atomicCAS(&locks[second], 0, 1) != 0) {  // locks_in_turn: deadlock
        }
        __threadfence();
        amounts[0] += 1;
        amounts[1] -= 1;
        __threadfence();
        atomicExch(&locks[second], 0);
        atomicExch(&locks[first], 0);
        is_done = true;
    }
}
template <bool kGood>
void locks_in_turn() {
    Array<int> from(numbers(64)), locks(2, 0), amounts(2, 0);
    move_amount<kGood><<<1, 64>>>(from, locks, amounts);
    amounts.print();
}

template <bool kGood>
__global__ void part_of_block(int* out) {
    __shared__ int tile[64];
    tile[threadIdx.x] = threadIdx.x;
    if (kGood)
        asm volatile("bar.sync 1, 64;" ::: "memory");
    else
        asm volatile("bar.sync 1, 48;" ::: "memory");  // half_a_warp: invalid_access
    if (threadIdx.x < 48) out[threadIdx.x] = tile[47 - threadIdx.x];
}
template <bool kGood>
void half_a_warp() {
    Array<int> out(48, 0);
    part_of_block<kGood><<<1, 64>>>(out);
    out.print();
}

int main(int argc, char** argv) {
    return run({PAIR(barrier_in_branch), PAIR(barrier_in_loop), PAIR(roles_out_of_step), PAIR(shuffle_of_absent),
                PAIR(half_mask), PAIR(ballot_in_branch), PAIR(later_block), PAIR(way_out_with_lock),
                PAIR(counted_wrong), PAIR(warps_of_named_barrier), PAIR(arrivals_of_barrier), PAIR(vote_of_some),
                PAIR(locks_in_turn), PAIR(half_a_warp)},
               argc, argv);
}
