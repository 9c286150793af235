// Waits for a time, for a number of tries, and for a flag in a loop with a barrier.
#include <cuda/atomic>
#include <cuda/semaphore>
#include <cuda/std/chrono>

#include "corpus.h"

#pragma nv_diag_suppress static_var_with_dynamic_init

using Semaphore = cuda::counting_semaphore<cuda::thread_scope_block>;

// A semaphore that nobody releases, with and without a time.
template <bool kGood>
__global__ void try_for(int* out) {
    __shared__ Semaphore free_;
    if (threadIdx.x == 0) new (&free_) Semaphore(0);
    __syncthreads();
    if (threadIdx.x == 0) {
        if (kGood)
            *out = free_.try_acquire_for(cuda::std::chrono::milliseconds(250));
        else
            free_.acquire();  // semaphore_not_released: deadlock
    }
    __syncthreads();
}
template <bool kGood>
void semaphore_not_released() {
    Array<int> out(1, 5);
    try_for<kGood><<<2, 64>>>(out);
    out.print();
}

// Waits for a flag that is never set, for a second by the global timer; or for ever, as the time is not looked at.
template <bool kGood>
__global__ void wait_a_second(const int* flag, int* out) {
    unsigned long long start, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    const volatile int* is_set = flag;
    do {
        __nanosleep(100);  // no_time_limit: deadlock
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while (*is_set == 0 && (!kGood || now - start < 1'000'000'000));
    out[blockIdx.x * blockDim.x + threadIdx.x] = now > start;
}
template <bool kGood>
void no_time_limit() {
    Array<int> flag(1, 0), out(20 * 64, 0);
    wait_a_second<kGood><<<20, 64>>>(flag, out);
    out.print();
}

// Works for a number of cycles, or until a flag is set that nobody sets.
template <bool kGood>
__global__ void busy(const int* flag, int* out) {
    const unsigned start = clock();
    const volatile int* is_set = flag;
    int rounds = 0;
    while (kGood ? clock() - start < 500'000'000u : *is_set == 0) ++rounds;  // flag_for_clock: deadlock
    out[threadIdx.x] = rounds > 0;
}
template <bool kGood>
void flag_for_clock() {
    Array<int> flag(1, 0), out(128, 0);
    busy<kGood><<<1, 128>>>(flag, out);
    out.print();
}

__device__ long long deadline_of(long long cycles) { return clock64() + cycles; }
// The first thread polls with a deadline and tells the others.
template <bool kGood>
__global__ void poll_with_deadline(int* flag, int* out) {
    __shared__ int state;
    const long long end = deadline_of(100'000'000'000);
    for (;;) {
        if (threadIdx.x == 0) state = kGood && clock64() > end ? 2 : atomicAdd(flag, 0);
        __syncthreads();
        const int seen = state;
        __syncthreads();  // deadline_of_one: deadlock
        if (seen != 0) break;
    }
    out[threadIdx.x] = state;
}
template <bool kGood>
void deadline_of_one() {
    Array<int> flag(1, 0), out(128, 0);
    poll_with_deadline<kGood><<<1, 128>>>(flag, out);
    out.print();
}

// Each block waits for the one after it, in a loop with a barrier; too many blocks wait for each other.
template <bool kGood>
__global__ void chain(volatile int* flags) {
    const int b = blockIdx.x;
    if (b + 1 < gridDim.x) {
        int ready;
        do {
            ready = flags[b + 1];
            __syncthreads();
        } while (!__syncthreads_and(ready));  // next_block_by_barrier: deadlock
        __threadfence();
    }
    if (threadIdx.x == 0) flags[b] = 1;
}
template <bool kGood>
void next_block_by_barrier() {
    const int blocks = kGood ? 8 : 2000;
    Array<int> flags(blocks, 0);
    chain<kGood><<<blocks, 64>>>(flags);
    flags.print();
}

// The same, but one thread looks, and writes what it has seen each time.
template <bool kGood>
__global__ void chain_by_one(int* flags) {
    __shared__ int ready;
    const int b = blockIdx.x;
    if (b + 1 < gridDim.x) {
        for (;;) {
            if (threadIdx.x == 0) ready = atomicAdd(&flags[b + 1], 0);
            __syncthreads();
            if (ready != 0) break;
            __syncthreads();  // next_block_by_one: deadlock
        }
        __threadfence();
    }
    __syncthreads();
    if (threadIdx.x == 0 && (kGood || b != 5)) atomicExch(&flags[b], 1);
}
template <bool kGood>
void next_block_by_one() {
    Array<int> flags(30, 0);
    chain_by_one<kGood><<<30, 96>>>(flags);
    flags.print();
}

// A ring: each block waits for the next one, the last one for the first.
template <bool kGood>
__global__ void chain_of_pairs(int* flags, int* data, int* out) {
    cuda::atomic_ref<int, cuda::thread_scope_device> next(flags[(blockIdx.x + 1) % gridDim.x]), own(flags[blockIdx.x]);
    data[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) own.store(1, kGood ? cuda::memory_order_release : cuda::memory_order_relaxed);
    while (!__syncthreads_or(next.load(cuda::memory_order_acquire))) {
    }
    const int other = (blockIdx.x + 1) % gridDim.x;
    out[blockIdx.x * blockDim.x + threadIdx.x] = data[other * blockDim.x + threadIdx.x];  // relaxed_in_ring: race
}
template <bool kGood>
void relaxed_in_ring() {
    Array<int> flags(12, 0), data(12 * 64, 0), out(12 * 64, 0);
    chain_of_pairs<kGood><<<12, 64>>>(flags, data, out);
    out.print();
}

// Gives up after so many tries; or counts them only.
template <bool kGood>
__global__ void give_up(const int* flag, int* out) {
    const volatile int* is_set = flag;
    int tries = 0;
    while (*is_set == 0 && (!kGood || tries < 600'000)) {
        __nanosleep(20);  // tries_without_limit: deadlock
        ++tries;
    }
    out[threadIdx.x] = tries;
}
template <bool kGood>
void tries_without_limit() {
    Array<int> flag(1, 0), out(128, 0);
    give_up<kGood><<<1, 128>>>(flag, out);
    out.print();
}

int main(int argc, char** argv) {
    return run({PAIR(semaphore_not_released), PAIR(no_time_limit), PAIR(flag_for_clock), PAIR(deadline_of_one),
                PAIR(next_block_by_barrier), PAIR(next_block_by_one), PAIR(relaxed_in_ring), PAIR(tries_without_limit)},
               argc, argv);
}
