// The record of task 5, onesweep. As its lesson, onesweep.cu, but tiles are larger, keys alone take no memory for
// values, votes are written in PTX, a thread looks back at several tiles at once, and one set of states serves all
// passes. Bytes do not limit it: keys alone wait for instructions and shared memory, pairs for the L2 cache.
// docs/performance/10-radix.md has the measurements.
#include <algorithm>

#include "order_word.cuh"
#include "toolbox/block.h"

namespace {

constexpr int kBits = 8, kDigits = 1 << kBits;
constexpr int kThreads = kDigits;  // some steps have a thread for each digit
constexpr int kWarps = kThreads / 32, kCountingThreads = 512;

// Rows of 32 keys in a warp's part of a tile. A tile has 32 KB: the larger it is, the longer its runs of equal digits.
template <class Key>
__host__ __device__ constexpr int rows() {
    return 128 / sizeof(Key);
}
template <class Key>
__host__ __device__ constexpr int tile_size() {
    return kThreads * rows<Key>();
}

// What keys are sorted by. From here to the last store, a pass handles words instead of keys.
template <class Key>
using Word = decltype(order_word(Key{}));

// The digit of pass p; pass 0 has the lowest bits. The last digit may have fewer bits.
__host__ __device__ Digit digit_of_pass(Bits bits, int p) {
    int begin = bits.begin + p * kBits;
    return {begin, bits.end - begin < kBits ? bits.end - begin : kBits};
}

// ---- Counts of each digit, over all keys ----

// Launch: any number of blocks. Adds to d_counts[pass * kDigits + digit]. Shared memory: kCopies copies of the block's
// counts. Lane t adds to copy t % kCopies; the copies of a count lie in different banks.
template <class Key>
__global__ void __launch_bounds__(kCountingThreads)
    count_all_digits(const Key* d_keys, int* d_counts, int n, Bits bits) {
    constexpr int kCopies = 32 / sizeof(Key), kKeys = 16 / sizeof(Key);
    struct alignas(16) Vector {
        Key key[kKeys];
    };
    __shared__ int s_counts[sizeof(Key) * kDigits][kCopies];
    int passes = ceil_div(bits.end - bits.begin, kBits), copy = threadIdx.x % kCopies;
    for (int i = threadIdx.x; i < passes * kDigits; i += kCountingThreads) {
        for (int k = 0; k < kCopies; ++k) s_counts[i][(copy + k) % kCopies] = 0;
    }
    __syncthreads();
    auto count = [&](Key key) {
#pragma unroll
        for (int p = 0; p < static_cast<int>(sizeof(Key)); ++p) {
            if (p < passes) atomicAdd(&s_counts[p * kDigits + digit_of_pass(bits, p).of(order_word(key))][copy], 1);
        }
    };
    int t = blockIdx.x * kCountingThreads + threadIdx.x;
    for (int i = t; i < n / kKeys; i += gridDim.x * kCountingThreads) {
        Vector vector = reinterpret_cast<const Vector*>(d_keys)[i];
        for (int k = 0; k < kKeys; ++k) count(vector.key[k]);
    }
    if (t < n % kKeys) count(d_keys[n - 1 - t]);
    __syncthreads();
    for (int i = threadIdx.x; i < passes * kDigits; i += kCountingThreads) {
        int sum = 0;
        for (int k = 0; k < kCopies; ++k) sum += s_counts[i][(copy + k) % kCopies];
        if (sum > 0) atomicAdd(&d_counts[i], sum);
    }
}

// ---- What a tile publishes for each digit: status and number in one word, so that they arrive together ----

// The upper half of a state is a stamp, which grows from pass to pass. One that is not greater than (pass, empty) comes
// from an earlier pass, or is 0: nothing is published yet. So one memset empties the states for all passes.
// count: how many keys of the digit the tile has. end: where these keys end in the output, which a tile learns from
// earlier tiles, and tile 0 from the counts of all smaller digits.
enum class Status : unsigned { empty, count, end };

__device__ unsigned stamp_of(unsigned pass, Status status) { return 2 * pass + static_cast<unsigned>(status); }

__device__ void publish(unsigned long long* d_state, int pass, Status status, int number) {
    unsigned long long stamp = stamp_of(pass, status);
    store_relaxed(d_state, stamp << 32 | static_cast<unsigned>(number));
}

// Where the tile's first key with the thread's digit goes in the output, for a tile after the first. Each thread looks
// back for its own digit, at kLook states at once. With values, 2 are faster than 4, because the L2 cache is busy.
template <int kLook>
__device__ int first_place_of(unsigned long long* d_states, int pass, int tile) {
    int earlier = 0, nearest = tile - 1;  // keys of the digit in the tiles seen so far
    unsigned nanoseconds = 8;
    for (;;) {
        unsigned long long state[kLook];
#pragma unroll
        for (int k = 0; k < kLook; ++k) {
            state[k] = load_relaxed(d_states + max(nearest - k, 0) * kDigits + threadIdx.x);  // tile 0 ends the search
        }
        int seen = 0;
#pragma unroll
        for (int k = 0; k < kLook; ++k) {
            unsigned stamp = static_cast<unsigned>(state[k] >> 32);
            if (seen < k || stamp <= stamp_of(pass, Status::empty)) continue;  // not published yet
            earlier += static_cast<int>(state[k]);
            if (stamp == stamp_of(pass, Status::end)) return earlier;
            ++seen;
        }
        nearest -= seen;
        if (seen == 0) {
            __nanosleep(nanoseconds);
            nanoseconds = nanoseconds < 256 ? 2 * nanoseconds : 256;
        }
    }
}

// The lanes of the warp that have this lane's digit: those that vote as it does on every bit. Written in PTX, because
// the compiler makes about twice as many instructions of the same steps in C++. (__match_any_sync gives the same lanes,
// but is slower.)
__device__ unsigned lanes_alike(unsigned digit) {
    unsigned alike = kAllLanes;
#pragma unroll
    for (int b = 0; b < kBits; ++b) {
        unsigned votes;
        asm volatile(
            "{ .reg .pred is_one; .reg .b32 bit;"
            "  and.b32 bit, %1, %2; setp.ne.u32 is_one, bit, 0;"
            "  vote.sync.ballot.b32 %0, is_one, 0xffffffff;"
            "  @!is_one not.b32 %0, %0; }"
            : "=r"(votes)
            : "r"(digit), "r"(1u << b));
        alike &= votes;
    }
    return alike;
}

// What a pass reads and writes. d_counts[digit] is the number of keys with that digit.
template <class Key>
struct Pass {
    const Key* d_keys_in;
    const unsigned* d_values_in;
    Key* d_keys_out;
    unsigned* d_values_out;
    const int* d_counts;
    unsigned long long* d_states;
    unsigned* d_ticket;
    int n, number;
    Digit digit, same_digit;  // equal, which the compiler does not know: so it computes the keys' digits again in each
                              // step, instead of keeping them in registers
};

// Writes the sorted tile's keys; to[r] becomes where the thread's key of row r goes.
template <int kRows, class Word, class Key>
__device__ void store_keys(const Word* s_words, int count, const int* s_shift, Digit digit, int (&to)[kRows],
                           Key* d_out) {
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
        int j = threadIdx.x + r * kThreads;
        if (j >= count) continue;
        to[r] = s_shift[digit.of(s_words[j])] + j;
        d_out[to[r]] = key_of(s_words[j], Key{});
    }
}

