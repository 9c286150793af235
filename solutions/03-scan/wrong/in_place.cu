// verdict: WA task=naive max_n=5000
// because: wrong from n =
// Every step reads and writes d_out: nothing orders the blocks of one launch.
#include "scan.h"

__global__ void naive_step(int* d_out, int n, int offset) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && i >= offset) d_out[i] += d_out[i - offset];
}

void naive(const int* d_in, int* d_out, int n, Workspace&) {
    if (n == 0) return;
    CUDA_CHECK(cudaMemcpyAsync(d_out, d_in, n * sizeof(int), cudaMemcpyDeviceToDevice));
    for (int offset = 1; offset < n; offset *= 2) {
        naive_step<<<ceil_div(n, 256), 256>>>(d_out, n, offset);
        CUDA_CHECK(cudaGetLastError());
    }
}

// ---- Not started ----
void hillis_steele(const int*, int*, int, Workspace&) { todo("2"); }
void blelloch(const int*, int*, int, Workspace&) { todo("3"); }
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
