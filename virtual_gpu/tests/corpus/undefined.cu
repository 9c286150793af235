// Undefined values: memory that was not written, variables without a value.
#include "corpus.h"

__global__ void count_digits(const int* in, int* bins, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[in[i] % 10], 1);  // bins_not_zeroed: uninitialized
}
template <bool kGood>
void bins_not_zeroed() {
    Array<int> in(numbers(1000)), bins(10);
    if (kGood) CHECK(cudaMemset(bins, 0, 10 * sizeof(int)));
    count_digits<<<4, 256>>>(in, bins, 1000);
    bins.print();
}

template <bool kGood>
__global__ void row_sums(const int* in, int* out, int columns) {
    int sum;
    if (kGood) sum = 0;
#pragma unroll 1
    for (int k = 0; k < columns; ++k) sum += in[threadIdx.x * columns + k];  // sum_without_start: missed
    out[threadIdx.x] = sum;
}
template <bool kGood>
void sum_without_start() {
    Array<int> in(numbers(320)), out(32, 0);
    row_sums<kGood><<<1, 32>>>(in, out, 10);
    out.print();
}

__global__ void squares(const int* in, int* out, int n) {
    const int i = threadIdx.x;
    if (i < n) out[i] = in[i] * in[i];  // part_copied: uninitialized
}
template <bool kGood>
void part_copied() {
    const std::vector<int> host = numbers(64);
    Array<int> in(64), out(64, 0);
    CHECK(cudaMemcpy(in, host.data(), kGood ? 64 * sizeof(int) : 64, cudaMemcpyHostToDevice));
    squares<<<1, 64>>>(in, out, 64);
    out.print();
}

// A tile that n does not fill.
template <bool kGood>
__global__ void tile_sum(const int* in, int* out, int n) {
    __shared__ int tile[64];
    const int t = threadIdx.x;
    if (t < n) tile[t] = in[t];
    if (kGood && t >= n) tile[t] = 0;
    for (int half = 32; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) tile[t] += tile[t + half];  // tail_of_tile: uninitialized
    }
    if (t == 0) *out = tile[0];
}
template <bool kGood>
void tail_of_tile() {
    Array<int> in(numbers(64)), out(1, 0);
    tile_sum<kGood><<<1, 64>>>(in, out, 50);
    out.print();
}

template <bool kGood>
__global__ void most_frequent(const int* in, int* out, int n) {
    int bins[8];
    for (int b = 0; b < 8 && kGood; ++b) bins[b] = 0;
    for (int i = 0; i < n; ++i) bins[in[threadIdx.x * n + i] % 8]++;
    int best = 0;
    for (int b = 1; b < 8; ++b)
        if (bins[b] > bins[best]) best = b;  // local_counts: uninitialized
    out[threadIdx.x] = best;
}
template <bool kGood>
void local_counts() {
    Array<int> in(numbers(320)), out(32, 0);
    most_frequent<kGood><<<1, 32>>>(in, out, 10);
    out.print();
}

// The position is known only if something was found.
template <bool kGood>
__global__ void find_first(const int* in, int* out, int n, int wanted) {
    int at;
    if (kGood) at = n;
    for (int i = 0; i < n; ++i)
        if (in[threadIdx.x * n + i] == wanted) {
            at = i;
            break;
        }
    out[threadIdx.x] = at + 1;  // found_or_not: missed
}
template <bool kGood>
void found_or_not() {
    Array<int> in(numbers(320)), out(32, 0);
    find_first<kGood><<<1, 32>>>(in, out, 10, 13);
    out.print();
}

struct Best {
    float value;
    int index;
};
template <bool kGood>
__global__ void candidates(const float* in, Best* best, int n) {
    const int i = threadIdx.x;
    best[i].value = in[i];
    if (kGood || i % 2 == 0) best[i].index = i;
}
__global__ void choose(const Best* best, int* chosen, int n) {
    const Best mine = best[threadIdx.x];
    if (mine.value > 0) chosen[mine.index & 63] = 1;  // field_not_set: uninitialized
}
template <bool kGood>
void field_not_set() {
    Array<float> in(64, 1.0f);
    Array<Best> best(64);
    Array<int> chosen(64, 0);
    candidates<kGood><<<1, 64>>>(in, best, 64);
    choose<<<1, 64>>>(best, chosen, 64);
    chosen.print();
}

// A tree over as many sums as there are warps, which are no power of two.
template <bool kGood>
__global__ void tree_of_sums(const int* in, int* out) {
    __shared__ int sums[8];
    const int warps = blockDim.x / 32;
    if (kGood && threadIdx.x < 8) sums[threadIdx.x] = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x >= 8) return;
    int sum = sums[threadIdx.x];  // six_of_eight: uninitialized
    for (int d = 4; d > 0; d /= 2) sum += __shfl_down_sync(0xff, sum, d, 8);
    if (threadIdx.x == 0) *out = sum + warps;
}
template <bool kGood>
void six_of_eight() {
    Array<int> in(numbers(192)), out(1, 0);
    tree_of_sums<kGood><<<1, 192>>>(in, out);
    out.print();
}

