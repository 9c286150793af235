// verdict: CHECK or WA task=blelloch max_n=5000
// because: divergent barrier
// Only the threads that have a pair reach the barrier.
#include "scan.h"

__host__ __device__ constexpr int padded(int i) { return i + i / 32; }

__global__ void blelloch_kernel(const int* d_in, int* d_out, int n) {
    __shared__ int s_tile[padded(kTile)];
    int t = threadIdx.x;
    int first = blockIdx.x * kTile;
    for (int k = t; k < kTile; k += kTile / 2) s_tile[padded(k)] = first + k < n ? d_in[first + k] : 0;
    for (int stride = 1; stride < kTile; stride *= 2) {
        if (t < kTile / 2 / stride) {
            __syncthreads();
            int right = (2 * t + 2) * stride - 1;
            s_tile[padded(right)] += s_tile[padded(right - stride)];
        }
    }
    if (t == 0) s_tile[padded(kTile - 1)] = 0;
    for (int stride = kTile / 2; stride > 0; stride /= 2) {
        __syncthreads();
        if (t < kTile / 2 / stride) {
            int right = (2 * t + 2) * stride - 1;
            int left = right - stride;
            int before = s_tile[padded(right)];
            s_tile[padded(right)] = before + s_tile[padded(left)];
            s_tile[padded(left)] = before;
        }
    }
    __syncthreads();
    for (int k = t; k < kTile; k += kTile / 2) {
        if (first + k < n) d_out[first + k] = s_tile[padded(k)];
    }
}

void blelloch(const int* d_in, int* d_out, int n, Workspace&) {
    if (n == 0) return;
    blelloch_kernel<<<ceil_div(n, kTile), kTile / 2>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Not started ----
void naive(const int*, int*, int, Workspace&) { todo("1"); }
void hillis_steele(const int*, int*, int, Workspace&) { todo("2"); }
template <Scan kind, class Op>
void block_sums(const typename Op::type*, typename Op::type*, int, Workspace&) {
    todo("4");
}
template <Scan kind, class Op>
void look_back(const typename Op::type*, typename Op::type*, int, Workspace&) {
    todo("5");
}

using SegmentedSum = Segmented<Sum<int>>;
using Pair = Headed<int>;
template void block_sums<Scan::exclusive, Sum<int>>(const int*, int*, int, Workspace&);
template void block_sums<Scan::inclusive, Sum<int>>(const int*, int*, int, Workspace&);
template void block_sums<Scan::exclusive, Max<int>>(const int*, int*, int, Workspace&);
template void block_sums<Scan::inclusive, Sum<float>>(const float*, float*, int, Workspace&);
template void block_sums<Scan::inclusive, Compose>(const Affine*, Affine*, int, Workspace&);
template void block_sums<Scan::inclusive, SegmentedSum>(const Pair*, Pair*, int, Workspace&);
template void look_back<Scan::exclusive, Sum<int>>(const int*, int*, int, Workspace&);
template void look_back<Scan::inclusive, Sum<int>>(const int*, int*, int, Workspace&);
template void look_back<Scan::exclusive, Max<int>>(const int*, int*, int, Workspace&);
template void look_back<Scan::exclusive, Sum<long long>>(const long long*, long long*, int, Workspace&);
template void look_back<Scan::inclusive, Sum<float>>(const float*, float*, int, Workspace&);
template void look_back<Scan::inclusive, Compose>(const Affine*, Affine*, int, Workspace&);
template void look_back<Scan::inclusive, SegmentedSum>(const Pair*, Pair*, int, Workspace&);
