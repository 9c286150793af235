// Style: the solution with names of variables that are not ASCII, shared ones included.
#include <algorithm>
#include <cstring>

#include "scan.h"
#include "toolbox/shuffle.h"
template <class Op, class T>
__host__ __device__ Headed<T> join_segments(Headed<T> a, Headed<T> b) {
    return {b.head ? b.value : Op()(a.value, b.value), a.head | b.head};
}

using SegmentedSum = Segmented<Sum<int>>;
using Pair = Headed<int>;

template <class Op, class T = typename Op::type>
__device__ T inclusive_warp_scan(T value, int lane) {
    for (int distance = 1; distance < 32; distance *= 2) {
        T left = shuffle_up(value, distance);
        if (lane >= distance) value = Op()(left, value);
    }
    return value;
}

template <class Op, class T = typename Op::type>
__device__ T reduce_backwards(T value, int lane) {
    for (int distance = 1; distance < 32; distance *= 2) {
        T left = shuffle_down(value, distance);
        if (lane + distance < 32) value = Op()(left, value);
    }
    return shuffle(value, 0);
}

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr int kRows = 10;  // vectors a thread: 40 registers, and 160 bytes on their way at once

template <class T>
struct alignas(16) Vector {
    static constexpr int kSize = 16 / sizeof(T);
    T item[kSize];
};

template <class T>
__host__ __device__ constexpr int tile_size() {
    return kThreads * kRows * Vector<T>::kSize;
}

template <class T>
__device__ int first_of(int tile) {
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    return tile * tile_size<T>() + (warp * kRows * 32 + lane) * Vector<T>::kSize;
}

template <class T>
__device__ constexpr int row_size() {
    return 32 * Vector<T>::kSize;
}

template <class T>
__device__ void load_tile(Vector<T> (&row)[kRows], const T* d_in, int tile, int n, T otherwise) {
    bool full = (tile + 1) * tile_size<T>() <= n;
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
        int at = first_of<T>(tile) + r * row_size<T>();
        if (full) {
            row[r] = *reinterpret_cast<const Vector<T>*>(d_in + at);
        } else {
            for (int k = 0; k < Vector<T>::kSize; ++k) row[r].item[k] = at + k < n ? d_in[at + k] : otherwise;
        }
    }
}

template <class Op, class T = typename Op::type>
__device__ void store_row(T before, Vector<T> v, T* d_out, int tile, int r, int n) {
    int at = first_of<T>(tile) + r * row_size<T>();
    for (T& item : v.item) item = Op()(before, item);
    if ((tile + 1) * tile_size<T>() <= n) {
        *reinterpret_cast<Vector<T>*>(d_out + at) = v;
    } else {
        for (int k = 0; k < Vector<T>::kSize; ++k) {
            if (at + k < n) d_out[at + k] = v.item[k];
        }
    }
}

template <class Op, class T = typename Op::type>
__device__ void store_tile(T before, const Vector<T> (&row)[kRows], T* d_out, int tile, int n) {
#pragma unroll
    for (int r = 0; r < kRows; ++r) store_row<Op>(before, row[r], d_out, tile, r, n);
}

template <Scan kind, class Op, class T = typename Op::type>
__device__ T scan_rows(Vector<T> (&row)[kRows]) {
    Op op;
    int lane = threadIdx.x % 32;
    T total = Op::identity();  // of the rows so far
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
        T own = row[r].item[0];
        for (int k = 1; k < Vector<T>::kSize; ++k) own = op(own, row[r].item[k]);
        T up_to = inclusive_warp_scan<Op>(own, lane);
        T left = shuffle_up(up_to, 1);
        T sum = lane == 0 ? total : op(total, left);
        total = op(total, shuffle(up_to, 31));
        for (T& item : row[r].item) {
            T next = op(sum, item);
            item = kind == Scan::inclusive ? next : sum;
            sum = next;
        }
    }
    return total;
}

template <class Op, class T = typename Op::type>
__device__ T sum_of_earlier_warps(T of_warp, T& of_tile) {
    __shared__ T s_of_warp[kWarps];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (lane == 0) s_of_warp[warp] = of_warp;
    __syncthreads();
    T before = Op::identity();
    of_tile = Op::identity();
    for (int w = 0; w < kWarps; ++w) {
        if (w == warp) before = of_tile;
        of_tile = Op()(of_tile, s_of_warp[w]);
    }
    return before;
}

enum class Status : unsigned { empty, summe_über_alles, inclusive_prefix };

template <class T>
struct TileStates {
    static constexpr int kWords = sizeof(T) / 4;
    static_assert(sizeof(T) % 4 == 0);
    unsigned long long* d_words;  // kWords for each tile; 0 is "empty"

    static std::size_t words(int tiles) { return std::size_t{kWords} * tiles; }

    __device__ void publish_aggregate(int tile, T summe_über_alles) const {
        publish(tile, tile == 0 ? Status::inclusive_prefix : Status::summe_über_alles, summe_über_alles);
    }
    __device__ void publish_inclusive_prefix(int tile, T prefix) const {
        if (tile > 0) publish(tile, Status::inclusive_prefix, prefix);
    }

