// Style: recursion on the device for the search; a struct of arrays for the cuts; the cuts' kernel in its own stream,
// joined by an event; 1024 threads; a __shared__ struct with a union.
#include "merge.h"

constexpr int kStep = 512;

template <class Order, class T, bool after_equal>
__device__ int rank_of(const T* x, int low, int high, T key) {
    if (low == high) return low;
    int middle = low + (high - low) / 2;
    bool right = after_equal ? !Order().before(key, x[middle]) : Order().before(x[middle], key);
    return right ? rank_of<Order, T, after_equal>(x, middle + 1, high, key)
                 : rank_of<Order, T, after_equal>(x, low, middle, key);
}

struct Cuts {
    int *a, *b;
};

template <class Order, class T>
__global__ void cut(const T* a, int na, const T* b, int nb, Cuts cuts) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, of_a = (na + kStep - 1) / kStep, of_b = (nb + kStep - 1) / kStep;
    if (t == 0) {
        cuts.a[of_a + of_b] = na;
        cuts.b[of_a + of_b] = nb;
    }
    if (t >= of_a + of_b) return;
    bool is_a = t < of_a;
    int own = (is_a ? t : t - of_a) * kStep;
    int rank = is_a ? rank_of<Order, T, false>(b, 0, nb, a[own]) : rank_of<Order, T, true>(a, 0, na, b[own]);
    int number = own / kStep + (rank + kStep - 1) / kStep;
    cuts.a[number] = is_a ? own : rank;
    cuts.b[number] = is_a ? rank : own;
}

template <class T>
struct Piece {
    union {
        T side[2][kStep];
        T all[2 * kStep];
    };
    T merged[2 * kStep];
};

template <class Order, class T>
__global__ void __launch_bounds__(2 * kStep) merge_piece(const T* a, const T* b, T* out, Cuts cuts) {
    __shared__ Piece<T> s;
    int from_a = cuts.a[blockIdx.x], from_b = cuts.b[blockIdx.x];
    int na = cuts.a[blockIdx.x + 1] - from_a, nb = cuts.b[blockIdx.x + 1] - from_b, t = threadIdx.x % kStep;
    bool is_a = threadIdx.x < kStep;
    bool there = t < (is_a ? na : nb);
    T x{};
    if (there) x = s.side[is_a ? 0 : 1][t] = is_a ? a[from_a + t] : b[from_b + t];
    __syncthreads();
    if (there) {
        int rank = is_a ? rank_of<Order, T, false>(s.side[1], 0, nb, x) : rank_of<Order, T, true>(s.side[0], 0, na, x);
        s.merged[t + rank] = x;
    }
    __syncthreads();
    if (threadIdx.x < na + nb) out[from_a + from_b + threadIdx.x] = s.merged[threadIdx.x];
}

template <class Order, class T>
void splitters(const T* d_a, int na, const T* d_b, int nb, T* d_out, Workspace& work) {
    int pieces = ceil_div(na, kStep) + ceil_div(nb, kStep);
    if (pieces == 0) return;
    Cuts cuts{work.get<int>(pieces + 1), work.get<int>(pieces + 1)};
    cudaStream_t stream;
    cudaEvent_t event;
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CUDA_CHECK(cudaEventCreate(&event));
    CUDA_CHECK(cudaEventRecord(event));
    CUDA_CHECK(cudaStreamWaitEvent(stream, event));
    cut<Order><<<ceil_div(pieces, 64), 64, 0, stream>>>(d_a, na, d_b, nb, cuts);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaEventRecord(event, stream));
    CUDA_CHECK(cudaStreamWaitEvent(nullptr, event));
    merge_piece<Order><<<pieces, 2 * kStep>>>(d_a, d_b, d_out, cuts);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaEventDestroy(event));
    CUDA_CHECK(cudaStreamDestroy(stream));
}

template void splitters<Ascending<int>>(const int*, int, const int*, int, int*, Workspace&);
template void splitters<Descending<int>>(const int*, int, const int*, int, int*, Workspace&);
template void splitters<ByKey>(const Pair*, int, const Pair*, int, Pair*, Workspace&);
