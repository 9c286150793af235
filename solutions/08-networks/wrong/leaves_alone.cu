// verdict: CHECK or WA task=odd_even max_n=5000
// because: divergent barrier
// A thread that has not swapped leaves by itself.
#include "networks.h"

template <Phases phases>
__global__ void odd_even_kernel(const int* d_in, int* d_out, int n) {
    __shared__ int s_tile[kTile];
    int t = threadIdx.x;
    int first = blockIdx.x * kTile;
    int count = min(kTile, n - first);
    for (int k = t; k < count; k += kTile / 2) s_tile[k] = d_in[first + k];
    __syncthreads();
    for (int phase = 0; phase < count; ++phase) {
        int low = 2 * t + phase % 2;
        bool swaps = false;
        if (low + 1 < count) {
            int a = s_tile[low], b = s_tile[low + 1];
            swaps = b < a;
            s_tile[low] = min(a, b);
            s_tile[low + 1] = max(a, b);
        }
        if (phases == Phases::until_sorted && phase > 1 && !swaps) break;
        __syncthreads();
    }
    for (int k = t; k < count; k += kTile / 2) d_out[first + k] = s_tile[k];
}

template <Phases phases>
void odd_even(const int* d_in, int* d_out, int n, Workspace&) {
    if (n == 0) return;
    odd_even_kernel<phases><<<ceil_div(n, kTile), kTile / 2>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}

template void odd_even<Phases::all>(const int*, int*, int, Workspace&);
template void odd_even<Phases::until_sorted>(const int*, int*, int, Workspace&);
