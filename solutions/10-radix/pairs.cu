// Task 3, pairs: as 2, but a digit is taken from the key's order word, so that keys may have any type, and a value goes
// where its key goes. The key itself does not change: every pass computes order_word() anew, in a few instructions.
// Global memory: 124 bytes for a 32-bit key with its value, in 4 passes.
#include <algorithm>

#include "digit_pass.cuh"
#include "order_word.cuh"

namespace {

constexpr int kBits = 8;

// Launch: a block for each tile. As in task 2, but values take the same steps as their keys.
template <class Key>
__global__ void __launch_bounds__(kThreads)
    sort_tiles(const Key* d_keys_in, const unsigned* d_values_in, Key* d_keys_out, unsigned* d_values_out,
               const int* d_local, const int* d_global, int n, OrderedDigit digit) {
    constexpr int kDigits = 1 << kBits, kRows = rows<Key>(), kTile = tile_size<Key>();
    __shared__ Key s_keys[kTile];
    __shared__ unsigned s_values[kTile];
    __shared__ int s_zeros[kWarps], s_shift[kDigits];
    int first = blockIdx.x * kTile, mine = first_of_thread<Key>();
    int count = min(kTile, n - first);

    Key key[kRows];
    unsigned value[kRows];
    for (int r = 0; r < kRows; ++r) {
        int j = mine + r * 32;
        key[r] = j < count ? d_keys_in[first + j] : Key{};
        value[r] = j < count ? d_values_in[first + j] : 0;
    }
    int d = threadIdx.x;
    if (d < kDigits) s_shift[d] = d_global[d * gridDim.x + blockIdx.x] - d_local[blockIdx.x * kDigits + d];

    for (int bit = 0; bit < digit.count; ++bit) {
        bool is_one[kRows];
        int place[kRows];
        for (int r = 0; r < kRows; ++r) is_one[r] = mine + r * 32 >= count || (digit.of(key[r]) >> bit & 1) == 1;
        split_places(is_one, place, s_zeros);
        for (int r = 0; r < kRows; ++r) {
            s_keys[place[r]] = key[r];
            s_values[place[r]] = value[r];
        }
        __syncthreads();
        for (int r = 0; r < kRows; ++r) {
            key[r] = s_keys[mine + r * 32];
            value[r] = s_values[mine + r * 32];
        }
    }
    for (int r = 0; r < kRows; ++r) {
        int j = mine + r * 32;
        if (j >= count) continue;
        int to = s_shift[digit.of(key[r])] + j;
        d_keys_out[to] = key[r];
        d_values_out[to] = value[r];
    }
}

}  // namespace

template <class Key>
void pairs(const Key* d_keys_in, const unsigned* d_values_in, Key* d_keys_out, unsigned* d_values_out, int n, Bits bits,
           Workspace& work) {
    if (n == 0) return;
    int tiles = ceil_div(n, tile_size<Key>()), passes = ceil_div(bits.end - bits.begin, kBits);
    int *d_local = work.get<int>(tiles << kBits), *d_global = work.get<int>((tiles << kBits) + 1);
    Turns<Key> keys(d_keys_in, d_keys_out, n, passes, work);
    Turns<unsigned> values(d_values_in, d_values_out, n, passes, work);
    SideStream side;
    for (int begin = bits.begin; begin < bits.end; begin += kBits, keys.next(), values.next()) {
        OrderedDigit digit{{begin, std::min(kBits, bits.end - begin)}};
        find_offsets<kBits>(keys.d_from, d_local, d_global, n, digit, side, work);
        sort_tiles<<<tiles, kThreads>>>(keys.d_from, values.d_from, keys.d_to, values.d_to, d_local, d_global, n,
                                        digit);
        CUDA_CHECK(cudaGetLastError());
    }
}

template void pairs(const unsigned*, const unsigned*, unsigned*, unsigned*, int, Bits, Workspace&);
template void pairs(const int*, const unsigned*, int*, unsigned*, int, Bits, Workspace&);
template void pairs(const float*, const unsigned*, float*, unsigned*, int, Bits, Workspace&);
template void pairs(const unsigned long long*, const unsigned*, unsigned long long*, unsigned*, int, Bits, Workspace&);
