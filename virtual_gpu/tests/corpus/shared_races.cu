// Threads of a block that share an array without waiting for each other.
#include "corpus.h"

constexpr int kBlock = 128;

template <bool kGood>
__global__ void reverse(const int* in, int* out) {
    __shared__ int tile[kBlock];
    tile[threadIdx.x] = in[threadIdx.x];
    if (kGood) __syncthreads();
    out[threadIdx.x] = tile[kBlock - 1 - threadIdx.x];  // reverse_tile: race
}
template <bool kGood>
void reverse_tile() {
    Array<int> in(numbers(kBlock)), out(kBlock, 0);
    reverse<kGood><<<1, kBlock>>>(in, out);
    out.print();
}

template <bool kGood>
__global__ void tree(const int* in, int* out) {
    __shared__ int sums[kBlock];
    sums[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    for (int half = kBlock / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];  // reduce_no_barrier: race
        if (kGood) __syncthreads();
    }
    if (threadIdx.x == 0) *out = sums[0];
}
template <bool kGood>
void reduce_no_barrier() {
    Array<int> in(numbers(kBlock)), out(1, 0);
    tree<kGood><<<1, kBlock>>>(in, out);
    out.print();
}

// The last warp needs no barrier of the block, says an old tutorial.
template <bool kGood>
__global__ void tree_of_warp(const int* in, int* out) {
    __shared__ int sums[64];
    sums[threadIdx.x] = in[threadIdx.x];
    sums[threadIdx.x + 32] = in[threadIdx.x + 32];
    __syncwarp();
    for (int half = 32; half > 0; half /= 2) {
        const int other = threadIdx.x < half ? sums[threadIdx.x + half] : 0;
        if (kGood) __syncwarp();
        if (threadIdx.x < half) sums[threadIdx.x] += other;  // warp_synchronous: race
        if (kGood) __syncwarp();
    }
    if (threadIdx.x == 0) *out = sums[0];
}
template <bool kGood>
void warp_synchronous() {
    Array<int> in(numbers(64)), out(1, 0);
    tree_of_warp<kGood><<<1, 32>>>(in, out);
    out.print();
}

template <bool kGood>
__global__ void hillis_steele(const int* in, int* out) {
    __shared__ int scan[kBlock];
    const int t = threadIdx.x;
    scan[t] = in[t];
    __syncthreads();
    for (int step = 1; step < kBlock; step *= 2) {
        int sum = scan[t];
        if (t >= step) sum += scan[t - step];
        if (kGood) __syncthreads();
        scan[t] = sum;  // scan_in_place: race
        __syncthreads();
    }
    out[t] = scan[t];
}
template <bool kGood>
void scan_in_place() {
    Array<int> in(numbers(kBlock)), out(kBlock, 0);
    hillis_steele<kGood><<<1, kBlock>>>(in, out);
    out.print();
}

// C = A * B in tiles of 16 x 16.
template <bool kGood>
__global__ void multiply(const float* a, const float* b, float* c, int n) {
    __shared__ float tile_a[16][16], tile_b[16][16];
    const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
    float sum = 0;
    for (int tile = 0; tile < n / 16; ++tile) {
        tile_a[y][x] = a[row * n + tile * 16 + x];
        tile_b[y][x] = b[(tile * 16 + y) * n + column];  // matrix_second_barrier: race
        __syncthreads();
        for (int k = 0; k < 16; ++k) sum += tile_a[y][k] * tile_b[k][x];
        if (kGood) __syncthreads();
    }
    c[row * n + column] = sum;
}
template <bool kGood>
void matrix_second_barrier() {
    Array<float> a(64 * 64, 2.0f), b(64 * 64, 0.5f), c(64 * 64, 0.0f);
    multiply<kGood><<<dim3(4, 4), dim3(16, 16)>>>(a, b, c, 64);
    c.print();
}

template <bool kGood>
__global__ void count_digits(const int* in, int n, int* out) {
    __shared__ int bins[10];
    if (threadIdx.x < 10) bins[threadIdx.x] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        if (kGood)
            atomicAdd(&bins[in[i] % 10], 1);
        else
            bins[in[i] % 10]++;  // histogram_plain: race
    }
    __syncthreads();
    if (threadIdx.x < 10) out[threadIdx.x] = bins[threadIdx.x];
}
template <bool kGood>
void histogram_plain() {
    Array<int> in(numbers(1000)), out(10, 0);
    count_digits<kGood><<<1, kBlock>>>(in, 1000, out);
    out.print();
}

// Thread 0 chooses the pivot for all.
template <bool kGood>
__global__ void below_pivot(const int* in, int* out) {
    __shared__ int pivot;
    if (threadIdx.x == 0) pivot = (in[0] + in[blockDim.x / 2] + in[blockDim.x - 1]) / 3;
    if (kGood) __syncthreads();
    out[threadIdx.x] = in[threadIdx.x] < pivot;  // pivot_of_thread_0: race
}
template <bool kGood>
void pivot_of_thread_0() {
    Array<int> in(numbers(kBlock)), out(kBlock, 0);
    below_pivot<kGood><<<1, kBlock>>>(in, out);
    out.print();
}

