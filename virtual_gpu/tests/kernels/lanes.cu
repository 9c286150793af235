// Lanes of a warp that meet, or do not, at *_sync operations; loads that nvcc moves in front of their condition.

__device__ int calls, limit = 100;

extern "C" __global__ void right_shuffles_on_both_sides(const int* in, int* out) {
    int x = in[threadIdx.x];
    if (threadIdx.x % 3 == 0)
        x = __shfl_xor_sync(~0u, x, 1) + 1000;
    else
        x = __shfl_xor_sync(~0u, x, 1) + 2000;
    out[threadIdx.x] = x;
}

extern "C" __global__ void right_votes_on_both_sides(const int* in, int* out) {
    unsigned votes;
    switch (in[threadIdx.x] % 3) {
        case 0:
            votes = __ballot_sync(~0u, 1);
            break;
        case 1:
            votes = __ballot_sync(~0u, 0);
            break;
        default:
            votes = __ballot_sync(~0u, threadIdx.x > 15);
    }
    out[threadIdx.x] = static_cast<int>(votes);
}

extern "C" __global__ void right_matches_on_both_sides(const long long* in, int* out) {
    const long long x = in[threadIdx.x] / 4;
    if (threadIdx.x < 7)
        out[threadIdx.x] = static_cast<int>(__match_any_sync(~0u, x));
    else
        out[threadIdx.x] = static_cast<int>(__match_any_sync(~0u, x)) ^ 1;
}

// Halves of the warp, each with a mask of its own.
extern "C" __global__ void right_halves(const int* in, int* out) {
    const int lane = threadIdx.x % 32, x = in[threadIdx.x];
    const unsigned half = lane < 16 ? 0xffffu : 0xffff0000u;
    if (lane % 2 == 0)
        out[threadIdx.x] = __reduce_add_sync(half, x);
    else
        out[threadIdx.x] = __reduce_add_sync(half, x) + 100000;
}

__device__ __noinline__ int sum_of_warp(int x) {
    for (int d = 16; d > 0; d /= 2) x += __shfl_xor_sync(~0u, x, d);
    return x;
}
extern "C" __global__ void right_calls_on_both_sides(const int* in, int* out) {
    int x = in[threadIdx.x];
    if (threadIdx.x & 4)
        x = sum_of_warp(x) + 1;
    else
        x = sum_of_warp(x * 2);
    out[threadIdx.x] = x;
}

extern "C" __global__ void loop_left_early(const int* in, int* out) {
    const int odd = threadIdx.x & 1;
    int x = in[threadIdx.x];
    for (int k = 0; k <= odd; ++k) x += __shfl_xor_sync(~0u, x, 1);  // loop_left_early_in
    for (int k = odd; k < 2; ++k) x += __shfl_xor_sync(~0u, x, 1);   // loop_left_early_behind
    out[threadIdx.x] = x;
}

__device__ __forceinline__ int inlined_sum(int x) {
    for (int d = 16; d > 0; d /= 2) x += __shfl_xor_sync(~0u, x, d);
    return x;
}
extern "C" __global__ void inlined_on_both_sides(const int* in, int* out) {
    if (in[threadIdx.x] & 4)
        out[threadIdx.x] = inlined_sum(1);  // inlined_on_both_sides
    else
        out[threadIdx.x] = inlined_sum(in[threadIdx.x]) + 7;
}

extern "C" __global__ void sides_of_their_own(const int* in, int* out) {
    int x = in[threadIdx.x];
    if (threadIdx.x < 16)
        x = __shfl_xor_sync(~0u, x, 5) + 1000;
    else
        x = __shfl_xor_sync(~0u, x, 5) + 2000;
    out[threadIdx.x] = x;
}

extern "C" __global__ void unrolled_shuffles(const int* in, int* out) {
    int x = in[threadIdx.x];
#pragma unroll
    for (int k = 0; k < 4; ++k)
        if (k > 0 || (threadIdx.x & 1) == 0 || in[k] > 0) x = min(x, __shfl_xor_sync(~0u, x, 1 << k));
    if (threadIdx.x & 1) x = min(x, __shfl_xor_sync(~0u, x, 16));
    out[threadIdx.x] = x;
}

// Lanes that have left need not vote.
extern "C" __global__ void right_some_have_left(const int* in, int* out) {
    if (threadIdx.x >= 20) return;
    unsigned votes;
    if (in[threadIdx.x] % 2)
        votes = __ballot_sync(~0u, 1);
    else
        votes = __ballot_sync(~0u, 0);
    out[threadIdx.x] = static_cast<int>(votes);
}

// What the other side gives was never written.
extern "C" __global__ void wrong_undefined_from_the_other_side(const int* in, int* out) {
    __shared__ int s[32];
    if (threadIdx.x < 16) s[threadIdx.x] = in[threadIdx.x];
    __syncwarp();
    int x;
    if (threadIdx.x < 16)
        x = __shfl_xor_sync(~0u, s[threadIdx.x], 16);
    else
        x = __shfl_xor_sync(~0u, s[threadIdx.x], 16);  // source
    out[threadIdx.x] = x > 3 ? 5 : in[x & 1];          // decides
}

extern "C" __global__ void wrong_two_operations(const int* in, int* out) {
    int x = in[threadIdx.x];
    if (threadIdx.x < 16)
        x = __shfl_down_sync(~0u, x, 1);  // wrong_two_operations
    else
        x = __shfl_up_sync(~0u, x, 1);
    out[threadIdx.x] = x;
}

