// Lab 10, radix sort: the one file you edit. Handout: README.md. Then: make lab10 && ./grader
// Pointers d_* are device memory; inputs must not change; outputs hold garbage at first.
// Each function is called for every n from 0 up and is timed; its Workspace is not.
#include "radix.h"  // the contract; todo(), CUDA_CHECK, ceil_div, Workspace, Bits, primitives::exclusive_sum

constexpr int kBlock = 256;

// ---- Task 1, split_one_bit: one bit a pass ----
// Launch: a thread for each key, blocks of kBlock.
__global__ void flag_zeros(const unsigned* d_keys, int* d_zeros, int n, int bit) {
    // 1.1  Keys with a 0 go to the front. What does a scan need, so that its sums say where each of them goes?
}

__global__ void split(const unsigned* d_from, const int* d_before, unsigned* d_to, int n, int bit) {
    // 1.2  d_before[i] zeros come before key i. How many ones do? And where does the first key with a 1 go?
    // 1.3  d_before has n + 1 elements. What is in the last one?
}

void split_one_bit(const unsigned* d_in, unsigned* d_out, int n, Bits bits, Workspace& work) {
    todo("1");  // take this line out when you start; until then the verdict is SKIP
    // 1.4  n may be 0. Then there is nothing to launch.
    // 1.5  Which bit comes first, the lowest or the highest? Try both with 2 1 3 0 on paper.
    // 1.6  A pass cannot write where it reads, and d_in must not change. Which array does each pass read and write, if
    //      bits.end - bits.begin is even, odd, or 1? The last pass writes d_out.
    int* d_zeros = work.get<int>(n);
    int* d_before = work.get<int>(n + 1);
    flag_zeros<<<ceil_div(n, kBlock), kBlock>>>(d_in, d_zeros, n, bits.begin);
    CUDA_CHECK(cudaGetLastError());
    primitives::exclusive_sum(d_zeros, d_before, n, work);
    split<<<ceil_div(n, kBlock), kBlock>>>(d_in, d_before, d_out, n, bits.begin);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 2, digit: R bits a pass ----
// Launch: a block of kBlock threads for each tile of kTile keys; more or fewer are yours to try. digits = 2^R.
constexpr int kTile = 8 * kBlock;

// The digit that a pass looks at: `count` bits from `begin` on.
struct Digit {
    int begin, count;
};

template <class Key>
__global__ void count_tiles(const Key* d_keys, int* d_of_tile, int* d_of_digit, int n, Digit digit) {
    // 2.1  Many keys of a tile have the same digit. Where do they count, so that global memory sees one number a digit?
    // 2.2  d_of_tile has a row for each tile, d_of_digit a row for each digit. Whose element is [digit * tiles + tile]?
}

__global__ void local_offsets(int* d_of_tile, int digits, int tiles) {
    // 2.3  In a tile that is sorted by its digit, where is the first key of each digit? What sum of its row says so?
}

template <class Key>
__global__ void sort_tiles(const Key* d_from, Key* d_to, const int* d_local, const int* d_global, int n, Digit digit) {
    // 2.4  Sort the tile by its digit first: task 1 in shared memory, one bit after the other. Which of its two arrays
    //      and two kernels are still needed, and which barriers come between?
    // 2.5  The last tile is not full. Which bit do the places beyond the end have, if no key may fall behind them?
    // 2.6  Key j of the sorted tile has digit d, and the tile's first one of that digit is at d_local[...]. Its place
    //      in d_to is d_global[...] + what?
    // 2.7  What would change in d_to if the tile was not sorted before it is written? What in the sectors?
}

template <int R, class Key>
void digit(const Key* d_in, Key* d_out, int n, Bits bits, Workspace& work) {
    todo("2");
    // 2.8  How many passes are there for 7 bits and R = 4, and which bits does the last one look at?
    // 2.9  Which sum over which table says where the first key of each digit and tile goes? Digits before tiles, or
    //      tiles before digits?
    // 2.10 local_offsets and primitives::exclusive_sum (on the default stream) do not need each other. Which stream may
    //      the first one run on, and which two events does that take? See radix.h on streams.
    int tiles = ceil_div(n, kTile);
    int *d_of_tile = work.get<int>(tiles << R), *d_of_digit = work.get<int>((tiles << R) + 1);
    Digit one{bits.begin, R};
    count_tiles<<<tiles, kBlock>>>(d_in, d_of_tile, d_of_digit, n, one);
    CUDA_CHECK(cudaGetLastError());
    local_offsets<<<1, kBlock>>>(d_of_tile, 1 << R, tiles);
    CUDA_CHECK(cudaGetLastError());
    sort_tiles<<<tiles, kBlock>>>(d_in, d_out, d_of_tile, d_of_digit, n, one);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 3, pairs: keys of any type, with their values ----
// Launch: as task 2, whose kernels may well be made to serve both.
__device__ unsigned order_word(int key) {
    // 3.1  As unsigned numbers, the bits of -1 come behind those of 1. Which bit decides, and what has to happen to it?
    return static_cast<unsigned>(key);
}

__device__ unsigned order_word(float key) {
    // 3.2  The bits of -2 are a greater word than those of -1. What does that ask for, beyond 3.1?
    return __float_as_uint(key);
}

// As sort_tiles.
template <class Key>
__global__ void sort_tiles_of_pairs(const Key* d_keys_from, const unsigned* d_values_from, Key* d_keys_to,
                                    unsigned* d_values_to, const int* d_local, const int* d_global, int n,
                                    Digit digit) {
    // 3.3  How much shared memory does a tile of 64-bit keys with their values take? A block has 48 KB.
    // 3.4  Which digits does a pass of 64-bit keys look at? Is every shift done in 64 bits?
}

template <class Key>
void pairs(const Key* d_keys_in, const unsigned* d_values_in, Key* d_keys_out, unsigned* d_values_out, int n, Bits bits,
           Workspace& work) {
    todo("3");
    // 3.5  Do you change the keys before the first pass and back after the last, or ask order_word in every pass? What
    //      does either cost?
    int tiles = ceil_div(n, kTile);
    int *d_local = work.get<int>(256 * tiles), *d_global = work.get<int>(256 * tiles + 1);
    sort_tiles_of_pairs<<<tiles, kBlock>>>(d_keys_in, d_values_in, d_keys_out, d_values_out, d_local, d_global, n,
                                           Digit{bits.begin, 8});
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 4, by_index: large records ----
// Launch: a thread for each record, or several: a record is 32 bytes.
__global__ void gather(const Record* d_in, const unsigned* d_places, Record* d_out, int n) {
    // 4.1  d_places[i] says where record i of the output comes from. How many sectors does a record need?
    // 4.2  If a thread copies a whole record, word by word, how far apart are the words that a warp reads at once?
}

void by_index(const Record* d_in, Record* d_out, int n, Workspace& work) {
    todo("4");
    // 4.3  Which values make task 3 give back the permutation that sorts the keys?
    // 4.4  How often would a record be moved if it went along as a value?
    gather<<<ceil_div(n, kBlock), kBlock>>>(d_in, work.get<unsigned>(n), d_out, n);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 5, onesweep: one launch a digit ----
// Launch: count_all_digits as you like; sweep with a block of kBlock threads for each tile.
template <class Key>
__global__ void count_all_digits(const Key* d_keys, int* d_counts, int n, Bits bits) {
    // 5.1  Do the counts of the third digit change when keys are put in order by the first two? When can they be taken?
}

template <class Key>
__global__ void sweep(const Key* d_keys_in, const unsigned* d_values_in, Key* d_keys_out, unsigned* d_values_out,
                      const int* d_first, unsigned long long* d_states, unsigned* d_ticket, int n, Digit digit) {
    // 5.2  Which keys of a digit come before those of this tile, and which two numbers give their place? One is known
    //      before the launch.
    // 5.3  Look-back as in lab 3 and 4: ticket, status and count in one word. How many words does a tile publish now?
    // 5.4  A warp ranks 32 keys at once: R ballots give each lane the lanes with its digit. Which come before it?
    // 5.5  A warp's second row counts on where the first one ended. Where, and which __syncwarp() does it need?
    // 5.6  What may a tile publish before it knows where its own keys go, and why should it?
}

template <class Key>
void onesweep(const Key* d_keys_in, const unsigned* d_values_in, Key* d_keys_out, unsigned* d_values_out, int n,
              Bits bits, Workspace& work) {
    todo("5");
    // 5.7  Counts, states and tickets hold garbage. What must they hold before each pass?
    int tiles = ceil_div(n, kTile);
    int* d_counts = work.get<int>(sizeof(Key) * 256);
    count_all_digits<<<tiles, kBlock>>>(d_keys_in, d_counts, n, bits);
    CUDA_CHECK(cudaGetLastError());
    sweep<<<tiles, kBlock>>>(d_keys_in, d_values_in, d_keys_out, d_values_out, d_counts,
                             work.get<unsigned long long>(256 * tiles), work.get<unsigned>(1), n, Digit{0, 8});
    CUDA_CHECK(cudaGetLastError());
}

// ---- What is graded; leave these lines as they are ----
template void digit<1>(const unsigned*, unsigned*, int, Bits, Workspace&);
template void digit<2>(const unsigned*, unsigned*, int, Bits, Workspace&);
template void digit<4>(const unsigned*, unsigned*, int, Bits, Workspace&);
template void digit<8>(const unsigned*, unsigned*, int, Bits, Workspace&);
template void digit<8>(const unsigned long long*, unsigned long long*, int, Bits, Workspace&);
template void pairs(const unsigned*, const unsigned*, unsigned*, unsigned*, int, Bits, Workspace&);
template void pairs(const int*, const unsigned*, int*, unsigned*, int, Bits, Workspace&);
template void pairs(const float*, const unsigned*, float*, unsigned*, int, Bits, Workspace&);
template void pairs(const unsigned long long*, const unsigned*, unsigned long long*, unsigned*, int, Bits, Workspace&);
template void onesweep(const unsigned*, const unsigned*, unsigned*, unsigned*, int, Bits, Workspace&);
template void onesweep(const int*, const unsigned*, int*, unsigned*, int, Bits, Workspace&);
template void onesweep(const float*, const unsigned*, float*, unsigned*, int, Bits, Workspace&);
template void onesweep(const unsigned long long*, const unsigned*, unsigned long long*, unsigned*, int, Bits,
                       Workspace&);
