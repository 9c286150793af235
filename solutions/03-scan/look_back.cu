// Rung 5, look_back: as 4, but in one launch: a tile gets its exclusive prefix by looking back at what the tiles
// before it have published, and elements stay in registers. Global memory: each element read once, written once.
// (Merrill and Garland, "Single-pass parallel prefix scan with decoupled look-back", NVIDIA NVR-2016-002.)
#include "scan.h"
#include "segmented.cuh"
#include "tile_state.cuh"
#include "warp_scan.cuh"

constexpr int kThreads = 512;
constexpr int kWarps = kThreads / 32;
constexpr int kRows = 6;  // of 32 vectors each, for every warp: 96 bytes a lane, all on their way at once

// What a lane moves at once: 16 bytes.
template <class T>
struct alignas(16) Vector {
    static constexpr int kSize = 16 / sizeof(T);
    T item[kSize];
};

template <class T>
__host__ __device__ constexpr int tile_size() {
    return kThreads * kRows * Vector<T>::kSize;
}

// A lane's vectors, one of each row. Only the last tile is not full, and goes element by element.
template <class T>
__device__ void load_rows(Vector<T> (&row)[kRows], const T* d_in, int first, int n, bool full, T otherwise) {
    constexpr int kSize = Vector<T>::kSize;
    for (int r = 0; r < kRows; ++r) {
        int at = first + r * 32 * kSize;
        if (full) {
            row[r] = *reinterpret_cast<const Vector<T>*>(d_in + at);
        } else {
            for (int k = 0; k < kSize; ++k) row[r].item[k] = at + k < n ? d_in[at + k] : otherwise;
        }
    }
}

template <class T>
__device__ void store_rows(const Vector<T> (&row)[kRows], T* d_out, int first, int n, bool full) {
    constexpr int kSize = Vector<T>::kSize;
    for (int r = 0; r < kRows; ++r) {
        int at = first + r * 32 * kSize;
        if (full) {
            *reinterpret_cast<Vector<T>*>(d_out + at) = row[r];
        } else {
            for (int k = 0; k < kSize; ++k) {
                if (at + k < n) d_out[at + k] = row[r].item[k];
            }
        }
    }
}

// The sum of all elements of all tiles before `tile`. Called by one full warp.
template <class Op>
__device__ typename Op::type exclusive_prefix_of(TileStates<typename Op::type> states, int tile, int lane) {
    using T = typename Op::type;
    T sum = Op::identity();  // of the tiles looked at so far, in their order
    for (int nearest = tile - 1;; nearest -= 32) {
        T value = Op::identity();
        Status status = Status::inclusive_prefix;  // before tile 0 there is nothing more to add
        if (nearest >= lane) status = states.wait_for(nearest - lane, value);
        // Lane 0 has the tile next to us. The first lane that knows an inclusive prefix ends the search.
        unsigned known = __ballot_sync(kAllLanes, status == Status::inclusive_prefix);
        int last = known == 0 ? 31 : __ffs(known) - 1;
        if (lane > last) value = Op::identity();
        sum = Op()(reduce_backwards<Op>(value, lane), sum);
        if (known != 0) return sum;
    }
}

// Launch: a block of kThreads for each tile. Shared memory: the warps' sums, the tile's number and exclusive prefix.
template <Scan kind, class Op>
__global__ void __launch_bounds__(kThreads)
    look_back_kernel(const typename Op::type* d_in, typename Op::type* d_out, TileStates<typename Op::type> states,
                     unsigned* d_ticket, int n) {
    using T = typename Op::type;
    __shared__ unsigned s_tile;
    __shared__ T s_of_warp[kWarps];
    __shared__ T s_exclusive;
    Op op;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;

    // Tiles in the order in which blocks start: every tile that is waited for is already at work.
    if (threadIdx.x == 0) s_tile = atomicAdd(d_ticket, 1);
    __syncthreads();
    int tile = s_tile;

    // A row is 32 neighbouring vectors, a warp owns kRows neighbouring rows. All loads before the first use.
    int first = tile * tile_size<T>() + (warp * kRows * 32 + lane) * Vector<T>::kSize;
    bool full = (tile + 1) * tile_size<T>() <= n;
    Vector<T> row[kRows];
    load_rows(row, d_in, first, n, full, Op::identity());

    // before[r]: the sum of all elements of this warp before row[r].
    T before[kRows];
    T total = Op::identity();
    for (int r = 0; r < kRows; ++r) {
        T sum = row[r].item[0];
        for (int k = 1; k < Vector<T>::kSize; ++k) sum = op(sum, row[r].item[k]);
        sum = inclusive_warp_scan<Op>(sum, lane);
        T left = shuffle_up(sum, 1);
        before[r] = lane == 0 ? total : op(total, left);
        total = op(total, shuffle(sum, 31));
    }
    if (lane == 0) s_of_warp[warp] = total;
    __syncthreads();

    // The first warp publishes the aggregate before it looks back, so that no later tile waits for its search.
    if (warp == 0) {
        T aggregate = s_of_warp[0];
        for (int w = 1; w < kWarps; ++w) aggregate = op(aggregate, s_of_warp[w]);
        if (lane == 0) states.publish(tile, tile == 0 ? Status::inclusive_prefix : Status::aggregate, aggregate);
        T exclusive = exclusive_prefix_of<Op>(states, tile, lane);
        if (lane == 0) {
            if (tile > 0) states.publish(tile, Status::inclusive_prefix, op(exclusive, aggregate));
            s_exclusive = exclusive;
        }
    }
    __syncthreads();

    T start = s_exclusive;
    for (int w = 0; w < warp; ++w) start = op(start, s_of_warp[w]);
    for (int r = 0; r < kRows; ++r) {
        T sum = op(start, before[r]);
        for (int k = 0; k < Vector<T>::kSize; ++k) {
            T next = op(sum, row[r].item[k]);
            row[r].item[k] = kind == Scan::inclusive ? next : sum;
            sum = next;
        }
    }
    store_rows(row, d_out, first, n, full);
}

template <Scan kind, class Op>
void look_back(const typename Op::type* d_in, typename Op::type* d_out, int n, Workspace& work) {
    using T = typename Op::type;
    if (n == 0) return;
    int tiles = ceil_div(n, tile_size<T>());
    // The ticket lies behind the states, so that one call empties both.
    std::size_t words = TileStates<T>::words(tiles);
    auto* d_words = work.get<unsigned long long>(words + 1);
    CUDA_CHECK(cudaMemsetAsync(d_words, 0, (words + 1) * sizeof *d_words));
    look_back_kernel<kind, Op>
        <<<tiles, kThreads>>>(d_in, d_out, TileStates<T>{d_words}, reinterpret_cast<unsigned*>(d_words + words), n);
    CUDA_CHECK(cudaGetLastError());
}

template void look_back<Scan::exclusive, Sum<int>>(const int*, int*, int, Workspace&);
template void look_back<Scan::inclusive, Sum<int>>(const int*, int*, int, Workspace&);
template void look_back<Scan::exclusive, Max<int>>(const int*, int*, int, Workspace&);
template void look_back<Scan::exclusive, Sum<long long>>(const long long*, long long*, int, Workspace&);
template void look_back<Scan::inclusive, Sum<float>>(const float*, float*, int, Workspace&);
template void look_back<Scan::inclusive, Compose>(const Affine*, Affine*, int, Workspace&);
template void look_back<Scan::inclusive, SegmentedSum>(const Pair*, Pair*, int, Workspace&);
