// Style: as textbooks write it: a ping-pong buffer in dynamic shared memory, up-sweep and down-sweep with a macro
// against bank conflicts, a loop of launches over a swapped pair of pointers, a 2D grid.
#include <utility>

#include "scan.h"

__global__ void add_left_neighbour(const int* x, int* y, int n, int distance) {
    int i = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        int sum = x[i];
        if (i >= distance) sum = x[i - distance] + sum;
        y[i] = sum;
    }
}

void naive(const int* d_in, int* d_out, int n, Workspace& work) {
    if (n == 0) return;
    int *a = work.get<int>(n), *b = d_out;
    int blocks = ceil_div(n, 512);
    dim3 grid(blocks < 1024 ? blocks : 1024, ceil_div(blocks, 1024));
    CUDA_CHECK(cudaMemcpyAsync(a, d_in, n * sizeof(int), cudaMemcpyDeviceToDevice));
    for (int distance = 1; distance < n; distance += distance) {
        add_left_neighbour<<<grid, 512>>>(a, b, n, distance);
        CUDA_CHECK(cudaGetLastError());
        std::swap(a, b);
    }
    if (a != d_out) CUDA_CHECK(cudaMemcpyAsync(d_out, a, n * sizeof(int), cudaMemcpyDeviceToDevice));
}

__global__ void ping_pong(int* g_odata, const int* g_idata, int n) {
    extern __shared__ int temp[];
    int thid = threadIdx.x, i = blockIdx.x * kTile + thid;
    int pout = 0, pin = 1;
    temp[pout * kTile + thid] = i < n ? g_idata[i] : 0;
    __syncthreads();
    for (int offset = 1; offset < kTile; offset <<= 1) {
        pout = 1 - pout;
        pin = 1 - pout;
        int x = temp[pin * kTile + thid];
        temp[pout * kTile + thid] = thid >= offset ? x + temp[pin * kTile + thid - offset] : x;
        __syncthreads();
    }
    if (i < n) g_odata[i] = temp[pout * kTile + thid];
}

void hillis_steele(const int* d_in, int* d_out, int n, Workspace&) {
    if (n > 0) ping_pong<<<ceil_div(n, kTile), kTile, 2 * kTile * sizeof(int)>>>(d_out, d_in, n);
    CUDA_CHECK(cudaGetLastError());
}

#define NUM_BANKS 32
#define LOG_NUM_BANKS 5
#define CONFLICT_FREE_OFFSET(k) ((k) >> LOG_NUM_BANKS)

__global__ void sweeps(int* g_odata, const int* g_idata, int n) {
    __shared__ int temp[kTile + kTile / NUM_BANKS];
    int thid = threadIdx.x, offset = 1;
    int ai = thid, bi = thid + kTile / 2;
    int first = blockIdx.x * kTile;
    int bank_a = CONFLICT_FREE_OFFSET(ai), bank_b = CONFLICT_FREE_OFFSET(bi);
    temp[ai + bank_a] = first + ai < n ? g_idata[first + ai] : 0;
    temp[bi + bank_b] = first + bi < n ? g_idata[first + bi] : 0;
    for (int d = kTile >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (thid < d) {
            int a = offset * (2 * thid + 1) - 1, b = offset * (2 * thid + 2) - 1;
            temp[b + CONFLICT_FREE_OFFSET(b)] += temp[a + CONFLICT_FREE_OFFSET(a)];
        }
        offset *= 2;
    }
    if (thid == 0) temp[kTile - 1 + CONFLICT_FREE_OFFSET(kTile - 1)] = 0;
    for (int d = 1; d < kTile; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (thid < d) {
            int a = offset * (2 * thid + 1) - 1, b = offset * (2 * thid + 2) - 1;
            a += CONFLICT_FREE_OFFSET(a);
            b += CONFLICT_FREE_OFFSET(b);
            int t = temp[a];
            temp[a] = temp[b];
            temp[b] += t;
        }
    }
    __syncthreads();
    if (first + ai < n) g_odata[first + ai] = temp[ai + bank_a];
    if (first + bi < n) g_odata[first + bi] = temp[bi + bank_b];
}

void blelloch(const int* d_in, int* d_out, int n, Workspace&) {
    if (n > 0) sweeps<<<ceil_div(n, kTile), kTile / 2>>>(d_out, d_in, n);
    CUDA_CHECK(cudaGetLastError());
}
