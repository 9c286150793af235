// Style: small iterator classes with *, ++ and a sentinel; a merge as a state machine with labels and goto; asserts on
// what the contract promises; ranks by a search without branches, over powers of two.
#include <cassert>

#include "merge.h"

struct End {};

template <class T>
class Run {
  public:
    __device__ Run(const T* x, long long begin, long long end, long long n)
        : at_(x + min(begin, n)), end_(x + min(end, n)) {}
    __device__ const T& operator*() const {
        assert(at_ < end_);
        return *at_;
    }
    __device__ Run& operator++() { return ++at_, *this; }
    __device__ bool operator==(End) const { return at_ == end_; }

  private:
    const T *at_, *end_;
};

template <class Order, class T>
__global__ void merge_neighbours(const T* in, T* out, long long n, long long run) {
    long long pair = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x, first = 2 * pair * run;
    if (first >= n) return;
    Run<T> a(in, first, first + run, n), b(in, first + run, first + 2 * run, n);
    T* to = out + first;
choose:
    if (a == End()) goto rest_of_b;
    if (b == End()) goto rest_of_a;
    if (Order().before(*b, *a)) {
        *to++ = *b;
        ++b;
    } else {
        *to++ = *a;
        ++a;
    }
    goto choose;
rest_of_a:
    for (; !(a == End()); ++a) *to++ = *a;
rest_of_b:
    for (; !(b == End()); ++b) *to++ = *b;
    assert(to == out + min(n, first + 2 * run));
}

template <class Order, class T>
void one_thread_per_merge(const T* d_in, T* d_out, int n, int run, Workspace&) {
    if (n == 0) return;
    long long pairs = ceil_div(static_cast<long long>(n), 2LL * run);
    merge_neighbours<Order><<<static_cast<int>(ceil_div(pairs, 64LL)), 64>>>(d_in, d_out, n, run);
    CUDA_CHECK(cudaGetLastError());
}

// How many of x's elements for which `goes_before` holds; they are the first ones.
template <class T, class GoesBefore>
__device__ int count_before(const T* x, int n, GoesBefore goes_before) {
    int count = 0;
    for (int step = n > 0 ? 1 << (31 - __clz(n)) : 0; step > 0; step >>= 1) {
        int next = count + step;
        count = next <= n && goes_before(x[next - 1]) ? next : count;
    }
    return count;
}

template <class Order, class T>
__global__ void rank(const T* __restrict__ a, int na, const T* __restrict__ b, int nb, T* __restrict__ out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < na) {
        T x = a[i];
        out[i + count_before(b, nb, [x](T other) { return Order().before(other, x); })] = x;
    } else if (i - na < nb) {
        T x = b[i - na];
        out[i - na + count_before(a, na, [x](T other) { return !Order().before(x, other); })] = x;
    }
}

template <class Order, class T>
void rank_by_search(const T* d_a, int na, const T* d_b, int nb, T* d_out, Workspace&) {
    if (na + nb == 0) return;
    rank<Order><<<ceil_div(na + nb, 192), 192>>>(d_a, na, d_b, nb, d_out);
    CUDA_CHECK(cudaGetLastError());
}

template void one_thread_per_merge<Ascending<int>>(const int*, int*, int, int, Workspace&);
template void one_thread_per_merge<ByKey>(const Pair*, Pair*, int, int, Workspace&);
template void rank_by_search<Ascending<int>>(const int*, int, const int*, int, int*, Workspace&);
template void rank_by_search<Descending<int>>(const int*, int, const int*, int, int*, Workspace&);
template void rank_by_search<ByKey>(const Pair*, int, const Pair*, int, Pair*, Workspace&);
