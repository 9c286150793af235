// One of everything that nvcc turns into unusual PTX: input of the parser's tests, never run.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

#include <cassert>
#include <cstdio>
#include <cub/cub.cuh>
#include <cuda/atomic>
#include <cuda/barrier>
#include <new>

namespace cg = cooperative_groups;

// ---- Initialisers: addresses, packed addresses, floats, strings, virtual tables ----
struct __attribute__((packed)) Packed {
    char c;
    const int* p;
    short s;
};
__device__ int table[10] = {1, 2, 3};
__device__ Packed packed = {'x', table + 3, 7};
__device__ double doubles[3] = {1.5, -2.25};
__constant__ float floats[2][2] = {{1, 2}, {3, 4}};
__managed__ int managed = 5;
__device__ const char* names[3] = {"a", "bb", "ccc"};
__device__ int plus_one(int x) { return x + 1; }
__device__ int doubled(int x) { return x * 2; }
__device__ int (*functions[2])(int) = {plus_one, doubled};

struct Base {
    virtual __device__ int f(int) { return 1; }
};
struct Derived : Base {
    int k;
    __device__ int f(int x) override { return x + k; }
};

__global__ void virtual_call(Base* v, int* out, int n) {
    __shared__ char place[sizeof(Derived)];
    if (n > 3) v = new (place) Derived;
    out[0] = v->f(n) + functions[n & 1](n) + *packed.p + static_cast<int>(names[n][0]);
}

__device__ float innermost(float x) { return exp2f(x); }
__device__ float inner(float x) { return innermost(x) + 1; }
__global__ void inline_chain(float* out) { out[0] = inner(out[1]); }

__device__ __noinline__ int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
__global__ void recursion(int* out) {
    *out = factorial(*out);
    printf("%d %f\n", *out, 1.5);
    assert(*out > 0);
    int* heap = new int[*out];
    heap[0] = 1;
    out[1] = heap[0];
    delete[] heap;
}

__global__ void halves(__half2* a, __nv_bfloat16* b, float* c) {
    a[0] = __hfma2(a[1], a[2], a[3]);
    b[0] = b[1] * b[2];
    c[0] = __half2float(a[4].x) + float(b[3]);
    atomicAdd(a, a[1]);
    atomicCAS(reinterpret_cast<unsigned long long*>(c), 1ull, 2ull);
}

__global__ void ordered(cuda::atomic<int, cuda::thread_scope_device>* a, int* out) {
    a->fetch_add(1, cuda::memory_order_acq_rel);
    out[0] = a->load(cuda::memory_order_acquire);
    a->store(3, cuda::memory_order_release);
    __threadfence_block();
    a->wait(3);
}

__global__ void groups(int* out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    if (threadIdx.x == 0) init(&barrier, blockDim.x);
    __syncthreads();
    barrier.arrive_and_wait();
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    out[1] = cg::reduce(tile, out[2], cg::plus<int>());
    out[3] = cg::coalesced_threads().size();
    out[5] = __match_any_sync(~0u, out[6]);
    out[8] = __syncthreads_count(out[7]);
    cg::this_grid().sync();
#if __CUDA_ARCH__ >= 800
    out[7] = __reduce_add_sync(~0u, out[8]);
#endif
#if __CUDA_ARCH__ >= 900
    auto cluster = cg::this_cluster();
    __shared__ int s;
    *cluster.map_shared_rank(&s, 1) = 3;
    cluster.sync();
    out[0] = s;
#endif
}

__global__ void textures(cudaTextureObject_t t, float* out) {
    out[0] = tex2D<float>(t, 1.f, 2.f);
    out[1] = tex1Dfetch<float>(t, 3);
}

__global__ void async_copy(const int* in, int* out) {
    __shared__ int s[256];
    __pipeline_memcpy_async(&s[threadIdx.x * 4], in + threadIdx.x * 4, 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x];
}

// Labels and registers of an asm block are its own, however often it is inlined.
__device__ __forceinline__ int asm_block(int x) {
    int y;
    asm volatile(
        "{ .reg .pred p; .reg .b32 t;\n setp.eq.s32 p, %1, 0;\n mov.u32 t, %1; @p bra L; add.s32 t, t, 1;\n"
        " L: mov.u32 %0, t; }"
        : "=r"(y)
        : "r"(x));
    return y;
}
__global__ void __launch_bounds__(256, 2) inline_asm(int* out) {
    extern __shared__ double dynamic[];
    dynamic[threadIdx.x] = doubles[out[2] % 3] + floats[1][out[3] & 1];
    out[0] = asm_block(out[0]) + asm_block(out[1]) + static_cast<int>(dynamic[out[5]]);
    out[4] = clock();
    __nanosleep(20);
    if (out[6] == 7) __trap();
}

__global__ void wide(float4* a, double2* d, char4* c) {
    a[0] = a[1];
    d[0] = d[1];
    c[0] = c[1];
    a[2] = __ldg(a + 3);
    __stcs(a + 5, a[6]);
    d[3].x = sin(d[4].x) + pow(d[4].y, 2.1);
    int local[20];
    for (int i = 0; i < 20; ++i) local[i] = c[i].x;
    c[5].x = static_cast<char>(local[c[6].y % 20]);
}

void launch_library(int* in, int* out, int n) {
    std::size_t bytes = 0;
    cub::DeviceScan::InclusiveSum(nullptr, bytes, in, out, n);
}
