// Rung 4, look_back: as 3, but in one launch. A tile learns from what the tiles before it have published where its
// first kept element goes. Global memory: each element read once, each kept one written once. (Merrill and Garland,
// "Single-pass parallel prefix scan with decoupled look-back", NVIDIA NVR-2016-002; lab 3, task 5.)
//
// What limits it is waiting for earlier tiles. So a block puts a tile's kept elements side by side into shared memory,
// where they wait while it loads, counts and publishes its next tile. Only then it looks back for the tile that it
// holds: by then all earlier tiles have published theirs, one round ago. Lab 3's rung `pipelined` does the same, and
// starts before the states are clear, as this does.
// At n = 2^28, int32, half kept: copying as many bytes takes 0.38 ms on an H200, one tile a block 0.69, this 0.48
// (docs/performance/04-compact.md).
#include <algorithm>

#include "compact.h"
#include "toolbox/dependent_launch.h"

constexpr int kThreads = 512;
constexpr int kWarps = kThreads / 32;
constexpr int kBlocksPerSm = 3;  // leaves a thread 40 registers: 32 for elements and votes
constexpr unsigned kAllLanes = 0xffffffff;

// Rows of 32 elements for every warp, all loads in flight at once.
template <class T>
__host__ __device__ constexpr int rows() {
    return sizeof(T) == 8 ? 8 : 16;
}

template <class T>
__host__ __device__ constexpr int tile_size() {
    return kThreads * rows<T>();
}

// ---- What tiles publish: status and count in one word, so that they arrive together. 0 is "empty" ----

// aggregate: how many elements the tile keeps. inclusive_prefix: how many it and all tiles before it keep.
enum class Status : unsigned { empty, aggregate, inclusive_prefix };

__device__ void publish(unsigned long long* d_state, Status status, int count) {
    store_relaxed(d_state, static_cast<unsigned long long>(status) << 32 | static_cast<unsigned>(count));
}

// Waits until the tile has published something.
__device__ Status wait_for(unsigned long long* d_state, int& count) {
    for (unsigned nanoseconds = 8;; nanoseconds = nanoseconds < 256 ? 2 * nanoseconds : 256) {
        unsigned long long word = load_relaxed(d_state);
        count = static_cast<int>(word);
        if (word != 0) return static_cast<Status>(word >> 32);
        __nanosleep(nanoseconds);
    }
}

__device__ int sum_of_lanes(int value) {
    for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(kAllLanes, value, distance);
    return value;
}

// How many elements before `tile` are kept. Called by one full warp, which looks at 32 tiles at once.
__device__ int exclusive_prefix_of(unsigned long long* d_states, int tile, int lane) {
    int kept = 0;
    for (int nearest = tile - 1;; nearest -= 32) {
        int count = 0;
        Status status = Status::inclusive_prefix;  // before tile 0 there is nothing more to add
        if (nearest >= lane) status = wait_for(d_states + nearest - lane, count);
        // Lane 0 has the tile next to us. The first lane that knows an inclusive prefix ends the search.
        unsigned known = __ballot_sync(kAllLanes, status == Status::inclusive_prefix);
        int last = known == 0 ? 31 : __ffs(known) - 1;
        kept += sum_of_lanes(lane <= last ? count : 0);
        if (known != 0) return kept;
    }
}

// Where in the array the thread's first element of a tile is. The next ones are 32, 64, ... further on.
template <class T>
__device__ int first_of(int tile) {
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    return tile * tile_size<T>() + warp * (32 * rows<T>()) + lane;
}

// The lane's elements of a tile, row by row; T{} beyond n. Only the last tile is not full.
template <class T>
__device__ void load_tile(T (&item)[rows<T>()], const T* d_in, int tile, int n) {
    int first = first_of<T>(tile);
    if ((tile + 1) * tile_size<T>() <= n) {
        for (int r = 0; r < rows<T>(); ++r) item[r] = d_in[first + r * 32];
    } else {
        for (int r = 0; r < rows<T>(); ++r) item[r] = first + r * 32 < n ? d_in[first + r * 32] : T{};
    }
}

// A warp's votes on its rows. Returns how many elements it keeps.
template <class T, class Keep>
__device__ int vote(unsigned (&votes)[rows<T>()], const T (&item)[rows<T>()], int tile, int n, Keep keep) {
    int first = first_of<T>(tile), count = 0;
    if ((tile + 1) * tile_size<T>() <= n) {
        for (int r = 0; r < rows<T>(); ++r) votes[r] = __ballot_sync(kAllLanes, keep(item[r]));
    } else {
        for (int r = 0; r < rows<T>(); ++r) votes[r] = __ballot_sync(kAllLanes, first + r * 32 < n && keep(item[r]));
    }
    for (unsigned v : votes) count += __popc(v);
    return count;
}

