// Accesses outside of arrays, and misaligned ones.
#include "corpus.h"

template <bool kGood>
__global__ void scale(float* data, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (!kGood || i < n) data[i] *= 2;  // tail_not_guarded: out_of_bounds
}
template <bool kGood>
void tail_not_guarded() {
    Array<float> data(1000, 1.0f);
    scale<kGood><<<(1000 + 255) / 256, 256>>>(data, 1000);
    data.print();
}

template <bool kGood>
__global__ void row_sums(const int* in, int* out, int rows, int columns) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    int sum = 0;
    for (int k = 0; kGood ? k < columns : k <= columns; ++k)
        sum += in[row * columns + k];  // loop_one_more: out_of_bounds
    out[row] = sum;
}
template <bool kGood>
void loop_one_more() {
    Array<int> in(numbers(50 * 20)), out(50, 0);
    row_sums<kGood><<<1, 64>>>(in, out, 50, 20);
    out.print();
}

template <bool kGood>
__global__ void differences(const int* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int before = kGood && i == 0 ? 0 : in[i - 1];  // first_has_no_left: out_of_bounds
    out[i] = in[i] - before;
}
template <bool kGood>
void first_has_no_left() {
    Array<int> in(numbers(300)), out(300, 0);
    differences<kGood><<<2, 256>>>(in, out, 300);
    out.print();
}

// A matrix that is not square, with rows and columns mixed up.
template <bool kGood>
__global__ void fill_matrix(int* matrix, int rows, int columns) {
    const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    const int at = kGood ? row * columns + column : column * columns + row;
    if (row < rows && column < columns) matrix[at] = row - column;  // row_for_column: out_of_bounds
}
template <bool kGood>
void row_for_column() {
    Array<int> matrix(20 * 50, 0);
    fill_matrix<kGood><<<dim3(4, 2), dim3(16, 16)>>>(matrix, 20, 50);
    matrix.print();
}

template <bool kGood>
__global__ void blur(const int* in, int* out) {
    __shared__ int tile[kGood ? 66 : 64];
    tile[threadIdx.x + 1] = in[threadIdx.x];  // room_for_halo: out_of_bounds
    if (threadIdx.x < 2) tile[threadIdx.x * 65 % (kGood ? 66 : 64)] = 0;
    __syncthreads();
    if (threadIdx.x < 62) out[threadIdx.x] = tile[threadIdx.x] + tile[threadIdx.x + 1] + tile[threadIdx.x + 2];
}
template <bool kGood>
void room_for_halo() {
    Array<int> in(numbers(64)), out(64, 0);
    blur<kGood><<<1, 64>>>(in, out);
    out.print();
}

__global__ void reverse(const int* in, int* out) {
    extern __shared__ int tile[];
    tile[threadIdx.x] = in[threadIdx.x];  // dynamic_size_in_elements: out_of_bounds
    __syncthreads();
    out[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}
template <bool kGood>
void dynamic_size_in_elements() {
    Array<int> in(numbers(128)), out(128, 0);
    reverse<<<1, 128, kGood ? 128 * sizeof(int) : 128>>>(in, out);
    out.print();
}

// Each thread counts grades from 0 to 8 in an array of its own.
template <bool kGood>
__global__ void count_grades(const int* in, int* out, int n) {
    int bins[kGood ? 9 : 8] = {};
    for (int i = threadIdx.x; i < n; i += blockDim.x) bins[in[i] % 9]++;  // local_bins: out_of_bounds
    for (int b = 0; b < 8; ++b) atomicAdd(&out[b], bins[b]);
}
template <bool kGood>
void local_bins() {
    Array<int> in(numbers(512)), out(9, 0);
    count_grades<kGood><<<1, 32>>>(in, out, 512);
    out.print();
}

__constant__ float filter[5] = {1, 4, 6, 4, 1};
template <bool kGood>
__global__ void convolve(const float* in, float* out, int n, int radius) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int d = -radius; d <= radius; ++d)
        if (i + d >= 0 && i + d < n) sum += in[i + d] * filter[d + radius];  // filter_too_short: out_of_bounds
    if (i < n) out[i] = sum;
}
template <bool kGood>
void filter_too_short() {
    Array<float> in(256, 1.0f), out(256, 0.0f);
    convolve<kGood><<<1, 256>>>(in, out, 256, kGood ? 2 : 3);
    out.print();
}

// The remainder of a negative number is negative.
template <bool kGood>
__global__ void count(const int* in, int* bins, int n) {
    const int i = threadIdx.x, value = in[i] - 500;
    const int bin = kGood ? (value % 16 + 16) % 16 : value % 16;
    if (i < n) atomicAdd(&bins[bin], 1);  // negative_remainder: out_of_bounds
}
template <bool kGood>
void negative_remainder() {
    Array<int> in(numbers(200)), bins(16, 0);
    count<kGood><<<1, 200>>>(in, bins, 200);
    bins.print();
}

