// Task 2, odd_even: any number of inputs up to a tile. Even phases compare places 0 1, 2 3, ..., odd phases 1 2, 3 4,
// ...; after as many phases as there are elements, each has had time to walk from one end to the other. In shared
// memory, so that global memory is read once and written once. (Knuth, "The Art of Computer Programming" 3, section
// 5.3.4.)
#include "networks.h"

constexpr int kPairs = kTile / 2;

// Launch: a block of kPairs threads for each tile. Shared memory: one tile.
template <Phases phases>
__global__ void odd_even_kernel(const int* d_in, int* d_out, int n) {
    __shared__ int s_tile[kTile];
    int t = threadIdx.x;
    int first = blockIdx.x * kTile;
    int count = min(kTile, n - first);
    for (int k = t; k < count; k += kPairs) s_tile[k] = d_in[first + k];
    __syncthreads();

    bool was_quiet = false;  // nothing was swapped in the phase before
    for (int phase = 0; phase < count; ++phase) {
        int low = 2 * t + phase % 2;
        bool swaps = false;
        if (low + 1 < count) {
            int a = s_tile[low], b = s_tile[low + 1];
            swaps = b < a;
            s_tile[low] = min(a, b);
            s_tile[low + 1] = max(a, b);
        }
        if constexpr (phases == Phases::all) {
            __syncthreads();
        } else {
            // The barrier also combines votes. After one quiet phase the next may still swap; after two, none will.
            bool is_quiet = !__syncthreads_or(swaps);
            if (is_quiet && was_quiet) break;
            was_quiet = is_quiet;
        }
    }
    for (int k = t; k < count; k += kPairs) d_out[first + k] = s_tile[k];
}

template <Phases phases>
void odd_even(const int* d_in, int* d_out, int n, Workspace&) {
    if (n == 0) return;
    odd_even_kernel<phases><<<ceil_div(n, kTile), kPairs>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}

template void odd_even<Phases::all>(const int*, int*, int, Workspace&);
template void odd_even<Phases::until_sorted>(const int*, int*, int, Workspace&);
