// Task 3, splitters: as 2, but only every kStep-th element of both arrays is ranked in global memory. These splitters
// cut both arrays into pieces of at most kStep elements a side, and a block ranks a piece's elements in shared memory.
// Global memory: each element read once and written once, and log n reads for every kStep-th element.
// (Hagerup and Rüb, "Optimal merging and sorting on the EREW PRAM", 1989; Satish, Harris and Garland, "Designing
// efficient sorting algorithms for manycore GPUs", 2009.)
#include "rank.cuh"

constexpr int kStep = 256;  // also the threads of a block

// Where a piece begins: how many elements of a, and of b, come before it.
struct Cut {
    int a, b;
};

// Launch: a thread for each splitter, first those of a. A splitter's index among all cuts is its own number plus the
// number of the other side's splitters before it. These are at 0, kStep, 2 kStep, ..., so no second search is needed.
template <class Order, class T>
__global__ void find_cuts(const T* d_a, int na, const T* d_b, int nb, Cut* d_cuts) {
    int t = blockIdx.x * kStep + threadIdx.x, of_a = ceil_div(na, kStep), of_b = ceil_div(nb, kStep);
    if (t < of_a) {
        int rank = count_before<Order>(d_b, nb, d_a[t * kStep]);
        d_cuts[t + ceil_div(rank, kStep)] = {t * kStep, rank};
    } else if (t < of_a + of_b) {
        t -= of_a;
        int rank = count_not_after<Order>(d_a, na, d_b[t * kStep]);
        d_cuts[t + ceil_div(rank, kStep)] = {rank, t * kStep};
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) d_cuts[of_a + of_b] = {na, nb};  // where the last piece ends
}

// Launch: a block of kStep threads for each piece; a thread has at most one element of each side.
// Shared memory: both sides of a piece, and the piece merged.
template <class Order, class T>
__global__ void merge_pieces(const T* d_a, const T* d_b, T* d_out, const Cut* d_cuts) {
    __shared__ T s_a[kStep], s_b[kStep], s_out[2 * kStep];
    Cut begin = d_cuts[blockIdx.x], end = d_cuts[blockIdx.x + 1];
    int t = threadIdx.x, na = end.a - begin.a, nb = end.b - begin.b;
    if (t < na) s_a[t] = d_a[begin.a + t];
    if (t < nb) s_b[t] = d_b[begin.b + t];
    __syncthreads();
    if (t < na) s_out[t + count_before<Order>(s_b, nb, s_a[t])] = s_a[t];
    if (t < nb) s_out[t + count_not_after<Order>(s_a, na, s_b[t])] = s_b[t];
    __syncthreads();
    for (int k = t; k < na + nb; k += kStep) d_out[begin.a + begin.b + k] = s_out[k];  // in order: coalesced
}

template <class Order, class T>
void splitters(const T* d_a, int na, const T* d_b, int nb, T* d_out, Workspace& work) {
    if (na + nb == 0) return;
    int pieces = ceil_div(na, kStep) + ceil_div(nb, kStep);  // each begins with its splitter, so none is empty
    Cut* d_cuts = work.get<Cut>(pieces + 1);
    find_cuts<Order><<<ceil_div(pieces, kStep), kStep>>>(d_a, na, d_b, nb, d_cuts);
    CUDA_CHECK(cudaGetLastError());
    merge_pieces<Order><<<pieces, kStep>>>(d_a, d_b, d_out, d_cuts);
    CUDA_CHECK(cudaGetLastError());
}

template void splitters<Ascending<int>>(const int*, int, const int*, int, int*, Workspace&);
template void splitters<Descending<int>>(const int*, int, const int*, int, int*, Workspace&);
template void splitters<ByKey>(const Pair*, int, const Pair*, int, Pair*, Workspace&);
