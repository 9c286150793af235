// The record of task 4, look_back. Its lesson, look_back.cu, waits for earlier tiles, and that limits its speed. Here a
// block holds each tile for a while: it puts the kept elements side by side into shared memory, then loads, counts and
// publishes its next tile, and only then looks back for the tile that it holds. By then the earlier tiles have usually
// published. Lab 3's task `pipelined` does the same. As there, the kernel starts while another one still clears the
// states, and fetches its first tile meanwhile. docs/performance/04-compact.md has the measurements.
#include <algorithm>

#include "tile_state.cuh"
#include "toolbox/dependent_launch.h"

constexpr int kThreads = 512;
constexpr int kWarps = kThreads / 32;
constexpr int kBlocksPerSm = 3;  // leaves a thread 40 registers: 32 for elements and votes

// Rows of 32 elements in a warp's part of a tile; the loads of all rows are in flight at once.
template <class T>
__host__ __device__ constexpr int rows() {
    return sizeof(T) == 8 ? 8 : 16;
}

template <class T>
__host__ __device__ constexpr int tile_size() {
    return kThreads * rows<T>();
}

// ---- How a tile looks back ----

// Waits until the tile has published, and reads both. The pause between two polls doubles from 8 to 256 nanoseconds.
__device__ Status wait_for(unsigned long long* d_state, int& count) {
    for (unsigned nanoseconds = 8;; nanoseconds = nanoseconds < 256 ? 2 * nanoseconds : 256) {
        unsigned long long word = load_relaxed(d_state);
        count = static_cast<int>(word);
        if (word != 0) return static_cast<Status>(word >> 32);
        __nanosleep(nanoseconds);
    }
}

// The number of kept elements before `tile`. Called by one full warp, which looks at 32 tiles at once: lane 0 at the
// tile just before, lane 31 at the farthest one.
__device__ int exclusive_prefix_of(unsigned long long* d_states, int tile, int lane) {
    int kept = 0;
    for (int nearest = tile - 1;; nearest -= 32) {
        int count = 0;
        Status status = Status::inclusive_prefix;  // before tile 0 there is nothing more to add
        if (nearest >= lane) status = wait_for(d_states + nearest - lane, count);
        // The first lane that knows an inclusive prefix ends the search.
        unsigned known = __ballot_sync(kAllLanes, status == Status::inclusive_prefix);
        int last = known == 0 ? 31 : __ffs(known) - 1;
        kept += sum_of_lanes(lane <= last ? count : 0);
        if (known != 0) return kept;
    }
}

// ---- The steps of a tile ----

// The index of the thread's first element of a tile. Its next ones follow at distances of 32.
template <class T>
__device__ int first_of(int tile) {
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    return tile * tile_size<T>() + warp * (32 * rows<T>()) + lane;
}

// The lane's elements of a tile, row by row; T{} beyond n. Full tiles have a loop of their own, without bounds checks:
// it saves registers and time. Only the last tile may not be full.
template <class T>
__device__ void load_tile(T (&item)[rows<T>()], const T* d_in, int tile, int n) {
    int first = first_of<T>(tile);
    if ((tile + 1) * tile_size<T>() <= n) {
        for (int r = 0; r < rows<T>(); ++r) item[r] = d_in[first + r * 32];
    } else {
        for (int r = 0; r < rows<T>(); ++r) item[r] = first + r * 32 < n ? d_in[first + r * 32] : T{};
    }
}

// The warp's votes on its rows of a tile. Returns the number of elements that the warp keeps.
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

// Puts the elements that the warp keeps side by side into shared memory, from s_kept[place] on.
template <class T>
__device__ void put_kept(T* s_kept, int place, const T (&item)[rows<T>()], const unsigned (&votes)[rows<T>()], int lane,
                         unsigned lanes_before) {
    for (int r = 0; r < rows<T>(); ++r) {
        if (votes[r] >> lane & 1) s_kept[place + __popc(votes[r] & lanes_before)] = item[r];
        place += __popc(votes[r]);
    }
}

