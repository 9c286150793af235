// Task 5, onesweep: one launch for each digit, after one that counts the digits of all passes. A tile looks back to
// learn how many keys of each digit are in earlier tiles, so a pass reads and writes each key once. A warp ranks 32
// keys by whole digits, instead of splitting the tile bit by bit. (Adinets and Merrill, "Onesweep", 2022.)
#include "digit_pass.cuh"
#include "order_word.cuh"

constexpr int kBits = 8, kDigits = 1 << kBits;  // some steps have a thread for each digit: kThreads is kDigits

// Launch: any number of blocks. Adds to d_counts[pass * kDigits + digit]. Shared memory: the block's counts.
template <class Key>
__global__ void __launch_bounds__(kThreads) count_all_digits(const Key* d_keys, int* d_counts, int n, Bits bits) {
    __shared__ int s_counts[sizeof(Key)][kDigits];
    int passes = ceil_div(bits.end - bits.begin, kBits);
    for (int p = 0; p < passes; ++p) s_counts[p][threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads) {
        for (int p = 0, begin = bits.begin; p < passes; ++p, begin += kBits)
            atomicAdd(&s_counts[p][OrderedDigit{{begin, min(kBits, bits.end - begin)}}.of(d_keys[i])], 1);
    }
    __syncthreads();
    for (int p = 0; p < passes; ++p) atomicAdd(&d_counts[p * kDigits + threadIdx.x], s_counts[p][threadIdx.x]);
}

// What a tile publishes for each digit, status and number in one word: how many keys of the digit it has, then where
// these keys end in the output. A word of 0: nothing yet.
constexpr unsigned long long kCount = 1ULL << 32, kEnd = 2ULL << 32;

// Where the tile's first key with the thread's digit goes in the output. Tile 0 knows it from the counts of the smaller
// digits. Any other tile publishes its own count, and looks back until an earlier tile knows where its keys end.
__device__ int first_place_of(unsigned long long* d_states, const int* d_counts, int tile, int of_tile) {
    unsigned long long *d_own = d_states + tile * kDigits + threadIdx.x, *d_state = d_own, word = kEnd;
    int place = tile == 0 ? exclusive_sum_of_block<kThreads>(d_counts[threadIdx.x]) : 0;
    if (tile > 0) store_relaxed(d_own, word = kCount | of_tile);
    while (word < kEnd) {
        d_state -= kDigits;
        while ((word = load_relaxed(d_state)) == 0) __nanosleep(32);
        place += static_cast<int>(word);
    }
    store_relaxed(d_own, kEnd | (place + of_tile));
    return place;
}

