// Each thread searches for its own few elements, without shared memory.
#include "merge.h"
constexpr int kEach = 8;
template <class Order, class T>
__device__ int split(const T* a, int na, const T* b, int nb, int diag) {
    int lo = 0;
    int hi = diag < na ? diag : na;
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (!Order().before(b[diag - 1 - mid], a[mid]))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}
template <class Order, class T>
__global__ void merge_parts(const T* a, int na, const T* b, int nb, T* out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int total = na + nb;
    int diag = t * kEach;
    if (diag >= total) return;
    int i = split<Order>(a, na, b, nb, diag);
    int j = diag - i;
    int end = diag + kEach < total ? diag + kEach : total;
    for (int o = diag; o < end; o++) {
        bool take_a = j >= nb || (i < na && !Order().before(b[j], a[i]));
        out[o] = take_a ? a[i++] : b[j++];
    }
}
template <class Order, class T>
void merge_path(const T* d_a, int na, const T* d_b, int nb, T* d_out, Workspace&) {
    if (na + nb == 0) return;
    int threads = ceil_div(na + nb, kEach);
    merge_parts<Order><<<ceil_div(threads, 128), 128>>>(d_a, na, d_b, nb, d_out);
    CUDA_CHECK(cudaGetLastError());
}
template void merge_path<Ascending<int>>(const int*, int, const int*, int, int*, Workspace&);
template void merge_path<Ascending<long long>>(const long long*, int, const long long*, int, long long*, Workspace&);
template void merge_path<Ascending<float>>(const float*, int, const float*, int, float*, Workspace&);
template void merge_path<ByKey>(const Pair*, int, const Pair*, int, Pair*, Workspace&);