// Sorts by exchanging neighbours until nothing moves.
template <bool kGood>
__global__ void odd_even(int* data, int n) {
    __shared__ int moved;
    const int t = threadIdx.x;
    do {
        if (kGood) __syncthreads();
        if (t == 0) moved = 0;  // flag_reset: race
        __syncthreads();
        for (int odd = 0; odd < 2; ++odd) {
            const int i = 2 * t + odd;
            if (i + 1 < n && data[i] > data[i + 1]) {
                const int swap = data[i];
                data[i] = data[i + 1];
                data[i + 1] = swap;
                moved = 1;
            }
            __syncthreads();
        }
    } while (moved);
}
template <bool kGood>
void flag_reset() {
    Array<int> data(numbers(128));
    odd_even<kGood><<<1, 64>>>(data, 128);
    data.print();
}

template <bool kGood>
__global__ void transpose(const float* in, float* out, int width, int height) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    if (kGood) __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];  // transpose_tile: race
}
template <bool kGood>
void transpose_tile() {
    Array<float> in(64 * 32, 1.0f), out(64 * 32, 0.0f);
    transpose<kGood><<<dim3(2, 1), dim3(32, 8)>>>(in, out, 64, 32);
    out.print();
}

// The threads at the edges also load the halo; too late for their neighbours.
template <bool kGood>
__global__ void smooth(const int* in, int* out, int n) {
    __shared__ int tile[kBlock + 2];
    const int i = blockIdx.x * kBlock + threadIdx.x, t = threadIdx.x + 1;
    tile[t] = i < n ? in[i] : 0;
    if (!kGood) __syncthreads();
    if (threadIdx.x == kBlock - 1) tile[0] = i >= kBlock ? in[i - kBlock] : 0;
    if (threadIdx.x == 0) tile[kBlock + 1] = i + kBlock < n ? in[i + kBlock] : 0;
    if (kGood) __syncthreads();
    if (i < n) out[i] = tile[t - 1] + 2 * tile[t] + tile[t + 1];  // halo_after_barrier: race
}
template <bool kGood>
void halo_after_barrier() {
    Array<int> in(numbers(500)), out(500, 0);
    smooth<kGood><<<4, kBlock>>>(in, out, 500);
    out.print();
}

// Collects the positions of large values in a queue of the block.
template <bool kGood>
__global__ void collect(const int* in, int* out, int* found) {
    __shared__ int queue[kBlock], tail;
    if (threadIdx.x == 0) tail = 0;
    __syncthreads();
    if (in[threadIdx.x] > 500) {
        const int slot = kGood ? atomicAdd(&tail, 1) : tail++;  // queue_tail: race
        queue[slot] = threadIdx.x;
    }
    __syncthreads();
    if (threadIdx.x < tail) out[threadIdx.x] = queue[threadIdx.x];
    if (threadIdx.x == 0) *found = tail;
}
template <bool kGood>
void queue_tail() {
    Array<int> in(numbers(kBlock)), out(kBlock, 0), found(1, 0);
    collect<kGood><<<1, kBlock>>>(in, out, found);
    found.print();
}

template <bool kGood>
__global__ void sum_by_shuffles(const int* in, int* out) {
    __shared__ int sums[kBlock / 32];
    int sum = in[threadIdx.x];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
    if (kGood) __syncthreads();
    if (threadIdx.x == 0) *out = sums[0] + sums[1] + sums[2] + sums[3];  // sums_of_warps: race
}
template <bool kGood>
void sums_of_warps() {
    Array<int> in(numbers(kBlock)), out(1, 0);
    sum_by_shuffles<kGood><<<1, kBlock>>>(in, out);
    out.print();
}

// Two arrays in one piece of dynamic shared memory: the second begins within the first.
template <bool kGood>
__global__ void exchange(const int* keys, const int* values, int* out) {
    extern __shared__ int memory[];
    int* my_keys = memory;
    int* my_values = memory + (kGood ? blockDim.x : blockDim.x / 2);
    my_keys[threadIdx.x] = keys[threadIdx.x];
    my_values[threadIdx.x] = values[threadIdx.x];  // overlapping_arrays: race
    __syncthreads();
    const int other = threadIdx.x ^ 1;
    out[threadIdx.x] = my_keys[other] < my_keys[threadIdx.x] ? my_values[other] : my_values[threadIdx.x];
}
template <bool kGood>
void overlapping_arrays() {
    Array<int> keys(numbers(kBlock)), values(kBlock, 3), out(kBlock, 0);
    exchange<kGood><<<1, kBlock, 2 * kBlock * sizeof(int)>>>(keys, values, out);
    out.print();
}

// A barrier of the warp where the block needs one.
template <bool kGood>
__global__ void rotate(int* data) {
    __shared__ int tile[kBlock];
    tile[threadIdx.x] = data[threadIdx.x];
    if (kGood)
        __syncthreads();
    else
        __syncwarp();
    data[threadIdx.x] = tile[(threadIdx.x + 1) % kBlock];  // warp_barrier_for_block: race
}
template <bool kGood>
void warp_barrier_for_block() {
    Array<int> data(numbers(kBlock));
    rotate<kGood><<<1, kBlock>>>(data);
    data.print();
}

int main(int argc, char** argv) {
    return run({PAIR(reverse_tile), PAIR(reduce_no_barrier), PAIR(warp_synchronous), PAIR(scan_in_place),
                PAIR(matrix_second_barrier), PAIR(histogram_plain), PAIR(pivot_of_thread_0), PAIR(flag_reset),
                PAIR(transpose_tile), PAIR(halo_after_barrier), PAIR(queue_tail), PAIR(sums_of_warps),
                PAIR(overlapping_arrays), PAIR(warp_barrier_for_block)},
               argc, argv);
}