// Launch: a block for each tile. s_next[warp][digit]: how many keys, then where the next of them goes in the tile.
template <class Key>
__global__ void __launch_bounds__(kThreads)
    sweep(const Key* d_keys_in, const unsigned* d_values_in, Key* d_keys_out, unsigned* d_values_out,
          const int* d_counts, unsigned long long* d_states, unsigned* d_ticket, int n, OrderedDigit digit) {
    constexpr int kRows = rows<Key>(), kTile = tile_size<Key>();
    __shared__ Key s_keys[kTile];
    __shared__ unsigned s_values[kTile];
    __shared__ int s_next[kWarps][kDigits], s_shift[kDigits], s_tile;
    int d = threadIdx.x, warp = d / 32, lane = d % 32;
    // Tiles are numbered in the order in which blocks start: a tile waits only for tiles that are running already.
    if (d == 0) s_tile = static_cast<int>(atomicAdd(d_ticket, 1));
    for (int w = 0; w < kWarps; ++w) s_next[w][d] = 0;
    __syncthreads();
    int tile = s_tile, first = tile * kTile, mine = first_of_thread<Key>(), count = min(kTile, n - first);

    // Count. Places beyond the end get the last key of all, so they stay behind; no tile reads the last tile's counts.
    Key key[kRows];
    for (int r = 0; r < kRows; ++r) key[r] = mine + r * 32 < count ? d_keys_in[first + mine + r * 32] : last_key<Key>();
    for (int r = 0; r < kRows; ++r) atomicAdd(&s_next[warp][digit.of(key[r])], 1);
    __syncthreads();
    // A thread for each digit: where its keys go in the output, and where those of each warp go in the sorted tile.
    int of_tile = 0;
    for (int w = 0; w < kWarps; ++w) of_tile += s_next[w][d];
    int first_place = first_place_of(d_states, d_counts, tile, of_tile);
    int next = exclusive_sum_of_block<kThreads>(of_tile);
    s_shift[d] = first_place - next;
    for (int w = 0; w < kWarps; ++w) {
        next += s_next[w][d];
        s_next[w][d] = next - s_next[w][d];
    }
    __syncthreads();
    // Sort the tile in shared memory, so that neighbouring threads write to neighbouring places.
    for (int r = 0; r < kRows; ++r) {
        unsigned own = digit.of(key[r]), alike = __match_any_sync(kAllLanes, own);  // the lanes with the same digit
        int j = mine + r * 32, place = s_next[warp][own] + __popc(alike & ((1u << lane) - 1));
        __syncwarp();
        if (alike >> lane == 1) s_next[warp][own] = place + 1;  // the last of them
        __syncwarp();
        s_keys[place] = key[r];
        if (d_values_in != nullptr && j < count) s_values[place] = d_values_in[first + j];
    }
    __syncthreads();
    for (int j = d; j < count; j += kThreads) {
        int to = s_shift[digit.of(s_keys[j])] + j;
        d_keys_out[to] = s_keys[j];
        if (d_values_in != nullptr) d_values_out[to] = s_values[j];
    }
}

template <class Key>
void onesweep(const Key* d_keys_in, const unsigned* d_values_in, Key* d_keys_out, unsigned* d_values_out, int n,
              Bits bits, Workspace& work) {
    if (n == 0) return;
    int tiles = ceil_div(n, tile_size<Key>()), passes = ceil_div(bits.end - bits.begin, kBits);
    // Of all passes, side by side. The tickets lie after the counts, so that one memset clears both.
    auto* d_states = work.get<unsigned long long>(std::size_t{kDigits} * passes * tiles);
    auto* d_counts = work.get<int>(passes * (kDigits + 1));
    CUDA_CHECK(cudaMemsetAsync(d_states, 0, sizeof *d_states * kDigits * passes * tiles));
    CUDA_CHECK(cudaMemsetAsync(d_counts, 0, sizeof *d_counts * passes * (kDigits + 1)));
    count_all_digits<<<min(tiles, 1024), kThreads>>>(d_keys_in, d_counts, n, bits);
    CUDA_CHECK(cudaGetLastError());
    Turns<Key> keys(d_keys_in, d_keys_out, n, passes, work);
    Turns<unsigned> values(d_values_in, d_values_out, n, passes, work);
    for (int p = 0; p < passes; ++p, keys.next(), values.next()) {
        OrderedDigit digit{{bits.begin + p * kBits, min(kBits, bits.end - bits.begin - p * kBits)}};
        auto* d_ticket = reinterpret_cast<unsigned*>(d_counts + passes * kDigits + p);
        sweep<<<tiles, kThreads>>>(keys.d_from, values.d_from, keys.d_to, values.d_to, d_counts + p * kDigits,
                                   d_states + std::size_t{kDigits} * p * tiles, d_ticket, n, digit);
        CUDA_CHECK(cudaGetLastError());
    }
}

template void onesweep(const unsigned*, const unsigned*, unsigned*, unsigned*, int, Bits, Workspace&);
template void onesweep(const int*, const unsigned*, int*, unsigned*, int, Bits, Workspace&);
template void onesweep(const float*, const unsigned*, float*, unsigned*, int, Bits, Workspace&);
template void onesweep(const unsigned long long*, const unsigned*, unsigned long long*, unsigned*, int, Bits,
                       Workspace&);
