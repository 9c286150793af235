// Locks, tickets, look-back, the last block and the barrier of the grid, with weaker orders than they need.
#include <cooperative_groups.h>

#include <cuda/atomic>

#include "corpus.h"

namespace cg = cooperative_groups;

// A lock that backs off.
struct Lock {
    int* state;
    __device__ void lock() {
        unsigned wait = 8;
        while (atomicCAS(state, 0, 1) != 0) {
            __nanosleep(wait);
            if (wait < 256) wait *= 2;
        }
        __threadfence();
    }
    template <bool kFence>
    __device__ void unlock() {
        if (kFence) __threadfence();
        atomicExch(state, 0);
    }
};
template <bool kGood>
__global__ void add_by_lock(int* state, int* sum) {
    if (threadIdx.x % 32 != 0) return;
    Lock lock{state};
    lock.lock();
    *sum += 1;  // unlock_no_fence: race
    lock.unlock<kGood>();
}
template <bool kGood>
void unlock_no_fence() {
    Array<int> state(1, 0), sum(1, 0);
    add_by_lock<kGood><<<12, 128>>>(state, sum);
    sum.print();
}

// A lock of tickets.
template <bool kGood>
__global__ void add_by_ticket(unsigned* tickets, int* sum) {
    if (threadIdx.x != 0) return;
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> next(tickets[0]), serving(tickets[1]);
    const unsigned mine = next.fetch_add(1, cuda::memory_order_relaxed);
    while (serving.load(kGood ? cuda::memory_order_acquire : cuda::memory_order_relaxed) != mine) __nanosleep(20);
    *sum += mine;  // ticket_relaxed: race
    serving.fetch_add(1, cuda::memory_order_release);
}
template <bool kGood>
void ticket_relaxed() {
    Array<unsigned> tickets(2, 0u);
    Array<int> sum(1, 0);
    add_by_ticket<kGood><<<40, 32>>>(tickets, sum);
    sum.print();
}
template <bool kGood>
__global__ void test_and_set(int* state, int* sum) {
    cuda::atomic_ref<int, cuda::thread_scope_device> lock(*state);
    for (bool done = false; !done;) {
        if (lock.load(cuda::memory_order_relaxed) == 0 && lock.exchange(1, cuda::memory_order_acquire) == 0) {
            *sum += threadIdx.x;  // cleared_relaxed: race
            lock.store(0, kGood ? cuda::memory_order_release : cuda::memory_order_relaxed);
            done = true;
        }
    }
}
template <bool kGood>
void cleared_relaxed() {
    Array<int> state(1, 0), sum(1, 0);
    test_and_set<kGood><<<4, 64>>>(state, sum);
    sum.print();
}

// A scan in one pass: each block looks back.
template <bool kGood>
__global__ void look_back(const int* in, int* out, int* state, int* sums, unsigned* ticket) {
    __shared__ unsigned tile;
    __shared__ int before;
    if (threadIdx.x == 0) tile = atomicAdd(ticket, 1);
    __syncthreads();
    const unsigned b = tile;
    const int value = in[b * 32 + threadIdx.x];
    int sum = value;
    for (int d = 1; d < 32; d *= 2) {
        const int left = __shfl_up_sync(~0u, sum, d);
        if (threadIdx.x >= d) sum += left;
    }
    if (threadIdx.x == 31) {
        sums[b] = sum;
        cuda::atomic_ref<int, cuda::thread_scope_device>(state[b]).store(1, cuda::memory_order_release);
        int total = 0;
        for (int at = static_cast<int>(b) - 1; at >= 0; --at) {
            cuda::atomic_ref<int, cuda::thread_scope_device> other(state[at]);
            while (other.load(kGood ? cuda::memory_order_acquire : cuda::memory_order_relaxed) == 0) {
            }
            total += sums[at];  // look_back_relaxed: race
        }
        before = total;
    }
    __syncwarp();
    out[b * 32 + threadIdx.x] = before + sum;
}
template <bool kGood>
void look_back_relaxed() {
    Array<int> in(numbers(20 * 32)), out(20 * 32, 0), state(20, 0), sums(20, 0);
    Array<unsigned> ticket(1, 0u);
    look_back<kGood><<<20, 32>>>(in, out, state, sums, ticket);
    out.print();
}
template <bool kGood>
__global__ void look_back_fenced(int* out, volatile int* state, volatile int* sums) {
    const int b = blockIdx.x;
    if (threadIdx.x != 0) return;
    sums[b] = b;
    __threadfence();
    state[b] = 1;
    int total = 0;
    for (int at = b - 1; at >= 0; --at) {
        while (state[at] == 0) {
        }
        if (kGood) __threadfence();
        total += const_cast<int*>(sums)[at];  // look_back_no_fence: race
    }
    out[b] = total;
}
template <bool kGood>
void look_back_no_fence() {
    Array<int> out(20, 0), state(20, 0), sums(20, 0);
    look_back_fenced<kGood><<<20, 32>>>(out, state, sums);
    out.print();
}

// The last block to finish adds up.
template <bool kGood>
__global__ void last_block(const int* in, int* part, unsigned* count, int* out) {
    __shared__ bool is_last;
    const int sum = __reduce_add_sync(~0u, in[blockIdx.x * 32 + threadIdx.x]);
    if (threadIdx.x == 0) {
        part[blockIdx.x] = sum;
        cuda::atomic_ref<unsigned, cuda::thread_scope_device> done(*count);
        is_last = done.fetch_add(1, kGood ? cuda::memory_order_acq_rel : cuda::memory_order_relaxed) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last) return;
    int total = 0;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += 32) total += part[i];  // last_block_relaxed: race
    total = __reduce_add_sync(~0u, total);
    if (threadIdx.x == 0) *out = total;
}
template <bool kGood>
void last_block_relaxed() {
    Array<int> in(numbers(40 * 32)), part(40, 0), out(1, 0);
    Array<unsigned> count(1, 0u);
    last_block<kGood><<<40, 32>>>(in, part, count, out);
    out.print();
}

// Grid barriers.
template <bool kGood>
__global__ void two_phases(int* a, int* b) {
    const auto grid = cg::this_grid();
    const int i = static_cast<int>(grid.thread_rank()), n = static_cast<int>(grid.size());
    for (int round = 0; round < 3; ++round) {
        a[i] = round + i;
        if (kGood)
            grid.sync();
        else
            cg::this_thread_block().sync();
        b[i] = a[(i + 100) % n];  // block_for_grid: race
        grid.sync();
    }
}
template <bool kGood>
void block_for_grid() {
    Array<int> a(10 * 64, 0), b(10 * 64, 0);
    int *d_a = a, *d_b = b;
    void* arguments[] = {&d_a, &d_b};
    CHECK(cudaLaunchCooperativeKernel(two_phases<kGood>, dim3(10), dim3(64), arguments));
    b.print();
}

int main(int argc, char** argv) {
    return run({PAIR(unlock_no_fence), PAIR(ticket_relaxed), PAIR(cleared_relaxed), PAIR(look_back_relaxed),
                PAIR(look_back_no_fence), PAIR(last_block_relaxed), PAIR(block_for_grid)},
               argc, argv);
}