// Moves values to the places of their keys, through the shared memory in which the keys were sorted.
template <int kRows>
__device__ void move_values(const unsigned (&value)[kRows], const int (&place)[kRows], const int (&to)[kRows],
                            int count, unsigned* s_values, unsigned* d_out) {
    __syncthreads();
#pragma unroll
    for (int r = 0; r < kRows; ++r) s_values[place[r]] = value[r];
    __syncthreads();
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
        int j = threadIdx.x + r * kThreads;
        if (j < count) d_out[to[r]] = s_values[j];
    }
}

// Sorts the warp's words by their digits into shared memory; place[r] becomes where word[r] is.
template <int kRows, class Word>
__device__ void rank(const Word (&word)[kRows], int (&place)[kRows], Digit digits, int* s_next, Word* s_words) {
    int lane = threadIdx.x % 32;
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
        unsigned digit = digits.of(word[r]);
        unsigned alike = lanes_alike(digit);
        place[r] = s_next[digit] + __popc(alike & ((1u << lane) - 1));
        __syncwarp();
        if (alike >> lane == 1) s_next[digit] = place[r] + 1;  // the last of them
        __syncwarp();
        s_words[place[r]] = word[r];
    }
}

// A thread for each digit: from how many keys a warp has to where the first of them goes in the tile.
__device__ void counts_to_places(int (&s_next)[kWarps][kDigits], int next) {
    for (int w = 0; w < kWarps; ++w) {
        int of_warp = s_next[w][threadIdx.x];
        s_next[w][threadIdx.x] = next;
        next += of_warp;
    }
}

// Launch: a block for each tile. s_next[warp][digit]: how many keys, then where the next of them goes in the tile.
template <class Key, bool kHasValues>
__global__ void __launch_bounds__(kThreads, kHasValues ? 2 : 3) sweep(Pass<Key> pass) {
    constexpr int kRows = rows<Key>(), kTile = tile_size<Key>(), kLook = kHasValues ? 2 : 4;
    __shared__ Word<Key> s_words[kTile];
    __shared__ int s_next[kWarps][kDigits], s_shift[kDigits], s_tile;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, d = threadIdx.x;

    // Tiles are numbered in the order in which blocks start: a tile waits only for tiles that are running already.
    if (threadIdx.x == 0) s_tile = static_cast<int>(atomicAdd(pass.d_ticket, 1));
    for (int w = 0; w < kWarps; ++w) s_next[w][d] = 0;
    __syncthreads();
    int tile = s_tile, first = tile * kTile, mine = warp * (32 * kRows) + lane;
    int count = min(kTile, pass.n - first);

    // Places beyond the end get the greatest word, so they stay after all keys. They are counted, too, but only in the
    // last tile, whose counts no other tile reads.
    Word<Key> word[kRows];
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
        int j = mine + r * 32;
        word[r] = j < count ? order_word(pass.d_keys_in[first + j]) : ~Word<Key>{0};
    }
