// Style: std-like lower_bound and upper_bound as templates with a comparator object, pointers instead of indices, for a
// grid-stride loop; recursion replaced by a loop; read-only loads.
#include "merge.h"

namespace search {

template <class T, class Less>
__device__ const T* lower_bound(const T* first, const T* last, T x, Less less) {
    for (auto count = last - first; count > 0;) {
        auto half = count / 2;
        if (less(first[half], x)) {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return first;
}

template <class T, class Less>
__device__ const T* upper_bound(const T* first, const T* last, T x, Less less) {
    return lower_bound(first, last, x, [less](T element, T x) { return !less(x, element); });
}

}  // namespace search

template <class Order>
struct Less {
    using T = typename Order::type;
    __device__ bool operator()(T a, T b) const { return Order().before(a, b); }
};

template <class Order, class T>
__global__ void place_all(const T* a, int na, const T* b, int nb, T* out) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < na + nb; i += gridDim.x * blockDim.x) {
        if (i < na)
            out[i + (search::lower_bound(b, b + nb, a[i], Less<Order>()) - b)] = a[i];
        else
            out[i - na + (search::upper_bound(a, a + na, b[i - na], Less<Order>()) - a)] = b[i - na];
    }
}

template <class Order, class T>
void rank_by_search(const T* d_a, int na, const T* d_b, int nb, T* d_out, Workspace&) {
    int n = na + nb;
    if (n == 0) return;
    int blocks = ceil_div(n, 96);
    blocks = min(blocks, 65535);
    place_all<Order><<<blocks, 96>>>(d_a, na, d_b, nb, d_out);
    CUDA_CHECK(cudaGetLastError());
}

template <class Order, class T>
__global__ void two_runs(const T* in, T* out, int n, int run) {
    long long first = 2ll * run * (blockIdx.x * blockDim.x + threadIdx.x);
    if (first >= n) return;
    const T *left = in + first, *left_end = in + min(first + run, static_cast<long long>(n));
    const T *right = left_end, *right_end = in + min(first + 2ll * run, static_cast<long long>(n));
    T* to = out + first;
    while (left != left_end && right != right_end) *to++ = Order().before(*right, *left) ? *right++ : *left++;
    while (left != left_end) *to++ = *left++;
    while (right != right_end) *to++ = *right++;
}

template <class Order, class T>
void one_thread_per_merge(const T* d_in, T* d_out, int n, int run, Workspace&) {
    if (n == 0) return;
    long long pairs = (n + 2ll * run - 1) / (2ll * run);
    two_runs<Order><<<static_cast<unsigned>((pairs + 63) / 64), 64>>>(d_in, d_out, n, run);
    CUDA_CHECK(cudaGetLastError());
}

template void one_thread_per_merge<Ascending<int>>(const int*, int*, int, int, Workspace&);
template void one_thread_per_merge<ByKey>(const Pair*, Pair*, int, int, Workspace&);
template void rank_by_search<Ascending<int>>(const int*, int, const int*, int, int*, Workspace&);
template void rank_by_search<Descending<int>>(const int*, int, const int*, int, int*, Workspace&);
template void rank_by_search<ByKey>(const Pair*, int, const Pair*, int, Pair*, Workspace&);
