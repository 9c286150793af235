// Style: K&R braces and the goto of the 1980s: the smaller side goes to a child, the larger one stays in the loop; two
// scans meet in the middle; Floyd's heap sort where no child may be launched; a stream for each child.
// clang-format off
#include "quicksort.h"

#define SWAP(x, y)                 \
    {                              \
        int swapped_ = (x);        \
        (x) = (y), (y) = swapped_; \
    }

static __device__ void
sift(int *a, int root, int n)
{
    int key = a[root], child;
    for (; (child = 2 * root + 1) < n; a[root] = a[child], root = child) {
        if (child + 1 < n && a[child] < a[child + 1]) child++;
        if (a[child] <= key) break;
    }
    a[root] = key;
}

static __device__ void
heap_sort(int *a, int n)
{
    int i;
    for (i = n / 2 - 1; i >= 0; i--) sift(a, i, n);
    for (i = n - 1; i > 0; i--) {
        SWAP(a[0], a[i]);
        sift(a, 0, i);
    }
}

static __device__ void
insertion_sort(int *a, int n)
{
    int i, j, key;
    for (i = 1; i < n; i++) {
        for (key = a[i], j = i; j > 0 && a[j - 1] > key; j--) a[j] = a[j - 1];
        a[j] = key;
    }
}

__global__ void
qsort_thread(int *a, int n, int levels)
{
    unsigned seed = 2463534242u + n;
    int i, j, pivot, turns = 64;
    cudaStream_t stream;
again:
    if (n <= 16) {
        insertion_sort(a, n);
        return;
    }
    if (levels == 0 || --turns == 0) goto give_up;
    seed ^= seed << 13, seed ^= seed >> 17, seed ^= seed << 5;
    pivot = a[seed % (unsigned)(n - 1)]; /* never the last one: both sides get something */
    i = -1, j = n;
    for (;;) {
        do i++; while (a[i] < pivot);
        do j--; while (a[j] > pivot);
        if (i >= j) break;
        SWAP(a[i], a[j]);
    }
    j++; /* a[0 .. j) <= pivot <= a[j .. n) */
    {
        int *small = j < n - j ? a : a + j, small_n = j < n - j ? j : n - j, launched = 0;
        if (small_n <= 16)
            insertion_sort(small, small_n);
        else if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess) {
            qsort_thread<<<1, 1, 0, stream>>>(small, small_n, levels - 1);
            launched = cudaGetLastError() == cudaSuccess;
            cudaStreamDestroy(stream);
            if (!launched) heap_sort(small, small_n);
        } else
            heap_sort(small, small_n);
        if (small == a) a += j;
        n -= small_n;
    }
    goto again;
give_up:
    heap_sort(a, n);
}

void one_thread(const int *d_in, int *d_out, int n, int max_depth, Workspace &) {
    if (n < 1) return;
    CUDA_CHECK(cudaMemcpyAsync(d_out, d_in, n * sizeof *d_in, cudaMemcpyDefault));
    qsort_thread<<<1, 1>>>(d_out, n, max_depth);
    CUDA_CHECK(cudaGetLastError());
}
