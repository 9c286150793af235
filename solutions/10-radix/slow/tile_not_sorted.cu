// verdict: SLOW task=digit
// because: sectors a request where 4.0 would do
// Finds out where each key belongs in the sorted tile, and writes it from where it lies: neighbours write all over the
// output.
#include <utility>

#include "radix.h"

// Which bits of a key a pass looks at: `count` bits from `begin` on.
struct Digit {
    int begin, count;

    template <class Key>
    __device__ unsigned of(Key key) const {
        return static_cast<unsigned>(key >> begin) & ((1u << count) - 1);
    }
};

// The array that a pass reads and the one that it writes. Two take turns, so that the last of `passes` writes d_out.
template <class T>
struct Turns {
    const T* d_from;
    T *d_to, *d_other = nullptr;

    Turns(const T* d_in, T* d_out, int n, int passes, Workspace& work) : d_from(d_in), d_to(d_out) {
        if (passes > 1) d_other = work.get<T>(n);
        if (passes % 2 == 0) std::swap(d_to, d_other);
    }
    void next() {
        d_from = d_to;
        std::swap(d_to, d_other);
    }
};

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr unsigned kAllLanes = 0xffffffff;

// Rows of 32 keys for every warp. Keys, values and counts of a tile fit into 48 KB of shared memory.
template <class Key>
__host__ __device__ constexpr int rows() {
    return sizeof(Key) == 8 ? 8 : 16;
}
template <class Key>
__host__ __device__ constexpr int tile_size() {
    return kThreads * rows<Key>();
}

// Where in its tile a thread's key of row 0 lies; that of the next row is 32 places on.
template <class Key>
__device__ int first_of_thread() {
    return static_cast<int>(threadIdx.x) / 32 * (rows<Key>() * 32) + threadIdx.x % 32;
}

// Launch: a block for each tile. Counts go into two tables, one the other's transpose: row by row a tile's digits, of
// which the tile itself makes local offsets, and row by row a digit's tiles, whose sum makes the global ones.
template <int R, class Key>
__global__ void __launch_bounds__(kThreads)
    count_tiles(const Key* d_keys, int* d_of_tile, int* d_of_digit, int n, Digit digit) {
    constexpr int kDigits = 1 << R;
    __shared__ int s_counts[kDigits];
    if (threadIdx.x < kDigits) s_counts[threadIdx.x] = 0;
    __syncthreads();
    int first = blockIdx.x * tile_size<Key>() + first_of_thread<Key>();
    for (int r = 0; r < rows<Key>(); ++r) {
        int i = first + r * 32;
        if (i < n) atomicAdd(&s_counts[digit.of(d_keys[i])], 1);
    }
    __syncthreads();
    int d = threadIdx.x;
    if (d >= kDigits) return;
    d_of_tile[blockIdx.x * kDigits + d] = s_counts[d];
    d_of_digit[d * gridDim.x + blockIdx.x] = s_counts[d];
}