// Rows of 100,000 numbers, of which only some are kept: the index does not fit into 32 bits.
template <bool kGood>
__global__ void take_columns(const int* in, int* out, int rows, int width) {
    const int row = threadIdx.x;
    const long long at = kGood ? static_cast<long long>(row) * width * 1000 % 4096 : row * width * 1000 % 4096;
    if (row < rows) out[row] = in[at];  // index_overflow: out_of_bounds
}
template <bool kGood>
void index_overflow() {
    Array<int> in(numbers(4096)), out(64, 0);
    take_columns<kGood><<<1, 64>>>(in, out, 64, 100'000);
    out.print();
}

template <bool kGood>
__global__ void sum_by_fours(const float* data, float* out, int n) {
    const float4* fours = reinterpret_cast<const float4*>(data + (kGood ? 4 : 1));
    const int i = threadIdx.x;
    if (4 * i + 8 > n) return;
    const float4 v = fours[i];  // vector_of_odd_start: misaligned
    out[i] = v.x + v.y + v.z + v.w;
}
template <bool kGood>
void vector_of_odd_start() {
    Array<float> data(256, 1.0f), out(64, 0.0f);
    sum_by_fours<kGood><<<1, 64>>>(data, out, 256);
    out.print();
}

// Records of a file: one byte of type, four bytes of value.
template <bool kGood>
__global__ void read_records(const unsigned char* file, int* out) {
    const unsigned char* at = file + 5 * threadIdx.x + 1;
    if (kGood)
        out[threadIdx.x] = at[0] | at[1] << 8 | at[2] << 16 | at[3] << 24;
    else
        out[threadIdx.x] = *reinterpret_cast<const int*>(at);  // packed_record: misaligned
}
template <bool kGood>
void packed_record() {
    Array<unsigned char> file(5 * 32, static_cast<unsigned char>(1));
    Array<int> out(32, 0);
    read_records<kGood><<<1, 32>>>(file, out);
    out.print();
}

// Flags and sums share a buffer; an odd number of flags comes first.
template <bool kGood>
__global__ void flags_and_sums(int* out, int flags) {
    extern __shared__ unsigned char buffer[];
    int* sums = reinterpret_cast<int*>(buffer + (kGood ? (flags + 3) / 4 * 4 : flags));
    if (threadIdx.x < flags) buffer[threadIdx.x] = 1;
    sums[threadIdx.x] = threadIdx.x;  // buffer_after_flags: misaligned
    out[threadIdx.x] = sums[threadIdx.x];
}
template <bool kGood>
void buffer_after_flags() {
    Array<int> out(32, 0);
    flags_and_sums<kGood><<<1, 32, 64 + 128>>>(out, 29);
    out.print();
}

// A sparse matrix: row r has the entries from begin[r] to begin[r + 1], and so n + 1 numbers are needed.
__global__ void lengths(const int* begin, int* out, int rows) {
    const int row = threadIdx.x;
    if (row < rows) out[row] = begin[row + 1] - begin[row];  // rows_and_one: out_of_bounds
}
template <bool kGood>
void rows_and_one() {
    Array<int> begin(numbers(kGood ? 65 : 64)), out(64, 0);
    lengths<<<1, 64>>>(begin, out, 64);
    out.print();
}

__global__ void set(double* data, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] = i;  // bytes_for_elements: out_of_bounds
}
template <bool kGood>
void bytes_for_elements() {
    double* data = nullptr;
    CHECK(cudaMalloc(&data, kGood ? 512 * sizeof(double) : 512));
    set<<<2, 256>>>(data, 512);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(data));
}

// Compaction by an inclusive scan, whose first place is 1.
template <bool kGood>
__global__ void keep(const int* in, const int* inclusive, int* out, int n) {
    const int i = threadIdx.x;
    const bool is_kept = inclusive[i] != (i == 0 ? 0 : inclusive[i - 1]);
    if (i < n && is_kept) out[inclusive[i] - kGood] = in[i];  // inclusive_places: out_of_bounds
}
template <bool kGood>
void inclusive_places() {
    std::vector<int> places(64);
    for (int i = 0; i < 64; ++i) places[i] = i / 2 + 1;
    Array<int> in(numbers(64)), inclusive(places), out(32, 0);
    keep<kGood><<<1, 64>>>(in, inclusive, out, 64);
    out.print();
}

// A text without its final zero: the loop does not end in the array.
__global__ void length_of(const char* text, int* out) {
    int n = 0;
    while (text[n] != 0) ++n;  // no_final_zero: out_of_bounds
    *out = n;
}
template <bool kGood>
void no_final_zero() {
    const char words[] = "seven small words";
    Array<char> text(std::vector<char>(words, words + sizeof words - (kGood ? 0 : 1)));
    Array<int> out(1, 0);
    length_of<<<1, 1>>>(text, out);
    out.print();
}

int main(int argc, char** argv) {
    return run({PAIR(tail_not_guarded), PAIR(loop_one_more), PAIR(first_has_no_left), PAIR(row_for_column),
                PAIR(room_for_halo), PAIR(dynamic_size_in_elements), PAIR(local_bins), PAIR(filter_too_short),
                PAIR(negative_remainder), PAIR(index_overflow), PAIR(vector_of_odd_start), PAIR(packed_record),
                PAIR(buffer_after_flags), PAIR(rows_and_one), PAIR(bytes_for_elements), PAIR(inclusive_places),
                PAIR(no_final_zero)},
               argc, argv);
}
