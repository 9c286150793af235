// Style: function objects and lambdas wrapped around the predicate, one generic kernel for all steps; bit tricks.
#include "compact.h"

namespace steps {

template <class Step>
__global__ void for_each_index(int n, Step step) {
    int i = threadIdx.x + blockDim.x * blockIdx.x;
    if (i < n) step(i);
}

template <class Step>
void run(int n, Step step) {
    for_each_index<<<ceil_div(n, 512), 512>>>(n, step);
    CUDA_CHECK(cudaGetLastError());
}

}  // namespace steps

template <class T, class Keep>
void three_kernels(const T* d_in, T* d_out, int* d_count, int n, Keep keep, Workspace& work) {
    if (n == 0) {
        int zero = 0;
        CUDA_CHECK(cudaMemcpy(d_count, &zero, sizeof zero, cudaMemcpyHostToDevice));
        return;
    }
    int* d_place = work.get<int>(n + 1);
    steps::run(n, [=] __device__(int i) { d_place[i] = keep(d_in[i]); });
    primitives::exclusive_sum(d_place, d_place, n, work);
    steps::run(n + 1, [=] __device__(int i) {
        if (i == n)
            *d_count = d_place[n];
        else if (d_place[i] != d_place[i + 1])
            d_out[d_place[i]] = d_in[i];
    });
}

// A word of 32 answers for each warp: the answers are kept as bits, so that the predicate is asked once.
template <class T, class Keep>
__global__ void ask(const T* in, unsigned* answers, int* counts, int n, Keep keep) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned word = __ballot_sync(0xffffffffu, i < n ? keep(in[i]) : false);
    if (threadIdx.x % warpSize == 0) {
        answers[i / warpSize] = word;
        counts[i / warpSize] = __popc(word);
    }
}

template <class T>
__global__ void move(const T* in, T* out, const unsigned* answers, const int* places, int* total, int words) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0) *total = places[words];
    unsigned word = answers[i / 32], mine = 1u << (i % 32);
    if (word & mine) out[places[i / 32] + __popc(word & (mine - 1))] = in[i];
}

template <class T, class Keep>
void warp_ballot(const T* d_in, T* d_out, int* d_count, int n, Keep keep, Workspace& work) {
    int words = ceil_div(n, 256) * 8;
    auto* d_answers = work.get<unsigned>(words);
    int* d_counts = work.get<int>(words + 1);
    if (words > 0) ask<<<words / 8, 256>>>(d_in, d_answers, d_counts, n, keep);
    CUDA_CHECK(cudaGetLastError());
    primitives::exclusive_sum(d_counts, d_counts, words, work);
    if (words == 0) CUDA_CHECK(cudaMemcpyAsync(d_count, d_counts, sizeof(int), cudaMemcpyDeviceToDevice));
    if (words > 0) move<<<words / 8, 256>>>(d_in, d_out, d_answers, d_counts, d_count, words);
    CUDA_CHECK(cudaGetLastError());
}

template void three_kernels(const int*, int*, int*, int, IsPositive, Workspace&);
template void three_kernels(const unsigned char*, unsigned char*, int*, int, IsDiamond, Workspace&);
template void three_kernels(const float*, float*, int*, int, IsAbove, Workspace&);
template void warp_ballot(const int*, int*, int*, int, IsPositive, Workspace&);
template void warp_ballot(const unsigned char*, unsigned char*, int*, int, IsDiamond, Workspace&);
template void warp_ballot(const float*, float*, int*, int, IsAbove, Workspace&);
template void warp_ballot(const int*, int*, int*, int, Always, Workspace&);
