// Style: the solution with every local array value-initialised.
#include "compact.h"
constexpr int kThreads = 512;
constexpr int kWarps = kThreads / 32;
constexpr unsigned kAllLanes = 0xffffffff;

template <class T>
__host__ __device__ constexpr int rows() {
    return sizeof(T) == 8 ? 8 : 16;
}

template <class T>
__host__ __device__ constexpr int tile_size() {
    return kThreads * rows<T>();
}

enum class Status : unsigned { empty, aggregate, inclusive_prefix };

__device__ void publish(unsigned long long* d_state, Status status, int count) {
    store_relaxed(d_state, static_cast<unsigned long long>(status) << 32 | static_cast<unsigned>(count));
}

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

__device__ int exclusive_prefix_of(unsigned long long* d_states, int tile, int lane) {
    int kept = 0;
    for (int nearest = tile - 1;; nearest -= 32) {
        int count = 0;
        Status status = Status::inclusive_prefix;  // before tile 0 there is nothing more to add
        if (nearest >= lane) status = wait_for(d_states + nearest - lane, count);
        unsigned known = __ballot_sync(kAllLanes, status == Status::inclusive_prefix);
        int last = known == 0 ? 31 : __ffs(known) - 1;
        kept += sum_of_lanes(lane <= last ? count : 0);
        if (known != 0) return kept;
    }
}

template <class T, class Keep>
__global__ void __launch_bounds__(kThreads)
    look_back_kernel(const T* d_in, T* d_out, int* d_count, unsigned long long* d_states, unsigned* d_ticket, int n,
                     Keep keep) {
    __shared__ int s_tile, s_exclusive;
    __shared__ int s_counts[kWarps];
    constexpr int kRows = rows<T>();
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    unsigned lanes_before = (1u << lane) - 1;

    if (threadIdx.x == 0) s_tile = static_cast<int>(atomicAdd(d_ticket, 1));
    __syncthreads();
    int tile = s_tile;

    int first = tile * tile_size<T>() + warp * (32 * kRows) + lane;
    T item[kRows]{};
    for (int r = 0; r < kRows; ++r) item[r] = first + r * 32 < n ? d_in[first + r * 32] : T{};
    unsigned votes[kRows];
    int count = 0;
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
