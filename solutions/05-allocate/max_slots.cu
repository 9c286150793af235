// Task 1, max_slots: every triangle has slots for the most that it can make. The slots in use are counted, and their
// triangles are moved together.
// Global memory: 5 slots for each triangle, 120 bytes, in use or not; those in use are written and read again.
#include "allocate.h"

constexpr int kBlock = 256;

// Launch: a thread for each triangle. Its slots are side by side, so that no search is needed to find them.
__global__ void clip_into_slots(const Triangle* d_in, Triangle* d_slots, int* d_counts, int n, Window window) {
    int i = blockIdx.x * kBlock + threadIdx.x;
    if (i >= n) return;
    Polygon polygon;
    int count = clip(d_in[i], window, polygon);
    for (int k = 0; k < count; ++k) d_slots[i * kMostTriangles + k] = fan(polygon, k);
    d_counts[i] = count;
}

// Launch: a thread for each slot. d_offsets[i]: how many triangles come before those of triangle i.
__global__ void move_together(const Triangle* d_slots, const int* d_offsets, Triangle* d_out, int* d_count, int n) {
    int slot = blockIdx.x * kBlock + threadIdx.x;
    int i = slot / kMostTriangles, k = slot % kMostTriangles;
    if (slot == 0) *d_count = d_offsets[n];
    if (i < n && d_offsets[i] + k < d_offsets[i + 1]) d_out[d_offsets[i] + k] = d_slots[slot];
}

void max_slots(const Triangle* d_in, Triangle* d_out, int* d_count, int n, Window window, Workspace& work) {
    if (n == 0) {
        CUDA_CHECK(cudaMemsetAsync(d_count, 0, sizeof(int)));
        return;
    }
    int slots = n * kMostTriangles;
    auto* d_slots = work.get<Triangle>(slots);
    int* d_counts = work.get<int>(n);
    int* d_offsets = work.get<int>(n + 1);
    clip_into_slots<<<ceil_div(n, kBlock), kBlock>>>(d_in, d_slots, d_counts, n, window);
    CUDA_CHECK(cudaGetLastError());
    primitives::exclusive_sum(d_counts, d_offsets, n, work);
    move_together<<<ceil_div(slots, kBlock), kBlock>>>(d_slots, d_offsets, d_out, d_count, n);
    CUDA_CHECK(cudaGetLastError());
}
