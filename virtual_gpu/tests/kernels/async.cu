// Copies by cp.async, waited for in time (right_...) and too late (wrong_...); and barriers that are objects
// (mbarrier).
#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline.h>

constexpr int kThreads = 64;

// Adds up n tiles of 64, each read in reverse: `kStages` tiles are on their way, `kPrior` of them may be at the wait.
template <int kStages, int kPrior>
__device__ void add_tiles(const int* in, int* out, int n) {
    __shared__ int s[kStages][kThreads];
    const int t = threadIdx.x;
    int sum = 0;
    for (int i = 0; i < kStages - 1; ++i) {
        if (i < n) __pipeline_memcpy_async(&s[i][t], &in[i * kThreads + t], 4);  // a first copy
        __pipeline_commit();
    }
    for (int i = 0; i < n; ++i) {
        const int ahead = i + kStages - 1;
        if (ahead < n) __pipeline_memcpy_async(&s[ahead % kStages][t], &in[ahead * kThreads + t], 4);  // the copy
        __pipeline_commit();
        __pipeline_wait_prior(kPrior);
        __syncthreads();
        sum += s[i % kStages][kThreads - 1 - t];  // the read
        __syncthreads();
    }
    out[t] = sum;
}
extern "C" __global__ void right_two_stages(const int* in, int* out) { add_tiles<2, 1>(in, out, 8); }
extern "C" __global__ void right_four_stages(const int* in, int* out) { add_tiles<4, 3>(in, out, 8); }
extern "C" __global__ void right_waits_for_all(const int* in, int* out) { add_tiles<3, 0>(in, out, 8); }
extern "C" __global__ void wrong_one_too_many(const int* in, int* out) { add_tiles<3, 3>(in, out, 8); }

// A thread may use what it has copied itself after its own wait.
template <bool kWaits>
__device__ void own(const int* in, int* out) {
    __shared__ int s[kThreads];
    const int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &in[t], 4);
    __pipeline_commit();
    if (kWaits) __pipeline_wait_prior(0);
    out[t] = s[t];
    __pipeline_wait_prior(0);
}
extern "C" __global__ void right_own(const int* in, int* out) { own<true>(in, out); }
extern "C" __global__ void wrong_own(const int* in, int* out) { own<false>(in, out); }

// The wait alone does not tell the other threads, nor does the barrier before it.
extern "C" __global__ void wrong_barrier_before_wait(const int* in, int* out) {
    __shared__ int s[kThreads];
    const int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &in[t], 4);
    __pipeline_commit();
    __syncthreads();
    __pipeline_wait_prior(0);
    out[t] = s[kThreads - 1 - t];
}

// What a copy reads is accessed by its own line, whatever its size: the second warp writes it at the same time.
template <int kBytes>
__device__ void copy_of_what_is_written(int* in, int* out) {
    __shared__ int4 s[32];
    const int t = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        __pipeline_memcpy_async(&s[t], reinterpret_cast<char*>(in) + kBytes * t, kBytes);  // the racing copy
        __pipeline_commit();
        __pipeline_wait_prior(0);
        out[t] = s[t].x;
    } else {
        in[kBytes / 4 * t] = t;  // the racing write
    }
}
extern "C" __global__ void race_of_4(int* in, int* out) { copy_of_what_is_written<4>(in, out); }
extern "C" __global__ void race_of_8(int* in, int* out) { copy_of_what_is_written<8>(in, out); }
extern "C" __global__ void race_of_16(int* in, int* out) { copy_of_what_is_written<16>(in, out); }

// Atomics and strong loads of 128 bits do not race, nor do their halves.
extern "C" __global__ void right_wide_words(int* in, int* out) {
    long long low, high;
    asm volatile(
        "{ .reg .b128 old, mine; mov.b128 mine, {%2, %2}; atom.relaxed.gpu.global.exch.b128 old, [%3], mine;"
        "  ld.relaxed.gpu.global.b128 old, [%3]; mov.b128 {%0, %1}, old; }"
        : "=l"(low), "=l"(high)
        : "l"(static_cast<long long>(threadIdx.x)), "l"(in)
        : "memory");
    out[threadIdx.x] = low == high;
}

// ---- mbarrier ----