extern "C" __global__ void wrong_two_masks(const int* in, int* out) {
    int x = in[threadIdx.x];
    if (threadIdx.x < 16)
        x = __shfl_xor_sync(0x3ffffu, x, 1);  // wrong_two_masks
    else
        x = __shfl_xor_sync(~0u, x, 1);
    out[threadIdx.x] = x;
}

extern "C" __global__ void wrong_vote_and_barrier(const int* in, int* out) {
    int x = in[threadIdx.x];
    if (threadIdx.x < 16) x = __any_sync(~0u, x > 3);  // wrong_vote_and_barrier
    __syncthreads();
    out[threadIdx.x] = x;
}

// ---- Loads in front of their condition ----

// All threads load `calls`; only one uses it.
extern "C" __global__ void right_counter_of_one(int* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0 && calls < 1000) out[0] = 1;
    if (i == 0) ++calls;
}

extern "C" __global__ void wrong_counter_of_many(int* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0 && calls < 1000) out[blockIdx.x] = 1;  // wrong_counter_of_many
    if (i == 0) ++calls;
}

extern "C" __global__ void right_or(int* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i != 3 || limit < 7) out[i] = 1;
    if (i == 3) limit = 8;
}

extern "C" __global__ void wrong_or(int* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 3 || limit < 7) out[i] = 1;  // wrong_or
    if (i == 3) limit = 8;
}

extern "C" __global__ void right_shared_choice(const int* in, int* out) {
    __shared__ int first;
    if (threadIdx.x == 0) first = in[0];
    out[threadIdx.x] = threadIdx.x == 0 ? first : 7;
}

extern "C" __global__ void wrong_shared_choice(const int* in, int* out) {
    __shared__ int first;
    if (threadIdx.x == 0) first = in[0];
    out[threadIdx.x] = threadIdx.x % 33 == 0 ? first : 7;  // wrong_shared_choice
}

// ---- A read of shared memory, a shuffle, then a write by another lane ----

extern "C" __global__ void shuffle_before_write(const int* in, int* out) {
    __shared__ int box[32];
    box[threadIdx.x] = in[threadIdx.x];
    __syncwarp();
    int neighbour = box[threadIdx.x ^ 1];  // shuffle_before_write_reader
    int sum = __shfl_xor_sync(~0u, in[threadIdx.x], 1);
    box[threadIdx.x] = sum;  // shuffle_before_write_writer
    __syncwarp();
    out[threadIdx.x] = neighbour + box[threadIdx.x ^ 2];
}

// The same in global memory, in place.
extern "C" __global__ void shuffle_before_global_write(int* in, int* out) {
    int neighbour = in[threadIdx.x ^ 1];  // shuffle_before_global_write_reader
    int sum = __shfl_xor_sync(~0u, neighbour, 1);
    in[threadIdx.x] = sum;  // shuffle_before_global_write_writer
    out[threadIdx.x] = neighbour;
}

// The halves of a warp are two groups.
extern "C" __global__ void syncwarp_of_halves(const int* in, int* out) {
    __shared__ int box[32];
    unsigned half = threadIdx.x < 16 ? 0xffffu : 0xffff0000u;
    box[threadIdx.x] = in[threadIdx.x];
    __syncwarp(half);
    out[threadIdx.x] = box[threadIdx.x ^ 1];
}

extern "C" __global__ void wrong_group_of_syncwarp(const int* in, int* out) {
    __shared__ int box[32];
    unsigned half = threadIdx.x < 16 ? 0xffffu : 0xffff0000u;
    box[threadIdx.x] = in[threadIdx.x];
    __syncwarp(half);
    out[threadIdx.x] = box[threadIdx.x ^ 16];  // wrong_group_of_syncwarp
}

extern "C" __global__ void wrong_masks_of_syncwarp(const int* in, int* out) {
    __shared__ int box[32];
    box[threadIdx.x] = in[threadIdx.x];
    if (threadIdx.x < 16)
        __syncwarp(0x3ffffu);  // wrong_masks_of_syncwarp
    else
        __syncwarp(~0u);
    out[threadIdx.x] = box[threadIdx.x ^ 1];
}

extern "C" __global__ void wrong_masks_of_one_syncwarp(const int* in, int* out) {
    __shared__ int box[32];
    box[threadIdx.x] = in[threadIdx.x];
    __syncwarp(threadIdx.x < 16 ? 0x3ffffu : ~0u);  // wrong_masks_of_one_syncwarp
    out[threadIdx.x] = box[threadIdx.x ^ 1];
}

// Lanes of the lower half shuffle among themselves, and one of the upper half writes.
extern "C" __global__ void wrong_shuffle_of_others(const int* in, int* out) {
    __shared__ int box[32];
    box[threadIdx.x] = in[threadIdx.x];
    __syncwarp();
    int neighbour = box[(threadIdx.x + 16) % 32];  // wrong_shuffle_of_others
    unsigned half = threadIdx.x < 16 ? 0xffffu : 0xffff0000u;
    int sum = __shfl_xor_sync(half, in[threadIdx.x], 1);
    box[threadIdx.x] = sum;
    out[threadIdx.x] = neighbour;
}

extern "C" __global__ void wrong_shuffle_after_write(const int* in, int* out) {
    __shared__ int box[32];
    box[threadIdx.x] = in[threadIdx.x];
    int sum = __shfl_xor_sync(~0u, in[threadIdx.x], 1);
    out[threadIdx.x] = sum + box[threadIdx.x ^ 1];  // wrong_shuffle_after_write
}