// Copies a tile's kept elements to d_out[exclusive], ... Each warp stores a whole line of 128 bytes or several.
template <class T>
__device__ void store_kept(const T* s_kept, int count, T* d_out, int exclusive) {
    constexpr int kLine = 128 / sizeof(T);
    int begin = static_cast<int>(threadIdx.x) - exclusive % kLine;  // d_out + exclusive + begin: thread 0 is at a line
    for (int i = begin; i < count; i += kThreads) {
        if (i >= 0) d_out[exclusive + i] = s_kept[i];
    }
}

// Launch: as many blocks of kThreads as the device holds at once, after clear_for_next(). Shared memory: the kept
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
    int held = -1, held_count = 0;  // the tile in s_kept, or -1: its count is published, its elements not yet stored

    int first = blockIdx.x * tile_size<T>();  // a guess: the ticket is usually blockIdx.x
    prefetch(d_in + first, min(tile_size<T>(), n - first));
    wait_for_earlier_kernels();
    // Tiles in the order in which blocks ask for them: a tile waits only for tiles that running blocks work on.
    if (t == 0) s_tile = static_cast<int>(atomicAdd(d_ticket, 1));
    __syncthreads();
    int tile = s_tile;
    __syncthreads();

    while (tile < tiles || held >= 0) {
        // Load, count and publish a tile. Meanwhile, the ticket of the tile after it is on its way.
        T item[kRows];
        unsigned votes[kRows];
        int before_warp = 0, count = 0, next = tiles;  // kept by earlier warps, kept by the tile, the tile after it
        if (tile < tiles) {
            load_tile(item, d_in, tile, n);
            if (t == 0) s_tile = static_cast<int>(atomicAdd(d_ticket, 1));
            int of_warp = vote(votes, item, tile, n, keep);
            if (lane == 0) s_counts[warp] = of_warp;
            __syncthreads();
            next = s_tile;
            for (int w = 0; w < kWarps; ++w) {
                if (w == warp) before_warp = count;
                count += s_counts[w];
            }
            if (t == 0) publish(d_states + tile, tile == 0 ? Status::inclusive_prefix : Status::aggregate, count);
        }

        // Look back for the tile that the block holds, and store it.
        if (held >= 0 && warp == 0) {
            int exclusive = exclusive_prefix_of(d_states, held, lane);
            if (lane == 0) {
                if (held > 0) publish(d_states + held, Status::inclusive_prefix, exclusive + held_count);
                if (held == tiles - 1) *d_count = exclusive + held_count;
                s_exclusive = exclusive;
            }
        }
        __syncthreads();
        if (held >= 0) store_kept(s_kept, held_count, d_out, s_exclusive);
        __syncthreads();

        // Now the block holds the tile that it has loaded.
        if (tile < tiles) put_kept(s_kept, before_warp, item, votes, lane, lanes_before);
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
    // The ticket lies after the states, so that one call clears both.
    auto* d_states = work.get<unsigned long long>(tiles + 1);
    clear_for_next(d_states, tiles + 1);

    // The result is right for any number of blocks. With as many as are resident, each goes through several tiles.
    static const int resident = resident_blocks(look_back_kernel<T, Keep>);
    launch_dependent<look_back_kernel<T, Keep>>(std::min(tiles, resident), kThreads, d_in, d_out, d_count, d_states,
                                                reinterpret_cast<unsigned*>(d_states + tiles), n, tiles, keep);
}

template void look_back(const int*, int*, int*, int, IsPositive, Workspace&);
template void look_back(const unsigned char*, unsigned char*, int*, int, IsDiamond, Workspace&);
template void look_back(const float*, float*, int*, int, IsAbove, Workspace&);
template void look_back(const int*, int*, int*, int, Always, Workspace&);
template void look_back(const long long*, long long*, int*, int, IsEven, Workspace&);