#pragma unroll
    for (int r = 0; r < kRows; ++r) atomicAdd(&s_next[warp][pass.digit.of(word[r])], 1);
    // Where the tile's first key of digit d goes in the output; so far only the first tile knows.
    int first_place = tile == 0 ? exclusive_sum_of_block<kThreads>(pass.d_counts[d]) : 0;
    __syncthreads();

    // A thread for each digit: publish its count, then find where each warp's keys go in the sorted tile.
    int of_tile = 0;
    for (int w = 0; w < kWarps; ++w) of_tile += s_next[w][d];
    unsigned long long* d_state = pass.d_states + tile * kDigits + d;
    publish(d_state, pass.number, tile == 0 ? Status::end : Status::count, first_place + of_tile);
    int local = exclusive_sum_of_block<kThreads>(of_tile);
    counts_to_places(s_next, local);
    __syncthreads();

    // The values are on their way while the keys are ranked.
    [[maybe_unused]] unsigned value[kRows];
    if constexpr (kHasValues) {
#pragma unroll
        for (int r = 0; r < kRows; ++r) value[r] = mine + r * 32 < count ? pass.d_values_in[first + mine + r * 32] : 0;
    }

    // Sort the tile in shared memory, so that neighbouring threads write to neighbouring places.
    int place[kRows];
    rank(word, place, pass.same_digit, s_next[warp], s_words);

    // Look back. Earlier tiles publish before they sort their keys, so most of them have published by now.
    if (tile > 0) {
        first_place = first_place_of<kLook>(pass.d_states, pass.number, tile);
        publish(d_state, pass.number, Status::end, first_place + of_tile);
    }
    s_shift[d] = first_place - local;
    __syncthreads();
    int to[kRows];
    store_keys(s_words, count, s_shift, pass.digit, to, pass.d_keys_out);
    if constexpr (kHasValues) {
        move_values(value, place, to, count, reinterpret_cast<unsigned*>(s_words), pass.d_values_out);
    }
}

}  // namespace

template <class Key>
void onesweep(const Key* d_keys_in, const unsigned* d_values_in, Key* d_keys_out, unsigned* d_values_out, int n,
              Bits bits, Workspace& work) {
    if (n == 0) return;
    int tiles = ceil_div(n, tile_size<Key>()), passes = ceil_div(bits.end - bits.begin, kBits);
    // States, tickets and counts lie side by side, so that one memset clears them all.
    std::size_t states = std::size_t{kDigits} * tiles, words = passes * (kDigits + 1);
    std::size_t bytes = states * sizeof(unsigned long long) + words * sizeof(unsigned);
    auto* d_states = reinterpret_cast<unsigned long long*>(work.get<char>(bytes));
    auto* d_tickets = reinterpret_cast<unsigned*>(d_states + states);
    int* d_counts = reinterpret_cast<int*>(d_tickets + passes);
    CUDA_CHECK(cudaMemsetAsync(d_states, 0, bytes));
    int blocks = std::min(ceil_div(n, 16 * kCountingThreads), 528);  // 132 multiprocessors hold 4 each (H200)
    count_all_digits<<<blocks, kCountingThreads>>>(d_keys_in, d_counts, n, bits);
    CUDA_CHECK(cudaGetLastError());

    Turns<Key> keys(d_keys_in, d_keys_out, n, passes, work);
    Turns<unsigned> values(d_values_in, d_values_out, n, passes, work);
    auto* kernel = d_values_in != nullptr ? sweep<Key, true> : sweep<Key, false>;
    for (int p = 0; p < passes; ++p, keys.next(), values.next()) {
        kernel<<<tiles, kThreads>>>({keys.d_from, values.d_from, keys.d_to, values.d_to, d_counts + p * kDigits,
                                     d_states, d_tickets + p, n, p, digit_of_pass(bits, p), digit_of_pass(bits, p)});
        CUDA_CHECK(cudaGetLastError());
    }
}

template void onesweep(const unsigned*, const unsigned*, unsigned*, unsigned*, int, Bits, Workspace&);
template void onesweep(const int*, const unsigned*, int*, unsigned*, int, Bits, Workspace&);
template void onesweep(const float*, const unsigned*, float*, unsigned*, int, Bits, Workspace&);
template void onesweep(const unsigned long long*, const unsigned*, unsigned long long*, unsigned*, int, Bits,
                       Workspace&);