    __device__ Status wait_for(int tile, T& value) const {
        unsigned part[kWords];
        for (unsigned nanoseconds = 8;; nanoseconds = nanoseconds < 256 ? 2 * nanoseconds : 256) {
            unsigned status[kWords];
            bool whole = true;
            for (int k = 0; k < kWords; ++k) {
                unsigned long long word = load_relaxed(d_words + tile * kWords + k);
                part[k] = static_cast<unsigned>(word);
                status[k] = static_cast<unsigned>(word >> 32);
                whole = whole && status[k] != 0 && status[k] == status[0];
            }
            if (whole) {
                std::memcpy(&value, part, sizeof value);
                return static_cast<Status>(status[0]);
            }
            __nanosleep(nanoseconds);
        }
    }

  private:
    __device__ void publish(int tile, Status status, T value) const {
        unsigned part[kWords];
        std::memcpy(part, &value, sizeof value);
        if (threadIdx.x % 32 != 0) return;
        for (int k = 0; k < kWords; ++k) {
            store_relaxed(d_words + tile * kWords + k, static_cast<unsigned long long>(status) << 32 | part[k]);
        }
    }
};

template <class Op, class T = typename Op::type>
__device__ T exclusive_prefix(TileStates<T> states, int tile) {
    int lane = threadIdx.x % 32;
    T sum = Op::identity();  // of the tiles looked at so far, in their order
    for (int nächste = tile - 1;; nächste -= 32) {
        T value = Op::identity();
        Status status = Status::inclusive_prefix;  // before tile 0 there is nothing more to add
        if (nächste >= lane) status = states.wait_for(nächste - lane, value);
        unsigned known = __ballot_sync(kAllLanes, status == Status::inclusive_prefix);
        int last = known == 0 ? 31 : __ffs(known) - 1;
        if (lane > last) value = Op::identity();
        sum = Op()(reduce_backwards<Op>(value, lane), sum);
        if (known != 0) return sum;
    }
}

constexpr int kBlocksPerSm = 2;  // leaves a thread 128 registers: 80 for two tiles

template <Scan kind, class Op, class T = typename Op::type>
__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    pipelined_kernel(const T* d_in, T* d_out, TileStates<T> states, unsigned* d_ticket, int n, int tiles) {
    __shared__ int s_tile;
    __shared__ T s_исключая;
    Op op;
    int t = threadIdx.x;
    Vector<T> held_row[kRows];
    int held = -1;  // the tile in held_row: scanned and published, not finished; -1: none
    T держим_сумму = Op::identity(), held_before_warp = Op::identity();

    if (t == 0) {
        s_tile = static_cast<int>(atomicAdd(d_ticket, 1));
        s_исключая = Op::identity();
    }
    __syncthreads();
    int tile = s_tile;
    __syncthreads();
    while (tile < tiles || held >= 0) {
        Vector<T> row[kRows];
        T summe_über_alles = Op::identity(), before_warp = Op::identity();
        int next = tiles;
        if (tile < tiles) {
            load_tile(row, d_in, tile, n, Op::identity());
            if (t == 0) s_tile = static_cast<int>(atomicAdd(d_ticket, 1));
            before_warp = sum_of_earlier_warps<Op>(scan_rows<kind, Op>(row), summe_über_alles);
            if (t < 32) states.publish_aggregate(tile, summe_über_alles);
            next = s_tile;
        }

        if (t < 32 && held >= 0) {
            T exclusive = exclusive_prefix<Op>(states, held);
            states.publish_inclusive_prefix(held, op(exclusive, держим_сумму));
            s_исключая = exclusive;
        }
        __syncthreads();
        T before = op(s_исключая, held_before_warp);
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
            if (held >= 0) store_row<Op>(before, held_row[r], d_out, held, r, n);
            if (tile < tiles) held_row[r] = row[r];
        }
        __syncthreads();
        held = tile < tiles ? tile : -1;
        держим_сумму = summe_über_alles;
        held_before_warp = before_warp;
        tile = next;
    }
}

template <class Kernel>
int resident_blocks(Kernel* kernel) {
    int device = 0, processors = 0, blocks_each = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_each, kernel, kThreads, 0));
    return processors * blocks_each;
}

template <Scan kind, class Op, class T>
void pipelined(const T* d_in, T* d_out, int n, Workspace& work) {
    if (n == 0) return;
    int tiles = ceil_div(n, tile_size<T>());
    std::size_t words = TileStates<T>::words(tiles);
    auto* d_words = work.get<unsigned long long>(words + 1);
    CUDA_CHECK(cudaMemsetAsync(d_words, 0, (words + 1) * sizeof *d_words));

    static const int resident = resident_blocks(pipelined_kernel<kind, Op, T>);
    pipelined_kernel<kind, Op><<<std::min(tiles, resident), kThreads>>>(
        d_in, d_out, TileStates<T>{d_words}, reinterpret_cast<unsigned*>(d_words + words), n, tiles);
    CUDA_CHECK(cudaGetLastError());
}

template void pipelined<Scan::exclusive, Sum<int>>(const int*, int*, int, Workspace&);
template void pipelined<Scan::inclusive, Sum<int>>(const int*, int*, int, Workspace&);
template void pipelined<Scan::exclusive, Sum<long long>>(const long long*, long long*, int, Workspace&);
template void pipelined<Scan::inclusive, Compose>(const Affine*, Affine*, int, Workspace&);
