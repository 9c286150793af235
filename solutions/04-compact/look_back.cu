// Rung 4, look_back: as 3, but in one launch. Elements and votes stay in registers while the tile learns, from what the
// tiles before it have published, where its first kept element goes.
// Global memory: each element read once, each kept one written once.
// (Merrill and Garland, "Single-pass parallel prefix scan with decoupled look-back", NVIDIA NVR-2016-002; lab 3,
// task 5.)
#include "compact.h"

constexpr int kThreads = 512;
constexpr int kWarps = kThreads / 32;
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

// Launch: a block of kThreads for each tile. Shared memory: the warps' counts, the tile's number and exclusive prefix.
template <class T, class Keep>
__global__ void __launch_bounds__(kThreads)
    look_back_kernel(const T* d_in, T* d_out, int* d_count, unsigned long long* d_states, unsigned* d_ticket, int n,
                     Keep keep) {
    __shared__ int s_tile, s_exclusive;
    __shared__ int s_counts[kWarps];
    constexpr int kRows = rows<T>();
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    unsigned lanes_before = (1u << lane) - 1;

    // Tiles in the order in which blocks start: a tile waits only for tiles whose blocks are running.
    if (threadIdx.x == 0) s_tile = static_cast<int>(atomicAdd(d_ticket, 1));
    __syncthreads();
    int tile = s_tile;

    int first = tile * tile_size<T>() + warp * (32 * kRows) + lane;
    T item[kRows];
    for (int r = 0; r < kRows; ++r) item[r] = first + r * 32 < n ? d_in[first + r * 32] : T{};
    unsigned votes[kRows];
    int count = 0;
    for (int r = 0; r < kRows; ++r) {
        votes[r] = __ballot_sync(kAllLanes, first + r * 32 < n && keep(item[r]));
        count += __popc(votes[r]);
    }
    if (lane == 0) s_counts[warp] = count;
    __syncthreads();

    // The first warp publishes the aggregate before it looks back, so that no later tile waits for its search.
    if (warp == 0) {
        int aggregate = sum_of_lanes(lane < kWarps ? s_counts[lane] : 0);
        if (lane == 0) publish(d_states + tile, tile == 0 ? Status::inclusive_prefix : Status::aggregate, aggregate);
        int exclusive = exclusive_prefix_of(d_states, tile, lane);
        if (lane == 0) {
            int inclusive = exclusive + aggregate;
            if (tile > 0) publish(d_states + tile, Status::inclusive_prefix, inclusive);
            if (tile == static_cast<int>(gridDim.x) - 1) *d_count = inclusive;
            s_exclusive = exclusive;
        }
    }
    __syncthreads();

    int row = s_exclusive;  // where the row's first kept element goes
    for (int w = 0; w < warp; ++w) row += s_counts[w];
    for (int r = 0; r < kRows; ++r) {
        if (votes[r] >> lane & 1) d_out[row + __popc(votes[r] & lanes_before)] = item[r];
        row += __popc(votes[r]);
    }
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
    CUDA_CHECK(cudaMemsetAsync(d_states, 0, (tiles + 1) * sizeof *d_states));
    look_back_kernel<<<tiles, kThreads>>>(d_in, d_out, d_count, d_states, reinterpret_cast<unsigned*>(d_states + tiles),
                                          n, keep);
    CUDA_CHECK(cudaGetLastError());
}

template void look_back(const int*, int*, int*, int, IsPositive, Workspace&);
template void look_back(const unsigned char*, unsigned char*, int*, int, IsDiamond, Workspace&);
template void look_back(const float*, float*, int*, int, IsAbove, Workspace&);
template void look_back(const int*, int*, int*, int, Always, Workspace&);
template void look_back(const long long*, long long*, int*, int, IsEven, Workspace&);
