// Lab 10, radix sort: the one file you edit. Handout: README.md. Then: make lab10 && ./grader
// Pointers d_* are device memory; inputs must not change; outputs hold garbage at first.
// Calls start at n = 0 and are timed; allocating the Workspace is not.
#include "radix.h"  // the contract; todo(), CUDA_CHECK, ceil_div, Workspace, Bits, primitives::exclusive_sum

constexpr int kBlock = 256;

// ---- Task 1, split_one_bit: one bit a pass ----
// Launch: a thread for each key, blocks of kBlock.
__global__ void flag_zeros(const unsigned* d_keys, int* d_zeros, int n, int bit) {
    // 1.1  Keys with a 0 go to the front. Which number for each key makes an exclusive sum give their places?
}

__global__ void split(const unsigned* d_from, const int* d_before, unsigned* d_to, int n, int bit) {
    // 1.2  d_before[i] zeros come before key i. How many ones do? The last element is d_before[n]: what does it tell?
}

void split_one_bit(const unsigned* d_in, unsigned* d_out, int n, Bits bits, Workspace& work) {
    todo("1");  // take this line out when you start; until then the verdict is SKIP
    // 1.3  What if n is 0?
    // 1.4  Which bit comes first, the lowest or the highest? Try both with 2 1 3 0 on paper.
    // 1.5  A pass cannot write where it reads, and d_in must not change. Which array does each pass read and write if
    //      there are 2 passes, 3 passes, or 1? The last one writes d_out.
    int *d_zeros = work.get<int>(n), *d_before = work.get<int>(n + 1);
    int bit = bits.begin;  // not right yet: one pass of many
    flag_zeros<<<ceil_div(n, kBlock), kBlock>>>(d_in, d_zeros, n, bit);
    CUDA_CHECK(cudaGetLastError());
    primitives::exclusive_sum(d_zeros, d_before, n, work);
    split<<<ceil_div(n, kBlock), kBlock>>>(d_in, d_before, d_out, n, bit);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 2, digit: R bits a pass ----
// Launch: a block of kBlock threads for each tile of kTile keys; try other sizes.
constexpr int kTile = 8 * kBlock;

// The digit that a pass looks at: `count` bits from bit `begin` up. It has 2^count values.
struct Digit {
    int begin, count;
};

template <class Key>
__global__ void count_tiles(const Key* d_keys, int* d_of_tile, int* d_of_digit, int n, Digit digit) {
    // 2.1  Where do the threads of a block count, so that global memory gets one number for each digit?
    // 2.2  d_of_tile has a row for each tile. d_of_digit is its transpose. In each, where is the count of digit d?
}

// Launch: any shape; a warp for each tile will do.
__global__ void local_offsets(int* d_of_tile, int digits, int tiles) {
    // 2.3  In a tile that is sorted by its digit, where is the first key of each digit? Which sum of its row is that?
}

template <class Key>
__global__ void sort_tiles(const Key* d_from, Key* d_to, const int* d_local, const int* d_global, int n, Digit digit) {
    // 2.4  Sort the tile by its digit: task 1 in shared memory, one bit after the other. Which barriers come between?
    // 2.5  The last tile may not be full. Which bit keeps the places beyond its end behind all of its keys?
}

template <int R, class Key>
void digit(const Key* d_in, Key* d_out, int n, Bits bits, Workspace& work) {
    todo("2");
    // 2.6  How many passes do 7 bits take with R = 4, and which bits does the last one look at?
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
// Launch: as task 2.
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
    // 3.3  How much shared memory does a tile of 64-bit keys and their values take? A block has 48 KB.
    // 3.4  Which digits do the passes over 64-bit keys look at? Does your code shift all 64 bits?
}

template <class Key>
void pairs(const Key* d_keys_in, const unsigned* d_values_in, Key* d_keys_out, unsigned* d_values_out, int n, Bits bits,
           Workspace& work) {
    todo("3");
    // 3.5  Which costs less: order words in place of the keys, written once, or computed anew in every pass?
    int tiles = ceil_div(n, kTile);
    int *d_local = work.get<int>(256 * tiles), *d_global = work.get<int>(256 * tiles + 1);
    Digit digit{bits.begin, 8};  // not right yet: one pass of many, and no offsets
    sort_tiles<<<tiles, kBlock>>>(d_keys_in, d_values_in, d_keys_out, d_values_out, d_local, d_global, n, digit);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 4, by_index: large records ----
// Launch: one or several threads for each record of 32 bytes.
__global__ void gather(const Record* d_in, const unsigned* d_places, Record* d_out, int n) {
    // 4.1  Record i of the output comes from place d_places[i]. How many sectors does it have?
    // 4.2  If one thread copies a whole record, word by word, how far apart are the words that a warp reads at once?
}

void by_index(const Record* d_in, Record* d_out, int n, Workspace& work) {
    todo("4");
    // 4.3  With which values does task 3 return the permutation that sorts the records?
    auto* d_places = work.get<unsigned>(n);  // not right yet: garbage
    gather<<<ceil_div(n, kBlock), kBlock>>>(d_in, d_places, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 5, onesweep: one launch a digit ----
// Launch: any shape.
template <class Key>
__global__ void count_all_digits(const Key* d_keys, int* d_counts, int n, Bits bits) {
    // 5.1  Do the counts of the third digit change while the first two passes move the keys?
}

// Launch: a block of kBlock threads for each tile.
template <class Key>
__global__ void sweep(const Key* d_keys_in, const unsigned* d_values_in, Key* d_keys_out, unsigned* d_values_out,
                      const int* d_first, unsigned long long* d_states, unsigned* d_ticket, int n, Digit digit) {
    // 5.2  The place of a tile's first key of a digit is the sum of two numbers. Which one is known before the launch?
    // 5.3  The tile looks back for the other one, as in labs 3 and 4. How many words does a tile publish now?
    // 5.4  R ballots show each lane which lanes of its warp have the same digit. What is its key's rank in the row?
    // 5.5  The ranks of a warp's second row continue those of its first row. Where does that need a __syncwarp()?
}

template <class Key>
void onesweep(const Key* d_keys_in, const unsigned* d_values_in, Key* d_keys_out, unsigned* d_values_out, int n,
              Bits bits, Workspace& work) {
    todo("5");
    // 5.6  Counts, states and tickets hold garbage. What must they hold before each pass?
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
