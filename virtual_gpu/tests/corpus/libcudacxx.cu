// Latches, semaphores, barriers and notifications of libcu++.
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/semaphore>

#include "corpus.h"

#pragma nv_diag_suppress static_var_with_dynamic_init

using Semaphore = cuda::counting_semaphore<cuda::thread_scope_block>;

// A latch counts the warps that have filled their part.
template <bool kGood>
__global__ void filled(const int* in, int* out) {
    using Latch = cuda::latch<cuda::thread_scope_block>;
    __shared__ alignas(Latch) char room[sizeof(Latch)];
    Latch& done = *reinterpret_cast<Latch*>(room);
    __shared__ int tile[128];
    if (threadIdx.x == 0) new (&done) Latch(kGood ? 128 : 129);
    __syncthreads();
    tile[threadIdx.x] = in[threadIdx.x];
    done.arrive_and_wait();  // latch_too_large: deadlock
    out[threadIdx.x] = tile[127 - threadIdx.x];
}
template <bool kGood>
void latch_too_large() {
    Array<int> in(numbers(128)), out(128, 0);
    filled<kGood><<<1, 128>>>(in, out);
    out.print();
}
template <bool kGood>
__global__ void counted_down(const int* in, int* out) {
    using Latch = cuda::latch<cuda::thread_scope_block>;
    __shared__ alignas(Latch) char room[sizeof(Latch)];
    Latch& done = *reinterpret_cast<Latch*>(room);
    __shared__ int tile[128];
    if (threadIdx.x == 0) new (&done) Latch(128);
    __syncthreads();
    if (kGood) tile[threadIdx.x] = in[threadIdx.x];
    done.count_down();
    if (!kGood) tile[threadIdx.x] = in[threadIdx.x];
    done.wait();
    out[threadIdx.x] = tile[127 - threadIdx.x];  // counted_down_early: race
}
template <bool kGood>
void counted_down_early() {
    Array<int> in(numbers(128)), out(128, 0);
    counted_down<kGood><<<1, 128>>>(in, out);
    out.print();
}

// A ring of four places between two warps.
template <bool kGood>
__global__ void ring(const int* in, int* out, int n) {
    __shared__ Semaphore empty, full;
    __shared__ int place[4];
    if (threadIdx.x == 0) new (&empty) Semaphore(kGood ? 4 : 5), new (&full) Semaphore(0);
    __syncthreads();
    if (threadIdx.x == 0)
        for (int i = 0; i < n; ++i) {
            empty.acquire();
            place[i % 4] = in[i];
            full.release();
        }
    if (threadIdx.x == 32)
        for (int i = 0; i < n; ++i) {
            full.acquire();
            out[i] = place[i % 4];  // ring_too_full: race
            empty.release();
        }
}
template <bool kGood>
void ring_too_full() {
    Array<int> in(numbers(64)), out(64, 0);
    ring<kGood><<<1, 64>>>(in, out, 64);
    out.print();
}

// A semaphore of three places guards three buffers; or one buffer.
template <bool kGood>
__global__ void at_most(int* in, int* out) {
    __shared__ cuda::binary_semaphore<cuda::thread_scope_block> one;
    __shared__ int total;
    if (threadIdx.x == 0) new (&one) cuda::binary_semaphore<cuda::thread_scope_block>(1), total = 0;
    __syncthreads();
    for (int turn = 0; turn < 32; ++turn) {
        if (threadIdx.x % 32 == turn) {
            if (kGood) one.acquire();
            total += in[threadIdx.x];  // not_acquired: race
            if (kGood) one.release();
        }
        __syncwarp();
    }
    __syncthreads();
    if (threadIdx.x == 0) *out = total;
}
template <bool kGood>
void not_acquired() {
    Array<int> in(numbers(96)), out(1, 0);
    at_most<kGood><<<1, 96>>>(in, out);
    out.print();
}

// wait() and notify() of an atomic.
template <bool kGood>
__global__ void notified(const int* in, int* out, int* flag, int* data) {
    cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
    if (blockIdx.x == 0) {
        data[threadIdx.x] = in[threadIdx.x];
        __syncthreads();
        if (threadIdx.x == 0) {
            ready.store(1, kGood ? cuda::memory_order_release : cuda::memory_order_relaxed);
            ready.notify_all();
        }
        return;
    }
    ready.wait(0, cuda::memory_order_acquire);
    out[(blockIdx.x - 1) * blockDim.x + threadIdx.x] = data[threadIdx.x];  // notified_relaxed: race
}
template <bool kGood>
void notified_relaxed() {
    Array<int> in(numbers(64)), out(3 * 64, 0), flag(1, 0), data(64, 0);
    notified<kGood><<<4, 64>>>(in, out, flag, data);
    out.print();
}
template <bool kGood>
__global__ void turns(int* turn, int* log) {
    cuda::atomic_ref<int, cuda::thread_scope_device> now(*turn);
    if (threadIdx.x != 0) return;
    const int own = static_cast<int>(blockIdx.x);
    for (int seen = now.load(); seen != own; seen = now.load()) now.wait(seen);  // turn_passed_over: deadlock
    log[blockIdx.x] = blockIdx.x;
    now.fetch_add(kGood ? 1 : 2);
    now.notify_all();
}
template <bool kGood>
void turn_passed_over() {
    Array<int> turn(1, 0), log(6, 0);
    turns<kGood><<<6, 32>>>(turn, log);
    log.print();
}

// A barrier that counts warps, reused, and one thread that drops out.
template <bool kGood>
__global__ void dropped(int* out) {
    using Barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ Barrier all;
    __shared__ int tile[64];
    if (threadIdx.x == 0) init(&all, blockDim.x);
    __syncthreads();
    for (int round = 0; round < 4; ++round) {
        if (threadIdx.x == 63 && round == 2) {
            if (kGood) all.arrive_and_drop();
            return;
        }
        tile[threadIdx.x] = round;
        all.arrive_and_wait();
        if (threadIdx.x < 62) out[threadIdx.x] += tile[threadIdx.x + 1];
        all.arrive_and_wait();  // left_without_drop: deadlock
    }
}
template <bool kGood>
void left_without_drop() {
    Array<int> out(64, 0);
    dropped<kGood><<<1, 64>>>(out);
    out.print();
}

int main(int argc, char** argv) {
    return run({PAIR(latch_too_large), PAIR(counted_down_early), PAIR(ring_too_full), PAIR(not_acquired),
                PAIR(notified_relaxed), PAIR(turn_passed_over), PAIR(left_without_drop)},
               argc, argv);
}
