// Threads of several blocks that share memory: atomics, fences, flags and locks that are missing.
#include <cuda/atomic>

#include "corpus.h"

template <bool kGood>
__global__ void relax(const int* before, int* data, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int* from = kGood ? before : data;
    if (i > 0 && i + 1 < n) data[i] = (from[i - 1] + from[i + 1]) / 2;  // stencil_in_place: race
}
template <bool kGood>
void stencil_in_place() {
    Array<int> before(numbers(1000)), data(numbers(1000));
    relax<kGood><<<4, 256>>>(before, data, 1000);
    data.print();
}

template <bool kGood>
__global__ void count_large(const int* in, int n, int* count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || in[i] < 900) return;
    if (kGood)
        atomicAdd(count, 1);
    else
        ++*count;  // counter_plain: race
}
template <bool kGood>
void counter_plain() {
    Array<int> in(numbers(1000)), count(1, 0);
    count_large<kGood><<<4, 256>>>(in, 1000, count);
    count.print();
}

// The last block adds up the sums of all.
template <bool kGood>
__global__ void total(const int* in, int* sums, unsigned* done, int* out) {
    __shared__ bool is_last;
    int sum = in[blockIdx.x * 32 + threadIdx.x];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = sum;
        if (kGood) __threadfence();
        is_last = atomicAdd(done, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last || threadIdx.x > 0) return;
    if (kGood) __threadfence();
    int all = 0;
    for (int b = 0; b < gridDim.x; ++b) all += sums[b];  // last_block_no_fence: race
    *out = all;
}
template <bool kGood>
void last_block_no_fence() {
    Array<int> in(numbers(512)), sums(16, 0), out(1, 0);
    Array<unsigned> done(1, 0u);
    total<kGood><<<16, 32>>>(in, sums, done, out);
    out.print();
}

// Block 1 waits for what block 0 writes.
template <bool kGood>
__global__ void hand_over(int* data, volatile int* ready, int* out) {
    if (blockIdx.x == 0) {
        data[threadIdx.x] = threadIdx.x;
        if (kGood) __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) *ready = 1;
    } else {
        while (*ready == 0) {
        }
        if (kGood) __threadfence();
        out[threadIdx.x] = data[threadIdx.x] + 1;  // flag_no_fence: race
    }
}
template <bool kGood>
void flag_no_fence() {
    Array<int> data(64, 0), ready(1, 0), out(64, 0);
    hand_over<kGood><<<2, 64>>>(data, ready, out);
    out.print();
}

template <bool kGood>
__global__ void add_under_lock(const int* in, int* lock, int* sum) {
    if (threadIdx.x != 0) return;
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    if (kGood) __threadfence();
    *sum += in[blockIdx.x];  // lock_no_fence: race
    if (kGood) __threadfence();
    atomicExch(lock, 0);
}
template <bool kGood>
void lock_no_fence() {
    Array<int> in(numbers(32)), lock(1, 0), sum(1, 0);
    add_under_lock<kGood><<<32, 32>>>(in, lock, sum);
    sum.print();
}

// Two numbers belong together; the second is changed after the lock was given back.
template <bool kGood>
__global__ void best_of_all(const int* in, int* lock, int* best, int* where) {
    if (threadIdx.x != 0) return;
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    const bool better = in[blockIdx.x] > *best;
    if (better) *best = in[blockIdx.x];
    if (kGood && better) *where = blockIdx.x;
    __threadfence();
    atomicExch(lock, 0);
    if (!kGood && better) *where = blockIdx.x;  // after_unlock: race
}
template <bool kGood>
void after_unlock() {
    std::vector<int> rising(32);
    for (int i = 0; i < 32; ++i) rising[i] = i;
    Array<int> in(rising), lock(1, 0), best(1, -1), where(1, -1);
    best_of_all<kGood><<<32, 32>>>(in, lock, best, where);
    best.print();
}

template <bool kGood>
__global__ void maximum(const int* in, int n, int* best) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (kGood)
        atomicMax(best, in[i]);
    else if (in[i] > *best)  // look_then_write: race
        *best = in[i];
}
template <bool kGood>
void look_then_write() {
    Array<int> in(numbers(1000)), best(1, 0);
    maximum<kGood><<<4, 256>>>(in, 1000, best);
    best.print();
}

// One step of a breadth-first search; each vertex has the next seven as neighbours.
template <bool kGood>
__global__ void visit(int* distance, int* next, int* next_size, int n) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n || v % 5 != 0) return;
    for (int k = 1; k <= 7; ++k) {
        const int w = (v + k) % n;
        if (w % 5 == 0) continue;
        if (kGood) {
            if (atomicCAS(&distance[w], -1, 1) == -1) next[atomicAdd(next_size, 1)] = w;
        } else if (distance[w] == -1) {  // frontier_twice: race
            distance[w] = 1;
            next[atomicAdd(next_size, 1) % n] = w;
        }
    }
}
template <bool kGood>
void frontier_twice() {
    std::vector<int> start(1000, -1);
    for (int v = 0; v < 1000; v += 5) start[v] = 0;
    Array<int> distance(start), next(1000, 0), size(1, 0);
    visit<kGood><<<4, 256>>>(distance, next, size, 1000);
    distance.print();
}

