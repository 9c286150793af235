// Style: special registers and address spaces in PTX, cache hints, bit intrinsics, the clock, a switch and a goto in a
// kernel, local arrays with a computed index.
#include "square.h"

__device__ unsigned lanes_below() {
    unsigned mask;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
    return mask;
}

__global__ void square(const float* in, float* out, int n, unsigned long long* never) {
    unsigned sm, warps;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    asm volatile("mov.u32 %0, %%nwarpid;" : "=r"(warps));
    long long begun = clock64();
    unsigned long long nanoseconds;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (__popc(lanes_below()) != threadIdx.x % 32 || __isGlobal(in) == 0) __trap();
    if (i >= n) return;
    asm volatile("prefetch.global.L2 [%0];" ::"l"(in + i));
    float x = __ldcs(in + i);
    float ways[4] = {x, -x, x, -x};
    float y = 0;
    switch (i & 3) {
        case 0:
            y = ways[0] * ways[2];
            break;
        case 1:
            y = __fmul_rn(ways[(i + 2) & 3], ways[(i + 2) & 1 ? 1 : 3]);
            break;
        case 2:
            goto by_double;
        default:
            y = ways[__brev(__brev(i)) & 3] * ways[(__funnelshift_l(i, i, 32) & 2) + 1];
    }
    __stwt(out + i, y);
    if (clock64() < begun) *never = nanoseconds + sm + warps;
    return;
by_double:
    __stcg(out + i, __double2float_rn(static_cast<double>(x) * x));
}

void grid(const float* d_in, float* d_out, int n) {
    if (n == 0) return;
    square<<<ceil_div(n, 256), 256>>>(d_in, d_out, n, nullptr);
    CUDA_CHECK(cudaGetLastError());
}
