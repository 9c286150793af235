// Copies that run beside the work: pipelines of a block and of a thread, roles, groups of copies, barriers.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>

#include <cuda/barrier>
#include <cuda/pipeline>

#include "corpus.h"

namespace cg = cooperative_groups;
#pragma nv_diag_suppress static_var_with_dynamic_init

constexpr int kThreads = 128, kTiles = 6;

__device__ int sum_of(const int* tile) {
    int sum = 0;
    for (int i = 0; i < kThreads; ++i) sum += tile[i];
    return sum;
}

// All threads copy and all use: a pipeline of the whole block.
template <bool kGood, int kStages>
__global__ void stages_of_block(const int* in, int* out) {
    const auto block = cg::this_thread_block();
    __shared__ int tile[kStages][kThreads];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
    auto pipe = cuda::make_pipeline(block, &state);
    for (int use = 0, fill = 0; use < kTiles; ++use) {
        for (; fill < kTiles && fill < use + kStages; ++fill) {
            pipe.producer_acquire();
            const int* from = in + fill * kThreads;
            cuda::memcpy_async(block, tile[fill % kStages], from, sizeof tile[0], pipe);  // stage_not_awaited: race
            pipe.producer_commit();
        }
        if (kGood) pipe.consumer_wait();
        out[use * kThreads + threadIdx.x] = sum_of(tile[use % kStages]);
        if (!kGood) pipe.consumer_wait();
        pipe.consumer_release();
    }
}
template <bool kGood>
void stage_not_awaited() {
    Array<int> in(numbers(kTiles * kThreads)), out(kTiles * kThreads, 0);
    stages_of_block<kGood, 2><<<1, kThreads>>>(in, out);
    out.print();
}