// The permutation is none: two elements go to each place.
template <bool kGood>
__global__ void permute(const int* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i * (kGood ? 3 : 2) % n] = in[i];  // not_a_permutation: race
}
template <bool kGood>
void not_a_permutation() {
    Array<int> in(numbers(1000)), out(1000, 0);
    permute<kGood><<<4, 256>>>(in, out, 1000);
    out.print();
}

// A fence that reaches only the threads of the block.
template <bool kGood>
__global__ void chain(int* value, cuda::atomic<int, cuda::thread_scope_device>* turn) {
    if (threadIdx.x != 0) return;
    while (turn->load(cuda::memory_order_relaxed) != blockIdx.x) {
    }
    kGood ? __threadfence() : __threadfence_block();
    *value = *value * 3 % 1000 + 1;  // fence_of_block: race
    kGood ? __threadfence() : __threadfence_block();
    turn->store(blockIdx.x + 1, cuda::memory_order_relaxed);
}
template <bool kGood>
void fence_of_block() {
    Array<int> value(1, 1), turn(1, 0);
    chain<kGood><<<8, 32>>>(value, reinterpret_cast<cuda::atomic<int, cuda::thread_scope_device>*>(+turn));
    value.print();
}

// An atomic of the block's scope on a counter of the whole grid.
template <bool kGood>
__global__ void count_all(int* count) {
    if (kGood)
        atomicAdd(count, 1);
    else
        atomicAdd_block(count, 1);  // atomic_of_block: race
}
template <bool kGood>
void atomic_of_block() {
    Array<int> count(1, 0);
    count_all<kGood><<<8, 64>>>(count);
    count.print();
}

// A stack as a linked list: while a thread reads the next of the top, another may take the top and put it back.
template <bool kGood>
__global__ void take_and_return(int* next, int* top, int* taken, bool takes, bool returns) {
    if (threadIdx.x != 0) return;
    int mine = takes ? atomicAdd(top, 0) : taken[blockIdx.x];
    while (takes) {
        const int seen = atomicCAS(top, mine, next[mine]);  // stack_aba: race
        if (seen == mine) break;
        mine = seen;
    }
    taken[blockIdx.x] = mine;
    for (int old = atomicAdd(top, 0); returns;) {
        next[mine] = old;
        __threadfence();
        const int seen = atomicCAS(top, old, mine);
        if (seen == old) break;
        old = seen;
    }
}
template <bool kGood>
void stack_aba() {
    std::vector<int> list(100);
    for (int i = 0; i < 100; ++i) list[i] = i - 1;
    Array<int> next(list), top(1, 99), taken(16, 0);
    take_and_return<kGood><<<16, 32>>>(next, top, taken, true, !kGood);
    if (kGood) take_and_return<kGood><<<16, 32>>>(next, top, taken, false, true);
    next.print();
}

// Each thread takes the lock of its bin: lanes of one warp, too.
template <bool kGood>
__global__ void sum_into_bins(const int* in, int n, int* locks, int* counts, int* sums) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int bin = in[i] % 4;
    for (bool done = false; !done;) {
        if (atomicCAS(&locks[bin], 0, 1) != 0) continue;
        __threadfence();
        counts[bin] += 1;
        if (kGood) sums[bin] += in[i];
        __threadfence();
        atomicExch(&locks[bin], 0);
        if (!kGood) sums[bin] += in[i];  // lock_of_each_thread: race
        done = true;
    }
}
template <bool kGood>
void lock_of_each_thread() {
    Array<int> in(numbers(32)), locks(4, 0), counts(4, 0), sums(4, 0);
    sum_into_bins<kGood><<<1, 32>>>(in, 32, locks, counts, sums);
    sums.print();
}

// A barrier of the block taken for one of the grid.
template <bool kGood>
__global__ void two_steps(const int* in, int* middle, int* out, int n, int step) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (step != 2) middle[i] = in[i] * 2;
    __syncthreads();
    if (step != 1) out[i] = middle[(i + 100) % n];  // barrier_for_grid: race
}
template <bool kGood>
void barrier_for_grid() {
    Array<int> in(numbers(512)), middle(512, 0), out(512, 0);
    if (kGood) two_steps<kGood><<<4, 128>>>(in, middle, out, 512, 1);
    two_steps<kGood><<<4, 128>>>(in, middle, out, 512, kGood ? 2 : 0);
    out.print();
}

template <bool kGood>
__global__ void column_sums(const float* in, float* sums, int columns) {
    const float value = in[blockIdx.x * columns + threadIdx.x];
    if (kGood)
        atomicAdd(&sums[threadIdx.x], value);
    else
        sums[threadIdx.x] += value;  // columns_of_rows: race
}
template <bool kGood>
void columns_of_rows() {
    Array<float> in(64 * 32, 1.0f), sums(32, 0.0f);
    column_sums<kGood><<<64, 32>>>(in, sums, 32);
    sums.print();
}

int main(int argc, char** argv) {
    return run({PAIR(stencil_in_place), PAIR(counter_plain), PAIR(last_block_no_fence), PAIR(flag_no_fence),
                PAIR(lock_no_fence), PAIR(after_unlock), PAIR(look_then_write), PAIR(frontier_twice),
                PAIR(not_a_permutation), PAIR(fence_of_block), PAIR(atomic_of_block), PAIR(stack_aba),
                PAIR(lock_of_each_thread), PAIR(barrier_for_grid), PAIR(columns_of_rows)},
               argc, argv);
}
