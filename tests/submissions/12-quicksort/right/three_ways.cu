// Style: fire-and-forget launches, a partition into three, Shell sort with gaps in constant memory, device function
// pointers, jobs as structs by value.
#include "quicksort.h"

struct Job {
    int* keys;
    int count, levels;
};

__device__ __constant__ int gaps[] = {1636723, 727432, 323303, 143690, 63862, 28383, 12614, 5606, 2491,
                                      1107,    492,    218,    96,     42,    18,    8,     3,    1};

__device__ void shell_sort(const Job& job) {
    for (int gap : gaps) {
        for (int i = gap; i < job.count; ++i) {
            int key = job.keys[i], at = i;
            while (at >= gap && key < job.keys[at - gap]) {
                job.keys[at] = job.keys[at - gap];
                at -= gap;
            }
            job.keys[at] = key;
        }
    }
}

__global__ void quicksort(Job job);

__device__ bool by_child(const Job& job) {
    if (job.levels < 0) return false;
    quicksort<<<1, 1, 0, cudaStreamFireAndForget>>>(job);
    return cudaGetLastError() == cudaSuccess;
}

__device__ bool by_hand(const Job& job) {
    shell_sort(job);
    return true;
}

using Way = bool (*)(const Job&);

__global__ void quicksort(Job job) {
    if (job.count <= 24 || job.levels == 0) {
        shell_sort(job);
        return;
    }
    unsigned place = static_cast<unsigned>(job.count) * 2654435761u;
    int a = job.keys[place % job.count], b = job.keys[(place >> 3) % job.count], c = job.keys[(place >> 7) % job.count];
    int pivot = max(min(a, b), min(max(a, b), c));
    int less = 0, here = 0, greater = job.count;  // [0, less) < pivot, [less, here) == pivot, [greater, count) > pivot
    while (here < greater) {
        int key = job.keys[here];
        if (key == pivot) {
            ++here;
        } else {
            int to = key < pivot ? less : greater - 1;
            job.keys[here] = job.keys[to];
            job.keys[to] = key;
            if (key < pivot)
                ++less, ++here;
            else
                --greater;
        }
    }
    Job sides[2] = {{job.keys, less, job.levels - 1}, {job.keys + greater, job.count - greater, job.levels - 1}};
    for (const Job& side : sides) {
        if (side.count < 2) continue;
        Way way = side.count <= 24 ? by_hand : by_child;
        if (!way(side)) shell_sort(side);
    }
}

void one_thread(const int* d_in, int* d_out, int n, int max_depth, Workspace&) {
    if (n == 0) return;
    CUDA_CHECK(cudaMemcpy(d_out, d_in, sizeof(int) * n, cudaMemcpyDeviceToDevice));
    quicksort<<<1, 1>>>({d_out, n, max_depth});
    CUDA_CHECK(cudaGetLastError());
}
