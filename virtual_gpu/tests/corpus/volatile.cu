// Volatile shared memory taken for a barrier, as in code for GPUs whose warps ran in step.
#include "corpus.h"

// The last warp's part of a sum.
template <bool kGood>
__device__ void sum_of_warp(volatile int* s, int lane) {
    int sum = s[lane] + s[lane + 32];
    for (int d = 16; d > 0; d /= 2) {
        if (kGood) __syncwarp();
        s[lane] = sum;
        if (kGood) __syncwarp();
        sum += s[lane + d];  // volatile_last_warp: race
    }
    if (kGood) __syncwarp();
    s[lane] = sum;
}
template <bool kGood>
__global__ void sum_of_block(const int* in, int* out) {
    __shared__ int tile[64];
    tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 32) sum_of_warp<kGood>(tile, threadIdx.x);
    if (threadIdx.x == 0) *out = tile[0];
}
template <bool kGood>
void volatile_last_warp() {
    Array<int> in(numbers(64)), out(1, 0);
    sum_of_block<kGood><<<1, 64>>>(in, out);
    out.print();
}

// One warp fills a box, the other one waits for the flag; or does not.
template <bool kGood>
__global__ void hand_over(const int* in, int* out) {
    __shared__ volatile int box[32], is_full;
    const int lane = threadIdx.x % 32;
    if (threadIdx.x == 0) is_full = 0;
    __syncthreads();
    if (threadIdx.x < 32) {
        box[lane] = in[lane];
        __threadfence_block();
        __syncwarp();
        if (lane == 0) is_full = 1;
        return;
    }
    while (kGood && is_full == 0) {
    }
    __threadfence_block();
    out[lane] = box[31 - lane];  // volatile_box: race
}
template <bool kGood>
void volatile_box() {
    Array<int> in(numbers(32)), out(32, 0);
    hand_over<kGood><<<1, 64>>>(in, out);
    out.print();
}

int main(int argc, char** argv) { return run({PAIR(volatile_last_warp), PAIR(volatile_box)}, argc, argv); }
