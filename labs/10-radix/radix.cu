// Lab 10, radix sort: the one file you edit. Handout: README.md, contract: radix.h. Then: make lab10 && ./grader
#include "radix.h"  // the contract; todo(), CUDA_CHECK, ceil_div, Workspace, Bits, primitives::exclusive_sum

constexpr int kBlock = 256;

// ---- Task 1, split_one_bit: one bit a pass; keys with a 0 go to the front ----
__global__ void flag_zeros(const unsigned* d_keys, int* d_zeros, int n, int bit) {}

__global__ void split(const unsigned* d_from, const int* d_before, unsigned* d_to, int n, int bit) {
    // 1.1  d_before[i] zeros come before key i. How many ones come before it? What is d_before[n]?
}

void split_one_bit(const unsigned* d_in, unsigned* d_out, int n, Bits bits, Workspace& work) {
    todo("1");  // take this line out when you start; until then the verdict is SKIP
    // 1.2  A pass cannot write where it reads. Which arrays take turns if there are 3 passes, 2, or 1? And if n is 0?
    int *d_zeros = work.get<int>(n), *d_before = work.get<int>(n + 1);
    int bit = bits.begin;  // not right yet: one pass of many
    flag_zeros<<<ceil_div(n, kBlock), kBlock>>>(d_in, d_zeros, n, bit);
    CUDA_CHECK(cudaGetLastError());
    primitives::exclusive_sum(d_zeros, d_before, n, work);
    split<<<ceil_div(n, kBlock), kBlock>>>(d_in, d_before, d_out, n, bit);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 2, digit: R bits a pass; a block for each tile of kTile keys ----
constexpr int kTile = 8 * kBlock;  // try other sizes

// The digit that a pass looks at: `count` bits from bit `begin` up. It has 2^count values.
struct Digit {
    int begin, count;
};

template <class Key>
__global__ void count_tiles(const Key* d_keys, int* d_of_tile, int* d_of_digit, int n, Digit digit) {
    // 2.1  Where do the threads of a block count, so that global memory gets one number for each digit?
    // 2.2  d_of_tile has a row for each tile, and d_of_digit is its transpose. In each, where is the count of digit d?
}

// Launch: any shape; a warp for each tile will do.
__global__ void local_offsets(int* d_of_tile, int digits, int tiles) {
    // 2.3  In a tile that is sorted by its digit, where is the first key of each digit? Which sum of the row is that?
}

template <class Key>
__global__ void sort_tiles(const Key* d_from, Key* d_to, const int* d_local, const int* d_global, int n, Digit digit) {
    // 2.4  The last tile may not be full. Which bit must its empty places have, so that they stay after all keys?
}

template <int R, class Key>
void digit(const Key* d_in, Key* d_out, int n, Bits bits, Workspace& work) {
    todo("2");
    // 2.5  How many passes do 7 bits take with R = 4, and which bits does the last one look at?
    int tiles = ceil_div(n, kTile);
    int *d_of_tile = work.get<int>(tiles << R), *d_of_digit = work.get<int>((tiles << R) + 1);
    Digit digit{bits.begin, R};  // not right yet: one pass of many
    count_tiles<<<tiles, kBlock>>>(d_in, d_of_tile, d_of_digit, n, digit);
    CUDA_CHECK(cudaGetLastError());
    local_offsets<<<1, kBlock>>>(d_of_tile, 1 << R, tiles);  // not right yet: few threads, and no second stream
    CUDA_CHECK(cudaGetLastError());
    sort_tiles<<<tiles, kBlock>>>(d_in, d_out, d_of_tile, d_of_digit, n, digit);  // not right yet: no global offsets
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 3, pairs: keys of any type, with their values ----
__device__ unsigned order_word(int key) {
    // 3.1  As unsigned numbers, the bits of -1 come after those of 1. Which bit has to change?
    return static_cast<unsigned>(key);
}

__device__ unsigned order_word(float key) {
    // 3.2  As unsigned numbers, the bits of -2.0f are greater than those of -1.0f. What has to change beyond 3.1?
    return __float_as_uint(key);
}

template <class Key>
__global__ void sort_tiles(const Key* d_keys_from, const unsigned* d_values_from, Key* d_keys_to, unsigned* d_values_to,
                           const int* d_local, const int* d_global, int n, Digit digit) {
    // 3.3  Which digits do the passes over 64-bit keys look at? Does your code shift all 64 bits?
}

template <class Key>
void pairs(const Key* d_keys_in, const unsigned* d_values_in, Key* d_keys_out, unsigned* d_values_out, int n, Bits bits,
           Workspace& work) {
    todo("3");
    // 3.4  Which costs less: to store order words in place of the keys, or to compute them again in every pass?
    int tiles = ceil_div(n, kTile);
    int *d_local = work.get<int>(256 * tiles), *d_global = work.get<int>(256 * tiles + 1);
    Digit digit{bits.begin, 8};  // not right yet: one pass of many, and no offsets
    sort_tiles<<<tiles, kBlock>>>(d_keys_in, d_values_in, d_keys_out, d_values_out, d_local, d_global, n, digit);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 4, by_index: one or several threads for each record of 32 bytes ----
__global__ void gather(const Record* d_in, const unsigned* d_places, Record* d_out, int n) {
    // 4.1  If one thread copies a whole record, word by word, how far apart are the words that a warp reads at once?
}

void by_index(const Record* d_in, Record* d_out, int n, Workspace& work) {
    todo("4");
    // 4.2  With which values does task 3 return the permutation that sorts the records?
    auto* d_places = work.get<unsigned>(n);  // not right yet: garbage
    gather<<<ceil_div(n, kBlock), kBlock>>>(d_in, d_places, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 5, onesweep: one launch a digit; a block of kBlock threads for each tile ----
template <class Key>
__global__ void count_all_digits(const Key* d_keys, int* d_counts, int n, Bits bits) {}

template <class Key>
__global__ void sweep(const Key* d_keys_in, const unsigned* d_values_in, Key* d_keys_out, unsigned* d_values_out,
                      const int* d_first, unsigned long long* d_states, unsigned* d_ticket, int n, Digit digit) {
    // 5.1  The tile looks back, as in labs 3 and 4. How many words does a tile publish now?
    // 5.2  R ballots show each lane which lanes of its warp have the same digit. What is its key's rank in the row?
    // 5.3  The ranks of a warp's second row continue those of its first row. Where does that need a __syncwarp()?
}

template <class Key>
void onesweep(const Key* d_keys_in, const unsigned* d_values_in, Key* d_keys_out, unsigned* d_values_out, int n,
              Bits bits, Workspace& work) {
    todo("5");
    // 5.4  Counts, states and tickets hold garbage. What must they hold before each pass?
    int tiles = ceil_div(n, kTile);
    int* d_counts = work.get<int>(sizeof(Key) * 256);
    auto* d_states = work.get<unsigned long long>(256 * tiles);
    auto* d_ticket = work.get<unsigned>(1);
    count_all_digits<<<tiles, kBlock>>>(d_keys_in, d_counts, n, bits);
    CUDA_CHECK(cudaGetLastError());
    Digit digit{bits.begin, 8};  // not right yet: one pass of many
    sweep<<<tiles, kBlock>>>(d_keys_in, d_values_in, d_keys_out, d_values_out, d_counts, d_states, d_ticket, n, digit);
    CUDA_CHECK(cudaGetLastError());
}

#include "grading/instantiations.h"  // what is graded; leave this line at the end
