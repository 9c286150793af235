// Style: the comparators are a constexpr table, unrolled by an index sequence; min and max in inline PTX; votes at
// barriers.
#include <cuda/std/array>
#include <utility>

#include "networks.h"

constexpr cuda::std::array<Comparator, 5> kNetwork = {{{0, 2}, {1, 3}, {0, 1}, {2, 3}, {1, 2}}};

__device__ void compare(int& low, int& high) {
    int a = low, b = high;
    asm("min.s32 %0, %2, %3;\n\tmax.s32 %1, %2, %3;" : "=&r"(low), "=&r"(high) : "r"(a), "r"(b));
}

template <std::size_t... k>
__device__ void sort4(int (&x)[4], std::index_sequence<k...>) {
    (compare(x[kNetwork[k].low], x[kNetwork[k].high]), ...);
}

__global__ void sort_fours(const int* in, int* out, int n) {
    int first = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (first >= n) return;
    int x[4];
    if (first + 4 <= n) {
        int4 v = *reinterpret_cast<const int4*>(in + first);
        x[0] = v.x, x[1] = v.y, x[2] = v.z, x[3] = v.w;
    } else {
        for (int k = 0; k < 4; ++k) x[k] = first + k < n ? in[first + k] : kGreatest<int>;
    }
    sort4(x, std::make_index_sequence<kNetwork.size()>());
    if (first + 4 <= n)
        *reinterpret_cast<int4*>(out + first) = make_int4(x[0], x[1], x[2], x[3]);
    else
        for (int k = 0; first + k < n; ++k) out[first + k] = x[k];
}

void four_inputs(const int* d_in, int* d_out, int n, Workspace&) {
    if (n == 0) return;
    sort_fours<<<ceil_div(ceil_div(n, 4), 256), 256>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}

// A thread for each pair: 512 of them; s[-1] and s[kTile] are never touched.
template <Phases phases>
__global__ void __launch_bounds__(kTile / 2) bricks(const int* in, int* out, int n) {
    __shared__ int s[kTile];
    int first = blockIdx.x * kTile, count = min(kTile, n - first), t = threadIdx.x;
    for (int k = t; k < count; k += kTile / 2) s[k] = in[first + k];
    __syncthreads();
    int quiet = 0;  // phases in a row in which nothing was swapped
    for (int phase = 0; phase < count && quiet < 2; ++phase) {
        int low = 2 * t + (phase & 1);
        bool swapped = false;
        if (low + 1 < count) {
            int a = s[low], b = s[low + 1];
            swapped = b < a;
            if (phases == Phases::all || swapped) {
                s[low] = min(a, b);
                s[low + 1] = max(a, b);
            }
        }
        if (phases == Phases::all)
            __syncthreads();
        else
            quiet = __syncthreads_or(swapped) ? 0 : quiet + 1;
    }
    for (int k = t; k < count; k += kTile / 2) out[first + k] = s[k];
}

template <Phases phases>
void odd_even(const int* d_in, int* d_out, int n, Workspace&) {
    if (n == 0) return;
    bricks<phases><<<ceil_div(n, kTile), kTile / 2>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}

template void odd_even<Phases::all>(const int*, int*, int, Workspace&);
template void odd_even<Phases::until_sorted>(const int*, int*, int, Workspace&);
