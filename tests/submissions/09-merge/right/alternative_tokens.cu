// Style: the solution with alternative tokens: and, or, not.
#include "merge.h"
constexpr int kThreads = 256;
constexpr int kItems = 11;  // of a thread. Odd, so that the 32 lanes' k-th items lie in 32 different banks
constexpr int kTile = kThreads * kItems;

template <class Order, class T>
__device__ int count_of_a(const T* a, int na, const T* b, int nb, int diagonal) {
    int low = max(0, diagonal - nb), high = min(diagonal, na);  // b has only nb, and a only na
    while (low < high) {
        int i = (low + high) / 2;
        if (Order().before(b[diagonal - 1 - i], a[i]))  // a[i] comes too late; if they are equal, it does not
            high = i;
        else
            low = i + 1;
    }
    return low;
}

template <class Order, class T>
__device__ void merge_along_path(const T* s, int i, int i_end, int j, int j_end, T (&item)[kItems]) {
    T a = i < i_end ? s[i] : T{}, b = j < j_end ? s[j] : T{};
#pragma unroll  // an array lies in registers only if every index is known
    for (int k = 0; k < kItems; ++k) {
        bool from_a = j >= j_end or (i < i_end and not Order().before(b, a));
        item[k] = from_a ? a : b;
        int next = from_a ? ++i : ++j;
        T fetched = next < (from_a ? i_end : j_end) ? s[next] : T{};
        if (from_a)
            a = fetched;
        else
            b = fetched;
    }
}

template <class T, class At>
__device__ void load(T* s_tile, At at) {
    T item[kItems];
    for (int r = 0; r < kItems; ++r) item[r] = at(r * kThreads + static_cast<int>(threadIdx.x));
    for (int r = 0; r < kItems; ++r) s_tile[r * kThreads + threadIdx.x] = item[r];
    __syncthreads();
}

template <class T>
__device__ void put_items(T* s_tile, const T (&item)[kItems]) {
    __syncthreads();
    for (int k = 0; k < kItems; ++k) s_tile[threadIdx.x * kItems + k] = item[k];
    __syncthreads();
}

template <class T>
__device__ void store(const T* s_tile, T* d_to, int count) {
    for (int k = threadIdx.x; k < count; k += kThreads) d_to[k] = s_tile[k];
}

template <class Order, class T>
__device__ void merge_tile(T* s_tile, const T* d_a, int na, const T* d_b, int nb, T* d_out, int first, int cut,
                           int cut_at_end) {
    int count = min(kTile, na + nb - first), of_a = cut_at_end - cut;
    d_a += cut;
    d_b += first - cut;
    load(s_tile, [=](int k) { return k < of_a ? d_a[k] : k < count ? d_b[k - of_a] : T{}; });
    int diagonal = min(static_cast<int>(threadIdx.x) * kItems, count);
    int i = count_of_a<Order>(s_tile, of_a, s_tile + of_a, count - of_a, diagonal);
    T item[kItems];
    merge_along_path<Order>(s_tile, i, of_a, of_a + diagonal - i, count, item);
    put_items(s_tile, item);
    store(s_tile, d_out + first, count);
}

template <class Order, class T>
__global__ void find_path(const T* d_a, int na, const T* d_b, int nb, int* d_cuts, int tiles) {
    int tile = blockIdx.x * kThreads + threadIdx.x;
    if (tile <= tiles) d_cuts[tile] = count_of_a<Order>(d_a, na, d_b, nb, min(tile * kTile, na + nb));
}

template <class Order, class T>
__global__ void __launch_bounds__(kThreads)
    merge_tiles(const T* d_a, int na, const T* d_b, int nb, T* d_out, const int* d_cuts) {
    __shared__ T s_tile[kTile];
    int tile = blockIdx.x;
    merge_tile<Order>(s_tile, d_a, na, d_b, nb, d_out, tile * kTile, d_cuts[tile], d_cuts[tile + 1]);
}

template <class Order, class T>
void merge_path(const T* d_a, int na, const T* d_b, int nb, T* d_out, Workspace& work) {
    if (na + nb == 0) return;
    int tiles = ceil_div(na + nb, kTile);
    int* d_cuts = work.get<int>(tiles + 1);
    find_path<Order><<<ceil_div(tiles + 1, kThreads), kThreads>>>(d_a, na, d_b, nb, d_cuts, tiles);
    CUDA_CHECK(cudaGetLastError());
    merge_tiles<Order><<<tiles, kThreads>>>(d_a, na, d_b, nb, d_out, d_cuts);
    CUDA_CHECK(cudaGetLastError());
}

template void merge_path<Ascending<int>>(const int*, int, const int*, int, int*, Workspace&);
template void merge_path<Ascending<long long>>(const long long*, int, const long long*, int, long long*, Workspace&);
template void merge_path<Ascending<float>>(const float*, int, const float*, int, float*, Workspace&);
template void merge_path<ByKey>(const Pair*, int, const Pair*, int, Pair*, Workspace&);
