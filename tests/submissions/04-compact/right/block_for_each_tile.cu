// Style: look_back as most books have it, a block for each tile.
#include "compact.h"

constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kBlock = 256, kWarps = kBlock / 32, kRows = 8, kTile = kRows * kBlock;
enum class Status : unsigned { empty, aggregate, inclusive_prefix };

__device__ void publish(unsigned long long* d_state, Status status, int count) {
    store_relaxed(d_state, static_cast<unsigned long long>(status) << 32 | static_cast<unsigned>(count));
}

__device__ int sum_of_lanes(int value) {
    for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(kAllLanes, value, distance);
    return value;
}

__device__ int exclusive_prefix_of(unsigned long long* d_states, int tile, int lane) {
    int kept = 0;
    for (int nearest = tile - 1;; nearest -= 32) {
        unsigned long long word = 0;
        while (nearest >= lane && (word = load_relaxed(d_states + nearest - lane)) == 0) __nanosleep(32);
        Status status = nearest >= lane ? static_cast<Status>(word >> 32) : Status::inclusive_prefix;
        unsigned known = __ballot_sync(kAllLanes, status == Status::inclusive_prefix);
        int last = known == 0 ? 31 : __ffs(known) - 1;
        kept += sum_of_lanes(lane <= last ? static_cast<int>(word) : 0);
        if (known != 0) return kept;
    }
}

template <class T, class Keep>
__global__ void look_back_kernel(const T* d_in, T* d_out, int* d_count, unsigned long long* d_states,
                                 unsigned* d_ticket, int n, Keep keep) {
    __shared__ int s_tile, s_exclusive, s_counts[kWarps];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0) s_tile = static_cast<int>(atomicAdd(d_ticket, 1));
    __syncthreads();
    int tile = s_tile;

    int first = tile * kTile + warp * (32 * kRows) + lane;
    T item[kRows];
    unsigned votes[kRows];
    int count = 0;
    for (int r = 0; r < kRows; ++r) item[r] = first + r * 32 < n ? d_in[first + r * 32] : T{};
    for (int r = 0; r < kRows; ++r) {
        votes[r] = __ballot_sync(kAllLanes, first + r * 32 < n && keep(item[r]));
        count += __popc(votes[r]);
    }
    if (lane == 0) s_counts[warp] = count;
    __syncthreads();

    if (warp == 0) {
        int aggregate = sum_of_lanes(lane < kWarps ? s_counts[lane] : 0);
        if (lane == 0) publish(d_states + tile, tile == 0 ? Status::inclusive_prefix : Status::aggregate, aggregate);
        int exclusive = exclusive_prefix_of(d_states, tile, lane);
        if (lane == 0) {
            s_exclusive = exclusive;
            if (tile > 0) publish(d_states + tile, Status::inclusive_prefix, exclusive + aggregate);
            if (tile == static_cast<int>(gridDim.x) - 1) *d_count = exclusive + aggregate;
        }
    }
    __syncthreads();

    int row = s_exclusive;
    for (int w = 0; w < warp; ++w) row += s_counts[w];
    for (int r = 0; r < kRows; ++r) {
        if (votes[r] >> lane & 1) d_out[row + __popc(votes[r] & ((1u << lane) - 1))] = item[r];
        row += __popc(votes[r]);
    }
}

template <class T, class Keep>
void look_back(const T* d_in, T* d_out, int* d_count, int n, Keep keep, Workspace& work) {
    int tiles = ceil_div(n, kTile);
    if (n == 0) {
        CUDA_CHECK(cudaMemsetAsync(d_count, 0, sizeof(int)));
        return;
    }
    auto* d_states = work.get<unsigned long long>(tiles);
    auto* d_ticket = work.get<unsigned>(1);
    CUDA_CHECK(cudaMemsetAsync(d_states, 0, tiles * sizeof *d_states));
    CUDA_CHECK(cudaMemsetAsync(d_ticket, 0, sizeof *d_ticket));
    look_back_kernel<<<tiles, kBlock>>>(d_in, d_out, d_count, d_states, d_ticket, n, keep);
    CUDA_CHECK(cudaGetLastError());
}

template void look_back(const int*, int*, int*, int, IsPositive, Workspace&);
template void look_back(const unsigned char*, unsigned char*, int*, int, IsDiamond, Workspace&);
template void look_back(const float*, float*, int*, int, IsAbove, Workspace&);
template void look_back(const int*, int*, int*, int, Always, Workspace&);
template void look_back(const long long*, long long*, int*, int, IsEven, Workspace&);
