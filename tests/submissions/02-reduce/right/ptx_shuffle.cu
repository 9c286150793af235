// Style: shuffles by inline PTX, word by word, for results of 4 and 8 bytes.
#include "reduce.h"
template <class R>
__device__ R down(R v, int d) {
    static_assert(sizeof(R) % 4 == 0);
    unsigned w[sizeof(R) / 4];
    memcpy(w, &v, sizeof v);
    for (unsigned& x : w) asm volatile("shfl.sync.down.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=r"(x) : "r"(x), "r"(d));
    memcpy(&v, w, sizeof v);
    return v;
}
template <class Op, class T, class R>
__global__ void k(const T* in, R* out, int n) {
    R v = Op::identity();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        v = Op()(v, static_cast<R>(in[i]));
    for (int d = 16; d; d /= 2) v = Op()(v, down(v, d));
    __shared__ R s[32];
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x < 32) {
        v = threadIdx.x < blockDim.x / 32 ? s[threadIdx.x] : R(Op::identity());
        for (int d = 16; d; d /= 2) v = Op()(v, down(v, d));
        if (threadIdx.x == 0) out[blockIdx.x] = v;
    }
}
template <class Op, class T, class Result>
void warp_shuffle(const T* d_in, Result* d_result, int n, Workspace& work) {
    const int blocks = std::min(256, std::max(1, ceil_div(n, 512)));
    Result* p = work.get<Result>(blocks);
    k<Op, T, Result><<<blocks, 256>>>(d_in, p, n);
    k<Op, Result, Result><<<1, 256>>>(p, d_result, blocks);
    CUDA_CHECK(cudaGetLastError());
}
template void warp_shuffle<Sum<long long>>(const int*, long long*, int, Workspace&);
template void warp_shuffle<Max<int>>(const int*, int*, int, Workspace&);
template void warp_shuffle<Min<int>>(const int*, int*, int, Workspace&);
template void warp_shuffle<Sum<float>>(const float*, float*, int, Workspace&);
template void warp_shuffle<Max<float>>(const float*, float*, int, Workspace&);
template void warp_shuffle<Min<float>>(const float*, float*, int, Workspace&);