__global__ void step(const float* from, float* to, int n) {
    const int i = threadIdx.x;
    if (i > 0 && i + 1 < n) to[i] = 0.5f * (from[i - 1] + from[i + 1]);  // ping_pong: uninitialized
}
template <bool kGood>
void ping_pong() {
    Array<float> a(64, 1.0f), b(64);
    if (kGood) CHECK(cudaMemcpy(b, a, 64 * sizeof(float), cudaMemcpyDeviceToDevice));  // the borders, too
    for (int t = 0; t < 4; ++t) step<<<1, 64>>>(t % 2 == 0 ? a : b, t % 2 == 0 ? b : a, 64);
    a.print();
}

__global__ void mark(const int* in, int* seen, int* out) {
    const int i = threadIdx.x;
    if (seen[in[i] % 64] == 0) out[i] = 1;  // size_of_pointer: uninitialized
}
template <bool kGood>
void size_of_pointer() {
    Array<int> in(numbers(64)), seen(64), out(64, 0);
    CHECK(cudaMemset(seen, 0, kGood ? 64 * sizeof(int) : sizeof(int*)));
    mark<<<1, 64>>>(in, seen, out);
    out.print();
}

// An exclusive scan gives n numbers, and the total is one more.
template <bool kGood>
__global__ void exclusive(const int* in, int* offsets, int n) {
    int sum = 0;
    for (int i = 0; i < n; ++i) {
        offsets[i] = sum;
        sum += in[i] % 4;
    }
    if (kGood) offsets[n] = sum;
}
__global__ void fill_segments(const int* offsets, int* out, int n) {
    const int end = offsets[threadIdx.x + 1];
    for (int i = offsets[threadIdx.x]; i < end; ++i) out[i & 255] = threadIdx.x;  // total_missing: uninitialized
}
template <bool kGood>
void total_missing() {
    Array<int> in(numbers(32)), offsets(33), out(256, 0);
    exclusive<kGood><<<1, 1>>>(in, offsets, 32);
    fill_segments<<<1, 32>>>(offsets, out, 32);
    out.print();
}

template <bool kGood>
__global__ void block_maximum(const int* in, int* out) {
    __shared__ int best;
    if (kGood && threadIdx.x == 0) best = 0;
    __syncthreads();
    atomicMax(&best, in[threadIdx.x]);  // maximum_without_start: uninitialized
    __syncthreads();
    if (threadIdx.x == 0) *out = best;
}
template <bool kGood>
void maximum_without_start() {
    Array<int> in(numbers(64)), out(1, 0);
    block_maximum<kGood><<<1, 64>>>(in, out);
    out.print();
}

// Rows are padded to 16; the padding was never written.
template <bool kGood>
__global__ void norms(const float* in, float* out, int columns, int pitch) {
    float sum = 0;
    for (int k = 0; k < (kGood ? columns : pitch); ++k)
        sum += in[threadIdx.x * pitch + k];  // padding_of_rows: uninitialized
    out[threadIdx.x] = sqrtf(sum);
}
template <bool kGood>
void padding_of_rows() {
    const std::vector<float> host(32 * 13, 1.0f);
    Array<float> in(32 * 16), out(32, 0.0f);
    CHECK(cudaMemcpy2D(in, 64, host.data(), 52, 52, 32, cudaMemcpyHostToDevice));
    norms<kGood><<<1, 32>>>(in, out, 13, 16);
    out.print();
}

// Only every second element is written, and the host takes all.
template <bool kGood>
__global__ void evens(const int* in, int* out, int n) {
    const int i = threadIdx.x * (kGood ? 1 : 2);
    if (i < n) out[i] = in[i];
}
template <bool kGood>
void output_not_filled() {
    Array<int> in(numbers(64)), out(64);
    evens<kGood><<<1, 64>>>(in, out, 64);
    out.print();  // output_not_filled: missed
}

int main(int argc, char** argv) {
    return run(
        {PAIR(bins_not_zeroed), PAIR(sum_without_start), PAIR(part_copied), PAIR(tail_of_tile), PAIR(local_counts),
         PAIR(found_or_not), PAIR(field_not_set), PAIR(six_of_eight), PAIR(ping_pong), PAIR(size_of_pointer),
         PAIR(total_missing), PAIR(maximum_without_start), PAIR(padding_of_rows), PAIR(output_not_filled)},
        argc, argv);
}
