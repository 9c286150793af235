// Style: tiles in a chain: each waits for its turn by cuda::atomic_ref and __nanosleep.
#include <cuda/atomic>

#include "compact.h"
struct Chain {
    unsigned next;
    unsigned place;
    int count;
};
template <class T, class Keep>
__global__ void chain(const T* in, T* out, int* count, int n, Keep keep, Chain* c, int tiles) {
    __shared__ int tile, base, warps[8];
    if (threadIdx.x == 0) tile = atomicAdd(&c->next, 1);
    __syncthreads();
    const int i = tile * 256 + threadIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    T x{};
    bool k = false;
    if (i < n) {
        x = in[i];
        k = keep(x);
    }
    const unsigned votes = __ballot_sync(~0u, k);
    if (lane == 0) warps[warp] = __popc(votes);
    __syncthreads();
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int w = 0; w < 8; ++w) {
            int t = warps[w];
            warps[w] = sum;
            sum += t;
        }
        cuda::atomic_ref<unsigned, cuda::thread_scope_device> turn(c->place);
        while (turn.load(cuda::memory_order_acquire) != (unsigned)tile) __nanosleep(20);
        base = c->count;
        c->count = base + sum;
        if (tile == tiles - 1) *count = base + sum;
        turn.store(tile + 1, cuda::memory_order_release);
    }
    __syncthreads();
    if (k) out[base + warps[warp] + __popc(votes & ((1u << lane) - 1))] = x;
}
template <class T, class Keep>
void look_back(const T* d_in, T* d_out, int* d_count, int n, Keep keep, Workspace& work) {
    const int tiles = std::max(1, ceil_div(n, 256));
    auto* c = work.get<Chain>(1);
    CUDA_CHECK(cudaMemsetAsync(c, 0, sizeof(Chain)));
    chain<<<tiles, 256>>>(d_in, d_out, d_count, n, keep, c, tiles);
    CUDA_CHECK(cudaGetLastError());
}
template void look_back(const int*, int*, int*, int, IsPositive, Workspace&);
template void look_back(const unsigned char*, unsigned char*, int*, int, IsDiamond, Workspace&);
template void look_back(const float*, float*, int*, int, IsAbove, Workspace&);
template void look_back(const int*, int*, int*, int, Always, Workspace&);
template void look_back(const long long*, long long*, int*, int, IsEven, Workspace&);