// The first warp writes tiles, the second one adds them up, back to front. `kArrivals`: those that `full` waits for.
template <bool kWaits, unsigned kArrivals>
__device__ void hand_over(const int* in, int* out) {
    __shared__ __mbarrier_t full, empty;
    __shared__ int tile[32];
    const int t = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        __mbarrier_init(&full, kArrivals);
        __mbarrier_init(&empty, 32);
    }
    __syncthreads();
    int sum = 0;
    for (unsigned k = 0; k < 8; ++k) {
        if (threadIdx.x < 32) {
            while (k > 0 && !__mbarrier_test_wait_parity(&empty, (k - 1) & 1)) {
            }
            tile[t] = in[k * 32 + t];  // the writer
            __mbarrier_arrive(&full);
        } else {
            while (kWaits && !__mbarrier_test_wait_parity(&full, k & 1)) {  // the waiting one
            }
            sum += tile[31 - t];  // the reader
            __mbarrier_arrive(&empty);
        }
    }
    if (threadIdx.x >= 32) out[t] = sum;
}
extern "C" __global__ void right_mbarrier(const int* in, int* out) { hand_over<true, 32>(in, out); }
extern "C" __global__ void wrong_mbarrier(const int* in, int* out) { hand_over<false, 32>(in, out); }
extern "C" __global__ void wrong_count_of_mbarrier(const int* in, int* out) { hand_over<true, 33>(in, out); }
extern "C" __global__ void wrong_fresh_mbarrier(const int* in, int* out) {
    __shared__ __mbarrier_t b;
    __mbarrier_arrive(&b);  // no init
    out[threadIdx.x] = in[threadIdx.x];
}

// A token stands for its phase; and a thread that drops out is not waited for again.
extern "C" __global__ void right_tokens(const int* in, int* out) {
    __shared__ __mbarrier_t b;
    __shared__ int s[kThreads];
    const int t = threadIdx.x;
    if (t == 0) __mbarrier_init(&b, kThreads);
    __syncthreads();
    s[t] = in[t];
    const __mbarrier_token_t mine = __mbarrier_arrive(&b);
    while (!__mbarrier_test_wait(&b, mine)) {
    }
    out[t] = s[kThreads - 1 - t];
    if (t >= 32) {
        __mbarrier_arrive_and_drop(&b);
        return;
    }
    __mbarrier_token_t token = __mbarrier_arrive(&b);
    while (!__mbarrier_test_wait(&b, token)) {
    }
    s[t] = t;
    token = __mbarrier_arrive(&b);
    while (!__mbarrier_test_wait(&b, token)) {
    }
    out[t] += s[31 - t];
}

// Copies that report to a barrier: by cp.async and by cp.async.bulk. Every thread waits for it, or the first one and
// then a barrier tells the others, or no one does.
enum Waits { kAll, kFirst, kNobody };
__device__ void wait_for(__mbarrier_t* b, Waits who) {
    if (who == kAll || (who == kFirst && threadIdx.x == 0))
        while (!__mbarrier_test_wait_parity(b, 0)) {  // the wait
        }
    __syncthreads();
}
__device__ unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }
template <Waits kWho, bool kNoInc>
__device__ void copies_to_barrier(const int* in, int* out) {
    __shared__ __mbarrier_t b;
    __shared__ int s[kThreads];
    const int t = threadIdx.x;
    if (t == 0) __mbarrier_init(&b, kThreads);
    __syncthreads();
    __pipeline_memcpy_async(&s[t], &in[t], 4);  // copies_to_barrier
    if (kNoInc) {
        asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(&b)) : "memory");
    } else {
        asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(shared_address(&b)) : "memory");
        __mbarrier_arrive(&b);
    }
    wait_for(&b, kWho);
    out[t] = s[kThreads - 1 - t];  // use_of_copies
}
template <Waits kWho>
__device__ void bulk_to_barrier(const int* in, int* out) {
    __shared__ __mbarrier_t b;
    __shared__ alignas(16) int s[kThreads];
    const int t = threadIdx.x;
    if (t == 0) __mbarrier_init(&b, 1);
    __syncthreads();
    if (t == 0) {
        asm volatile("cp.async.bulk.prefetch.L2.global [%0], 256;" ::"l"(in + 8 * kThreads));  // past the end: a hint
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 256;" ::"r"(shared_address(&b)) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];"  // bulk
                     ::"r"(shared_address(s)),
                     "l"(in), "r"(shared_address(&b))
                     : "memory");
    }
    wait_for(&b, kWho);
    out[t] = s[kThreads - 1 - t];  // use_of_bulk
}
extern "C" __global__ void right_copies_all(const int* in, int* out) { copies_to_barrier<kAll, true>(in, out); }
extern "C" __global__ void right_copies_first(const int* in, int* out) { copies_to_barrier<kFirst, false>(in, out); }
extern "C" __global__ void wrong_copies_nobody(const int* in, int* out) { copies_to_barrier<kNobody, true>(in, out); }
extern "C" __global__ void wrong_copies_inc(const int* in, int* out) { copies_to_barrier<kNobody, false>(in, out); }
extern "C" __global__ void right_bulk_all(const int* in, int* out) { bulk_to_barrier<kAll>(in, out); }
extern "C" __global__ void right_bulk_first(const int* in, int* out) { bulk_to_barrier<kFirst>(in, out); }
extern "C" __global__ void wrong_bulk_nobody(const int* in, int* out) { bulk_to_barrier<kNobody>(in, out); }
