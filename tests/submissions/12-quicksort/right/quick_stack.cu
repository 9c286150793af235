// Style: fire-and-forget children, a heapsort where none may be launched.
#include "quicksort.h"
__device__ void insertion(int* a, int n) {
    for (int i = 1; i < n; ++i) {
        int x = a[i], j = i;
        for (; j > 0 && a[j - 1] > x; --j) a[j] = a[j - 1];
        a[j] = x;
    }
}
__device__ void sift(int* a, int i, int n) {
    for (int c; (c = 2 * i + 1) < n; i = c) {
        if (c + 1 < n && a[c] < a[c + 1]) ++c;
        if (a[i] >= a[c]) return;
        int t = a[i];
        a[i] = a[c];
        a[c] = t;
    }
}
__device__ void heap(int* a, int n) {
    for (int i = n / 2; i-- > 0;) sift(a, i, n);
    for (int m = n; m-- > 1;) {
        int t = a[0];
        a[0] = a[m];
        a[m] = t;
        sift(a, 0, m);
    }
}
__global__ void quick(int* a, int n, int left) {
    if (n <= 24) {
        insertion(a, n);
        return;
    }
    if (left == 0) {
        heap(a, n);
        return;
    }
    int p = a[n / 2], q = a[n - 1], o = a[0];
    p = max(min(p, q), min(max(p, q), o));
    int lt = 0, gt = n, i = 0;
    while (i < gt) {
        int x = a[i];
        if (x < p) {
            a[i++] = a[lt];
            a[lt++] = x;
        } else if (p < x) {
            a[i] = a[--gt];
            a[gt] = x;
        } else
            ++i;
    }
    int* part[2] = {a, a + gt};
    int size[2] = {lt, n - gt};
    for (int s = 0; s < 2; ++s) {
        if (size[s] < 2) continue;
        if (size[s] <= 24) {
            insertion(part[s], size[s]);
            continue;
        }
        quick<<<1, 1, 0, cudaStreamFireAndForget>>>(part[s], size[s], left - 1);
        if (cudaGetLastError() != cudaSuccess) heap(part[s], size[s]);
    }
}
void one_thread(const int* d_in, int* d_out, int n, int max_depth, Workspace&) {
    if (n == 0) return;
    CUDA_CHECK(cudaMemcpyAsync(d_out, d_in, n * sizeof(int), cudaMemcpyDeviceToDevice));
    quick<<<1, 1>>>(d_out, n, max_depth);
    CUDA_CHECK(cudaGetLastError());
}
