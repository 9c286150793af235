// Style: a recursive device function, a virtual operator, atomics on long long; a tree in few launches.
#include "reduce.h"

struct Adder {
    __device__ virtual long long add(long long a, long long b) const { return a + b; }
};

__device__ __noinline__ long long sum_of(const int* x, int count, const Adder& adder) {
    if (count == 0) return 0;
    if (count == 1) return *x;
    int half = count / 2;
    return adder.add(sum_of(x, half, adder), sum_of(x + half, count - half, adder));
}

__global__ void sum_pieces(const int* in, unsigned long long* sum, int n, int piece) {
    Adder adder;
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * piece;
    if (first >= n) return;
    atomicAdd(sum, static_cast<unsigned long long>(sum_of(in + first, min(piece, n - first), adder)));
}

void global_memory(const int* d_in, long long* d_sum, int n, Workspace&) {
    auto* sum = reinterpret_cast<unsigned long long*>(d_sum);
    CUDA_CHECK(cudaMemsetAsync(sum, 0, sizeof *sum));
    if (n == 0) return;
    constexpr int kPiece = 32;
    sum_pieces<<<ceil_div(ceil_div(n, kPiece), 64), 64>>>(d_in, sum, n, kPiece);
    CUDA_CHECK(cudaGetLastError());
}
