// Task 4, look_back: as 3, in a single launch. Each warp of a tile votes. Then one warp looks back over the tiles
// before this one: it adds up the counts that they have published, until it meets a tile that knows the number of all
// kept elements so far. So each element is read once. (Merrill and Garland, "Single-pass parallel prefix scan with
// decoupled look-back", 2016; lab 3's look_back.)
#include "tile_state.cuh"

constexpr int kBlock = 256;
constexpr int kWarps = kBlock / 32;
constexpr int kRows = 8;  // of 32 elements in a warp's part of a tile; the loads of all rows are in flight at once
constexpr int kTile = kRows * kBlock;

// The number of kept elements before `tile`. Called by one full warp, which looks at 32 tiles at once: lane 0 at the
// tile just before, lane 31 at the farthest one.
__device__ int exclusive_prefix_of(unsigned long long* d_states, int tile, int lane) {
    int kept = 0;
    for (int nearest = tile - 1;; nearest -= 32) {
        unsigned long long word = 0;  // before tile 0 there is nothing more to add
        while (nearest >= lane && (word = load_relaxed(d_states + nearest - lane)) == 0) __nanosleep(32);
        Status status = nearest >= lane ? static_cast<Status>(word >> 32) : Status::inclusive_prefix;
        // The first lane that knows an inclusive prefix ends the search.
        unsigned known = __ballot_sync(kAllLanes, status == Status::inclusive_prefix);
        int last = known == 0 ? 31 : __ffs(known) - 1;
        kept += sum_of_lanes(lane <= last ? static_cast<int>(word) : 0);
        if (known != 0) return kept;
    }
}

// Launch: a block of kBlock for each tile. Shared memory: the tile's number, the warps' counts, the tile's prefix.
template <class T, class Keep>
__global__ void look_back_kernel(const T* d_in, T* d_out, int* d_count, unsigned long long* d_states,
                                 unsigned* d_ticket, int n, Keep keep) {
    __shared__ int s_tile, s_exclusive, s_counts[kWarps];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    // Tiles in the order in which blocks ask for them: a tile waits only for tiles that running blocks work on.
    if (threadIdx.x == 0) s_tile = static_cast<int>(atomicAdd(d_ticket, 1));
    __syncthreads();
    int tile = s_tile;

    // Load and vote.
    int first = tile * kTile + warp * (32 * kRows) + lane;
    T item[kRows];
    unsigned votes[kRows];
    int of_warp = 0;
    for (int r = 0; r < kRows; ++r) item[r] = first + r * 32 < n ? d_in[first + r * 32] : T{};
    for (int r = 0; r < kRows; ++r) {
        votes[r] = __ballot_sync(kAllLanes, first + r * 32 < n && keep(item[r]));
        of_warp += __popc(votes[r]);
    }
    if (lane == 0) s_counts[warp] = of_warp;
    __syncthreads();

    // Publish the tile's count, look back, and publish the prefix.
    if (warp == 0) {
        int count = sum_of_lanes(lane < kWarps ? s_counts[lane] : 0);
        if (lane == 0) publish(d_states + tile, tile == 0 ? Status::inclusive_prefix : Status::aggregate, count);
        int exclusive = exclusive_prefix_of(d_states, tile, lane);
        if (lane == 0) {
            s_exclusive = exclusive;
            if (tile > 0) publish(d_states + tile, Status::inclusive_prefix, exclusive + count);
            if (tile == static_cast<int>(gridDim.x) - 1) *d_count = exclusive + count;
        }
    }
    __syncthreads();

    // Store, as in task 3.
    int row = s_exclusive;
    for (int w = 0; w < warp; ++w) row += s_counts[w];
    for (int r = 0; r < kRows; ++r) {
        if (votes[r] >> lane & 1) d_out[row + __popc(votes[r] & ((1u << lane) - 1))] = item[r];
        row += __popc(votes[r]);
    }
}

template <class T, class Keep>
void look_back(const T* d_in, T* d_out, int* d_count, int n, Keep keep, Workspace& work) {
    if (n == 0) {
        CUDA_CHECK(cudaMemsetAsync(d_count, 0, sizeof(int)));
        return;
    }
    int tiles = ceil_div(n, kTile);
    // The ticket lies after the states, so that one memset clears both: an empty state is 0.
    auto* d_states = work.get<unsigned long long>(tiles + 1);
    CUDA_CHECK(cudaMemsetAsync(d_states, 0, (tiles + 1) * sizeof *d_states));
    auto* d_ticket = reinterpret_cast<unsigned*>(d_states + tiles);
    look_back_kernel<<<tiles, kBlock>>>(d_in, d_out, d_count, d_states, d_ticket, n, keep);
    CUDA_CHECK(cudaGetLastError());
}

template void look_back(const int*, int*, int*, int, IsPositive, Workspace&);
template void look_back(const unsigned char*, unsigned char*, int*, int, IsDiamond, Workspace&);
template void look_back(const float*, float*, int*, int, IsAbove, Workspace&);
template void look_back(const int*, int*, int*, int, Always, Workspace&);
template void look_back(const long long*, long long*, int*, int, IsEven, Workspace&);