template <bool kGood, int kStages>
__global__ void stages_released(const int* in, int* out) {
    const auto block = cg::this_thread_block();
    extern __shared__ int tile[];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
    auto pipe = cuda::make_pipeline(block, &state);
    for (int use = 0, fill = 0; use < kTiles; ++use) {
        for (; fill < kTiles && fill < use + kStages; ++fill) {
            pipe.producer_acquire();
            int* to = tile + fill % kStages * kThreads;
            cuda::memcpy_async(to + threadIdx.x, in + fill * kThreads + threadIdx.x, sizeof(int), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        if (!kGood) pipe.consumer_release();
        const int mine = tile[use % kStages * kThreads + kThreads - 1 - threadIdx.x];  // stage_released_early: race
        out[use * kThreads + threadIdx.x] = mine;
        if (kGood) pipe.consumer_release();
    }
}
template <bool kGood>
void stage_released_early() {
    Array<int> in(numbers(kTiles * kThreads)), out(kTiles * kThreads, 0);
    stages_released<kGood, 3><<<1, kThreads, 3 * kThreads * sizeof(int)>>>(in, out);
    out.print();
}

// The first warp copies, the others use.
template <bool kGood>
__global__ void roles(const int* in, int* out) {
    const auto block = cg::this_thread_block();
    __shared__ int tile[2][kThreads];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    const auto role = threadIdx.x < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
    auto pipe = cuda::make_pipeline(block, &state, role);
    if (role == cuda::pipeline_role::producer) {
        for (int fill = 0; fill < kTiles; ++fill) {
            pipe.producer_acquire();
            for (int i = threadIdx.x; i < kThreads; i += 32)
                cuda::memcpy_async(&tile[fill % 2][i], in + fill * kThreads + i, sizeof(int), pipe);
            pipe.producer_commit();
        }
    } else {
        for (int use = 0; use < kTiles; ++use) {
            pipe.consumer_wait();
            if (!kGood) pipe.consumer_release();
            out[use * kThreads + threadIdx.x] =
                tile[use % 2][kThreads - 1 - threadIdx.x];  // consumers_release_early: race
            if (kGood) pipe.consumer_release();
        }
    }
}
template <bool kGood>
void consumers_release_early() {
    Array<int> in(numbers(kTiles * kThreads)), out(kTiles * kThreads, 0);
    roles<kGood><<<1, kThreads>>>(in, out);
    out.print();
}

// A number of producers instead of roles: every second thread.
template <bool kGood>
__global__ void every_second(const int* in, int* out) {
    const auto block = cg::this_thread_block();
    __shared__ int tile[kThreads];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> state;
    const auto role = threadIdx.x % 2 == 0 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
    auto pipe = cuda::make_pipeline(block, &state, role);
    for (int n = 0; n < kTiles; ++n) {
        if (role == cuda::pipeline_role::producer) {
            if (kGood) pipe.producer_acquire();
            cuda::memcpy_async(&tile[threadIdx.x], in + n * kThreads + threadIdx.x, 2 * sizeof(int), pipe);
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            out[n * kThreads + threadIdx.x] =
                tile[threadIdx.x] - tile[kThreads - 1 - threadIdx.x];  // producers_do_not_wait: race
            pipe.consumer_release();
        }
    }
}
template <bool kGood>
void producers_do_not_wait() {
    Array<int> in(numbers(kTiles * kThreads)), out(kTiles * kThreads, 0);
    every_second<kGood><<<1, kThreads>>>(in, out);
    out.print();
}

// Each thread has a pipeline of its own; a barrier tells the others.
template <bool kGood>
__global__ void pipeline_of_thread(const int* in, int* out) {
    __shared__ int tile[2][kThreads];
    auto pipe = cuda::make_pipeline();
    for (int use = 0, fill = 0; use < kTiles; ++use) {
        for (; fill < kTiles && fill < use + 2; ++fill) {
            pipe.producer_acquire();
            cuda::memcpy_async(&tile[fill % 2][threadIdx.x], in + fill * kThreads + threadIdx.x, sizeof(int), pipe);
            pipe.producer_commit();
        }
        cuda::pipeline_consumer_wait_prior<1>(pipe);
        if (use == kTiles - 1) pipe.consumer_wait();
        if (kGood) __syncthreads();
        out[use * kThreads + threadIdx.x] = tile[use % 2][kThreads - 1 - threadIdx.x];  // own_pipeline_no_barrier: race
        __syncthreads();
        pipe.consumer_release();
    }
}
template <bool kGood>
void own_pipeline_no_barrier() {
    Array<int> in(numbers(kTiles * kThreads)), out(kTiles * kThreads, 0);
    pipeline_of_thread<kGood><<<1, kThreads>>>(in, out);
    out.print();
}

// Cooperative groups: the copy of the next tile runs while this one is used.
template <bool kGood>
__global__ void wait_prior(const int* in, int* out) {
    const auto block = cg::this_thread_block();
    __shared__ int tile[2][kThreads];
    cg::memcpy_async(block, tile[0], in, sizeof(int) * kThreads);
    for (int use = 0; use < kTiles; ++use) {
        const int next = use + 1;
        const int* from = in + next * kThreads;
        if (next < kTiles) {
            cg::memcpy_async(block, tile[next % 2], from, sizeof tile[0]);  // last_copy_not_awaited: race
        }
        if (use + 1 < kTiles || !kGood)
            cg::wait_prior<1>(block);
        else
            cg::wait(block);
        out[use * kThreads + threadIdx.x] = sum_of(tile[use % 2]);
        block.sync();
    }
}
template <bool kGood>
void last_copy_not_awaited() {
    Array<int> in(numbers(kTiles * kThreads)), out(kTiles * kThreads, 0);
    wait_prior<kGood><<<1, kThreads>>>(in, out);
    out.print();
}

// The primitives of C, with three stages.
template <bool kGood>
__global__ void groups(const int4* in, int* out) {
    __shared__ int4 tile[3][kThreads];
    const auto fetch = [&](int n) {
        const int4* from = in + n * kThreads + threadIdx.x;
        if (n < kTiles) __pipeline_memcpy_async(&tile[n % 3][threadIdx.x], from, sizeof(int4));
        __pipeline_commit();
    };
    fetch(0);
    fetch(1);
    for (int use = 0; use < kTiles; ++use) {
        fetch(use + 2);
        __pipeline_wait_prior(2);
        __syncthreads();
        const int4 one = tile[use % 3][kThreads - 1 - threadIdx.x];  // stage_filled_again: race
        out[use * kThreads + threadIdx.x] = one.x + one.y + one.z + one.w;
        if (kGood) __syncthreads();
    }
}
template <bool kGood>
void stage_filled_again() {
    Array<int> in(numbers(4 * kTiles * kThreads)), out(kTiles * kThreads, 0);
    groups<kGood><<<1, kThreads>>>(reinterpret_cast<const int4*>(static_cast<int*>(in)), out);
    out.print();
}

// Copies that report to a barrier.
template <bool kGood>
__global__ void copies_of_barrier(const int* in, int* out) {
    const auto block = cg::this_thread_block();
    __shared__ int tile[kThreads];
    __shared__ cuda::barrier<cuda::thread_scope_block> full;
    if (threadIdx.x == 0) init(&full, blockDim.x);
    __syncthreads();
    for (int n = 0; n < kTiles; ++n) {
        cuda::memcpy_async(block, tile, in + n * kThreads, sizeof tile, full);  // copies_by_barrier_only: race
        auto token = full.arrive();
        if (kGood) full.wait(std::move(token));
        __syncthreads();
        out[n * kThreads + threadIdx.x] = sum_of(tile);
        if (!kGood) full.wait(std::move(token));
        __syncthreads();
    }
}
template <bool kGood>
void copies_by_barrier_only() {
    Array<int> in(numbers(kTiles * kThreads)), out(kTiles * kThreads, 0);
    copies_of_barrier<kGood><<<1, kThreads>>>(in, out);
    out.print();
}

// Two barriers for each of two buffers: it is full, it is free.
template <bool kGood>
__global__ void full_and_free(const int* in, int* out) {
    using Barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ int tile[2][64];
    __shared__ Barrier full[2], free_[2];
    if (threadIdx.x < 2) init(&full[threadIdx.x], 128), init(&free_[threadIdx.x], 128);
    __syncthreads();
    const int lane = threadIdx.x % 64;
    if (threadIdx.x < 64) {
        for (int n = 0; n < kTiles; ++n) {
            if (kGood || n < 2) free_[n % 2].arrive_and_wait();
            tile[n % 2][lane] = in[n * 64 + lane];
            (void)full[n % 2].arrive();
        }
    } else {
        (void)free_[0].arrive();
        (void)free_[1].arrive();
        for (int n = 0; n < kTiles; ++n) {
            full[n % 2].arrive_and_wait();
            out[n * 64 + lane] = tile[n % 2][63 - lane];  // buffer_not_free: race
            if (n + 2 < kTiles && kGood) (void)free_[n % 2].arrive();
        }
    }
}
template <bool kGood>
void buffer_not_free() {
    Array<int> in(numbers(kTiles * 64)), out(kTiles * 64, 0);
    full_and_free<kGood><<<1, 128>>>(in, out);
    out.print();
}

int main(int argc, char** argv) {
    return run({PAIR(stage_not_awaited), PAIR(stage_released_early), PAIR(consumers_release_early),
                PAIR(producers_do_not_wait), PAIR(own_pipeline_no_barrier), PAIR(last_copy_not_awaited),
                PAIR(stage_filled_again), PAIR(copies_by_barrier_only), PAIR(buffer_not_free)},
               argc, argv);
}