// Launch: as many blocks of kThreads as the device holds at once, behind clear_for_next(). Shared memory: the kept
// elements of a tile, the warps' counts, the next tile's number and the held tile's exclusive prefix.
template <class T, class Keep>
__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    look_back_kernel(const T* d_in, T* d_out, int* d_count, unsigned long long* d_states, unsigned* d_ticket, int n,
                     int tiles, Keep keep) {
    __shared__ int s_tile, s_exclusive;
    __shared__ int s_counts[kWarps];
    __shared__ T s_kept[tile_size<T>()];
    constexpr int kRows = rows<T>();
    int t = threadIdx.x, warp = t / 32, lane = t % 32;
    unsigned lanes_before = (1u << lane) - 1;
    int held = -1, held_count = 0;  // the tile in s_kept: counted and published, not yet written; -1: none

    int first = blockIdx.x * tile_size<T>();  // the ticket will usually be the same
    prefetch(d_in + first, min(tile_size<T>(), n - first));
    wait_for_earlier_kernels();
    // Tiles in the order in which blocks ask for them: a tile waits only for tiles that running blocks work on.
    if (t == 0) s_tile = static_cast<int>(atomicAdd(d_ticket, 1));
    __syncthreads();
    int tile = s_tile;
    __syncthreads();

    while (tile < tiles || held >= 0) {
        // Load, count and publish a tile. Its successor's ticket is on its way meanwhile.
        T item[kRows];
        unsigned votes[kRows];
        int place = 0, count = 0, next = tiles;
        if (tile < tiles) {
            load_tile(item, d_in, tile, n);
            if (t == 0) s_tile = static_cast<int>(atomicAdd(d_ticket, 1));
            int of_warp = vote(votes, item, tile, n, keep);
            if (lane == 0) s_counts[warp] = of_warp;
            __syncthreads();
            next = s_tile;
            for (int w = 0; w < kWarps; ++w) {
                if (w == warp) place = count;
                count += s_counts[w];
            }
            if (t == 0) publish(d_states + tile, tile == 0 ? Status::inclusive_prefix : Status::aggregate, count);
        }

        // Look back for the tile before it, and write that.
        if (held >= 0 && warp == 0) {
            int exclusive = exclusive_prefix_of(d_states, held, lane);
            if (lane == 0) {
                if (held > 0) publish(d_states + held, Status::inclusive_prefix, exclusive + held_count);
                if (held == tiles - 1) *d_count = exclusive + held_count;
                s_exclusive = exclusive;
            }
        }
        __syncthreads();
        if (held >= 0) {
            // Whole warps write whole lines of 128 bytes.
            int exclusive = s_exclusive, begin = t - exclusive % static_cast<int>(128 / sizeof(T));
            for (int i = begin; i < held_count; i += kThreads) {
                if (i >= 0) d_out[exclusive + i] = s_kept[i];
            }
        }
        __syncthreads();

        // The new tile takes its place.
        if (tile < tiles) {
            for (int r = 0; r < kRows; ++r) {
                if (votes[r] >> lane & 1) s_kept[place + __popc(votes[r] & lanes_before)] = item[r];
                place += __popc(votes[r]);
            }
        }
        held = tile < tiles ? tile : -1;
        held_count = count;
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

template <class T, class Keep>
void look_back(const T* d_in, T* d_out, int* d_count, int n, Keep keep, Workspace& work) {
    if (n == 0) {
        CUDA_CHECK(cudaMemsetAsync(d_count, 0, sizeof(int)));
        return;
    }
    int tiles = ceil_div(n, tile_size<T>());
    // The ticket lies behind the states, so that one call empties both.
    auto* d_states = work.get<unsigned long long>(tiles + 1);
    clear_for_next(d_states, tiles + 1);

    // Tickets are right for any number of blocks. With as many as are resident, each goes through several tiles.
    static const int resident = resident_blocks(look_back_kernel<T, Keep>);
    launch_dependent<look_back_kernel<T, Keep>>(std::min(tiles, resident), kThreads, d_in, d_out, d_count, d_states,
                                                reinterpret_cast<unsigned*>(d_states + tiles), n, tiles, keep);
}

template void look_back(const int*, int*, int*, int, IsPositive, Workspace&);
template void look_back(const unsigned char*, unsigned char*, int*, int, IsDiamond, Workspace&);
template void look_back(const float*, float*, int*, int, IsAbove, Workspace&);
template void look_back(const int*, int*, int*, int, Always, Workspace&);
template void look_back(const long long*, long long*, int*, int, IsEven, Workspace&);