// Launch: a warp for each tile. Exclusive sums of each row of kDigits counts, in place: where in the sorted tile its
// first key of each digit lies.
template <int R>
__global__ void __launch_bounds__(kThreads) local_offsets(int* d_of_tile, int tiles) {
    constexpr int kDigits = 1 << R;
    int tile = (blockIdx.x * kThreads + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (tile >= tiles) return;  // whole warps leave
    int before = 0;
    for (int d = lane; d - lane < kDigits; d += 32) {
        int count = d < kDigits ? d_of_tile[tile * kDigits + d] : 0;
        int sum = count;
        for (int distance = 1; distance < 32; distance *= 2) {
            int other = __shfl_up_sync(kAllLanes, sum, distance);
            if (lane >= distance) sum += other;
        }
        if (d < kDigits) d_of_tile[tile * kDigits + d] = before + sum - count;
        before += __shfl_sync(kAllLanes, sum, 31);
    }
}

// The place of each of the thread's keys in the tile after a split by one bit: zeros first, both in their order. Called
// by all threads of a block; holds one barrier.
template <int kRows>
__device__ void split_places(const bool (&is_one)[kRows], int (&place)[kRows], int (&s_zeros)[kWarps]) {
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    unsigned votes[kRows];
    int count = 0;
    for (int r = 0; r < kRows; ++r) {
        votes[r] = __ballot_sync(kAllLanes, !is_one[r]);
        count += __popc(votes[r]);
    }
    if (lane == 0) s_zeros[warp] = count;
    __syncthreads();
    int before = 0, zeros = 0;  // in earlier warps, in the tile
    for (int w = 0; w < kWarps; ++w) {
        if (w == warp) before = zeros;
        zeros += s_zeros[w];
    }
    for (int r = 0; r < kRows; ++r) {
        int zeros_before = before + __popc(votes[r] & ((1u << lane) - 1));
        int i = (warp * kRows + r) * 32 + lane;
        place[r] = is_one[r] ? zeros + i - zeros_before : zeros_before;
        before += __popc(votes[r]);
    }
}

// Launch: a block for each tile. Sorts the tile by its digit in shared memory, one bit after the other, to see
// where each key belongs.
// Places beyond the end count as ones in every split, so they stay behind all keys.
template <int R, class Key>
__global__ void __launch_bounds__(kThreads)
    sort_tiles(const Key* d_keys_in, Key* d_keys_out, const int* d_local, const int* d_global, int n, Digit digit) {
    constexpr int kDigits = 1 << R, kRows = rows<Key>(), kTile = tile_size<Key>();
    __shared__ Key s_keys[kTile];
    __shared__ unsigned short s_origin[kTile], s_place[kTile];
    __shared__ int s_zeros[kWarps], s_shift[kDigits];
    int first = blockIdx.x * kTile, mine = first_of_thread<Key>();
    int count = min(kTile, n - first);

    Key key[kRows];
    for (int r = 0; r < kRows; ++r) {
        int j = mine + r * 32;
        key[r] = j < count ? d_keys_in[first + j] : Key{};
    }
    // A key's place in the output is its place in the sorted tile, shifted by as much as its digit's first key.
    int d = threadIdx.x;
    if (d < kDigits) s_shift[d] = d_global[d * gridDim.x + blockIdx.x] - d_local[blockIdx.x * kDigits + d];

    unsigned short origin[kRows];
    for (int r = 0; r < kRows; ++r) origin[r] = mine + r * 32;
    for (int bit = 0; bit < digit.count; ++bit) {
        bool is_one[kRows];
        int place[kRows];
        for (int r = 0; r < kRows; ++r) is_one[r] = mine + r * 32 >= count || (digit.of(key[r]) >> bit & 1) == 1;
        split_places(is_one, place, s_zeros);
        for (int r = 0; r < kRows; ++r) {
            s_keys[place[r]] = key[r];
            s_origin[place[r]] = origin[r];
        }
        __syncthreads();
        for (int r = 0; r < kRows; ++r) {
            key[r] = s_keys[mine + r * 32];
            origin[r] = s_origin[mine + r * 32];
        }
    }
    for (int r = 0; r < kRows; ++r) s_place[origin[r]] = mine + r * 32;
    __syncthreads();
    for (int r = 0; r < kRows; ++r) {
        int j = mine + r * 32;
        if (j >= count) continue;
        Key own = d_keys_in[first + j];
        d_keys_out[s_shift[digit.of(own)] + s_place[j]] = own;
    }
}

// A stream beside the default one, which overlaps with it. What is on it is waited for by join().
class SideStream {
  public:
    SideStream() {
        CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        CUDA_CHECK(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming));
    }
    ~SideStream() {  // work that is still on its way is finished first
        cudaEventDestroy(event_);
        cudaStreamDestroy(stream_);
    }
    SideStream(const SideStream&) = delete;
    SideStream& operator=(const SideStream&) = delete;

    cudaStream_t get() const { return stream_; }
    // What comes next on the side stream waits for all that is on the default stream now; and the other way round.
    void fork() { hand_over(cudaStreamLegacy, stream_); }
    void join() { hand_over(stream_, cudaStreamLegacy); }

  private:
    void hand_over(cudaStream_t from, cudaStream_t to) {
        CUDA_CHECK(cudaEventRecord(event_, from));
        CUDA_CHECK(cudaStreamWaitEvent(to, event_));
    }
    cudaStream_t stream_;
    cudaEvent_t event_;
};

template <int R, class Key>
void digit(const Key* d_keys_in, Key* d_keys_out, int n, Bits bits, Workspace& work) {
    if (n == 0) return;
    int tiles = ceil_div(n, tile_size<Key>()), passes = ceil_div(bits.end - bits.begin, R);
    int* d_local = work.get<int>(tiles << R);
    int* d_global = work.get<int>((tiles << R) + 1);
    Turns<Key> keys(d_keys_in, d_keys_out, n, passes, work);
    SideStream side;
    for (int begin = bits.begin; begin < bits.end; begin += R) {
        Digit digit{begin, bits.end - begin < R ? bits.end - begin : R};
        count_tiles<R><<<tiles, kThreads>>>(keys.d_from, d_local, d_global, n, digit);
        CUDA_CHECK(cudaGetLastError());
        side.fork();
        local_offsets<R><<<ceil_div(tiles, kWarps), kThreads, 0, side.get()>>>(d_local, tiles);
        CUDA_CHECK(cudaGetLastError());
        primitives::exclusive_sum(d_global, d_global, tiles << R, work);
        side.join();
        sort_tiles<R><<<tiles, kThreads>>>(keys.d_from, keys.d_to, d_local, d_global, n, digit);
        CUDA_CHECK(cudaGetLastError());
        keys.next();
    }
}

template void digit<1>(const unsigned*, unsigned*, int, Bits, Workspace&);
template void digit<2>(const unsigned*, unsigned*, int, Bits, Workspace&);
template void digit<4>(const unsigned*, unsigned*, int, Bits, Workspace&);
template void digit<8>(const unsigned*, unsigned*, int, Bits, Workspace&);
template void digit<8>(const unsigned long long*, unsigned long long*, int, Bits, Workspace&);
