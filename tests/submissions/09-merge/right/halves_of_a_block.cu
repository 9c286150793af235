// Style: the block's two halves bring in the two sides, each with a barrier of its own in PTX, and meet at a third; a
// union of raw words and elements in shared memory; cuts computed where they are needed; __ldcg and __stcs.
#include "merge.h"

constexpr int kStep = 256;

__device__ void meet(int barrier, int threads) {
    asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

// The first place of x at which `stop` holds.
template <class T, class Stop>
__device__ int first_place(const T* x, int n, Stop stop) {
    int low = 0, high = n;
    while (low != high) {
        int middle = low + (high - low) / 2;
        if (stop(x[middle]))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

template <class Order, class T>
__global__ void place_splitters(const T* a, int na, const T* b, int nb, int2* cuts) {
    int splitter = blockIdx.x * blockDim.x + threadIdx.x, of_a = (na + kStep - 1) / kStep,
        of_b = (nb + kStep - 1) / kStep;
    if (splitter < of_a) {
        T key = a[splitter * kStep];
        int rank = first_place(b, nb, [&](const T& x) { return !Order().before(x, key); });
        cuts[splitter + (rank + kStep - 1) / kStep] = make_int2(splitter * kStep, rank);
    } else if ((splitter -= of_a) < of_b) {
        T key = b[splitter * kStep];
        int rank = first_place(a, na, [&](const T& x) { return Order().before(key, x); });
        cuts[splitter + (rank + kStep - 1) / kStep] = make_int2(rank, splitter * kStep);
    } else if (splitter == of_b) {
        cuts[of_a + of_b] = make_int2(na, nb);
    }
}

template <class T>
union Side {
    __device__ Side() {}
    T element[kStep];
    unsigned word[kStep * sizeof(T) / sizeof(unsigned)];
};

template <class Order, class T>
__global__ void __launch_bounds__(2 * kStep) merge_piece(const T* a, const T* b, T* out, const int2* cuts) {
    __shared__ Side<T> s_side[2];
    bool is_a = threadIdx.x < kStep;
    int t = threadIdx.x % kStep;
    int2 begin = cuts[blockIdx.x], end = cuts[blockIdx.x + 1];
    int count_a = end.x - begin.x, count_b = end.y - begin.y, count = is_a ? count_a : count_b;
    constexpr int kWords = sizeof(T) / sizeof(unsigned);
    const unsigned* from = reinterpret_cast<const unsigned*>(is_a ? a + begin.x : b + begin.y);
    for (int k = t; k < count * kWords; k += kStep) s_side[is_a ? 0 : 1].word[k] = __ldcg(from + k);
    meet(is_a ? 1 : 2, kStep);  // this side is there
    bool there = t < count;
    T own = there ? s_side[is_a ? 0 : 1].element[t] : Order::last();
    meet(3, 2 * kStep);  // and so is the other
    if (!there) return;
    int rank = is_a ? first_place(s_side[1].element, count_b, [&](const T& x) { return !Order().before(x, own); })
                    : first_place(s_side[0].element, count_a, [&](const T& x) { return Order().before(own, x); });
    out[begin.x + begin.y + t + rank] = own;
}

template <class Order, class T>
void splitters(const T* d_a, int na, const T* d_b, int nb, T* d_out, Workspace& work) {
    int pieces = ceil_div(na, kStep) + ceil_div(nb, kStep);
    if (pieces == 0) return;
    int2* d_cuts = work.get<int2>(pieces + 1);
    place_splitters<Order><<<ceil_div(pieces + 1, 64), 64>>>(d_a, na, d_b, nb, d_cuts);
    CUDA_CHECK(cudaGetLastError());
    merge_piece<Order><<<pieces, 2 * kStep>>>(d_a, d_b, d_out, d_cuts);
    CUDA_CHECK(cudaGetLastError());
}

template void splitters<Ascending<int>>(const int*, int, const int*, int, int*, Workspace&);
template void splitters<Descending<int>>(const int*, int, const int*, int, int*, Workspace&);
template void splitters<ByKey>(const Pair*, int, const Pair*, int, Pair*, Workspace&);
