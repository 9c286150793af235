// Task 2, digit: as 1, but with R bits a pass. The sum runs over one count for each tile and digit instead of a flag
// for each key. Within a tile, the keys are still split bit by bit, but in shared memory, where a split is cheap.
// Global memory: each pass reads the keys twice and writes them once; with the counts, 81 bytes a key for R = 8.
// (Satish, Harris and Garland, "Designing efficient sorting algorithms for manycore GPUs", IPDPS 2009.)
#include <algorithm>

#include "digit_pass.cuh"

namespace {

// Launch: a block for each tile. Sorts the tile by its digit in shared memory, then writes it. In the sorted tile and
// in d_out, keys of the same digit are neighbours. Places beyond the end count as ones in every split, so they stay
// after all keys.
template <int R, class Key>
__global__ void __launch_bounds__(kThreads)
    sort_tiles(const Key* d_in, Key* d_out, const int* d_local, const int* d_global, int n, Digit digit) {
    constexpr int kDigits = 1 << R, kRows = rows<Key>(), kTile = tile_size<Key>();
    __shared__ Key s_keys[kTile];
    __shared__ int s_zeros[kWarps], s_shift[kDigits];
    int first = blockIdx.x * kTile, mine = first_of_thread<Key>();
    int count = min(kTile, n - first);

    Key key[kRows];
    for (int r = 0; r < kRows; ++r) {
        int j = mine + r * 32;
        key[r] = j < count ? d_in[first + j] : Key{};
    }
    // The distance from a key's place in the sorted tile to its place in the output; all keys of a digit have the same.
    int d = threadIdx.x;
    if (d < kDigits) s_shift[d] = d_global[d * gridDim.x + blockIdx.x] - d_local[blockIdx.x * kDigits + d];

    // The barrier in split_places() comes after all reads of s_keys in the round before.
    for (int bit = 0; bit < digit.count; ++bit) {
        bool is_one[kRows];
        int place[kRows];
        for (int r = 0; r < kRows; ++r) is_one[r] = mine + r * 32 >= count || (digit.of(key[r]) >> bit & 1) == 1;
        split_places(is_one, place, s_zeros);
        for (int r = 0; r < kRows; ++r) s_keys[place[r]] = key[r];
        __syncthreads();
        for (int r = 0; r < kRows; ++r) key[r] = s_keys[mine + r * 32];
    }
    for (int r = 0; r < kRows; ++r) {
        int j = mine + r * 32;
        if (j < count) d_out[s_shift[digit.of(key[r])] + j] = key[r];
    }
}

}  // namespace

template <int R, class Key>
void digit(const Key* d_in, Key* d_out, int n, Bits bits, Workspace& work) {
    if (n == 0) return;
    int tiles = ceil_div(n, tile_size<Key>()), passes = ceil_div(bits.end - bits.begin, R);
    int *d_local = work.get<int>(tiles << R), *d_global = work.get<int>((tiles << R) + 1);
    Turns<Key> keys(d_in, d_out, n, passes, work);
    SideStream side;
    for (int begin = bits.begin; begin < bits.end; begin += R, keys.next()) {
        Digit digit{begin, std::min(R, bits.end - begin)};
        find_offsets<R>(keys.d_from, d_local, d_global, n, digit, side, work);
        sort_tiles<R><<<tiles, kThreads>>>(keys.d_from, keys.d_to, d_local, d_global, n, digit);
        CUDA_CHECK(cudaGetLastError());
    }
}

template void digit<1>(const unsigned*, unsigned*, int, Bits, Workspace&);
template void digit<2>(const unsigned*, unsigned*, int, Bits, Workspace&);
template void digit<4>(const unsigned*, unsigned*, int, Bits, Workspace&);
template void digit<8>(const unsigned*, unsigned*, int, Bits, Workspace&);
template void digit<8>(const unsigned long long*, unsigned long long*, int, Bits, Workspace&);
