// Lab 9, merge: the one file you edit. Handout: README.md, contract: merge.h. Then: make lab9 && ./grader
#include "merge.h"  // the contract; todo(), CUDA_CHECK, ceil_div, Workspace, Ascending, Descending, ByKey

constexpr int kBlock = 256;

// ---- Task 1, one_thread_per_merge: walk through both runs, take the smaller head; a thread for each pair ----
template <class Order, class T>
__global__ void merge_runs(const T* d_in, T* d_out, int n, int run, int pairs) {
    // 1.1  Both heads are equal: which goes first? How do you find that out with before() alone?
    // 1.2  run may be as large as 2^26: which product overflows in a thread without a pair?
}

template <class Order, class T>
void one_thread_per_merge(const T* d_in, T* d_out, int n, int run, Workspace&) {
    todo("1");  // take this line out when you start; until then the verdict is SKIP
    int pairs = ceil_div(n, 2 * run);
    merge_runs<Order><<<ceil_div(pairs, kBlock), kBlock>>>(d_in, d_out, n, run, pairs);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 2, rank_by_search: an element's own index, plus its rank in the other array ----
template <class Order, class T>
__global__ void scatter_by_rank(const T* d_a, int na, const T* d_b, int nb, T* d_out) {
    // 2.1  a is 4 4, b is 4 4 4. To which places do the five elements go?
    // 2.2  Search from low = 0 to high = nb. Is the result correct if nb is 0?
}

template <class Order, class T>
void rank_by_search(const T* d_a, int na, const T* d_b, int nb, T* d_out, Workspace&) {
    todo("2");
    scatter_by_rank<Order><<<ceil_div(na + nb, kBlock), kBlock>>>(d_a, na, d_b, nb, d_out);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 3, splitters: rank only every kStep-th element, then merge pieces in shared memory ----
constexpr int kStep = kBlock;

struct Cut {
    int a, b;  // how many elements of a, and of b, come before a piece
};

// Launch: a thread for each splitter: a[0], a[kStep], ... and b[0], b[kStep], ...
template <class Order, class T>
__global__ void find_cuts(const T* d_a, int na, const T* d_b, int nb, Cut* d_cuts) {}

// Shared memory: at most kStep elements of each side, and the merged piece.
template <class Order, class T>
__global__ void merge_pieces(const T* d_a, const T* d_b, T* d_out, const Cut* d_cuts) {
    // 3.1  Why does a piece never have more than kStep elements of either side?
    // 3.2  Which barriers do you need, and which threads must reach them?
}

template <class Order, class T>
void splitters(const T* d_a, int na, const T* d_b, int nb, T* d_out, Workspace& work) {
    todo("3");
    int pieces = ceil_div(na, kStep) + ceil_div(nb, kStep);
    Cut* d_cuts = work.get<Cut>(pieces + 1);
    find_cuts<Order><<<ceil_div(pieces, kBlock), kBlock>>>(d_a, na, d_b, nb, d_cuts);
    CUDA_CHECK(cudaGetLastError());
    merge_pieces<Order><<<pieces, kStep>>>(d_a, d_b, d_out, d_cuts);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 4, merge_path: cut the output, not the input ----
constexpr int kThreads = 256;
constexpr int kItems = 11;  // elements that a thread merges; try others
constexpr int kTile = kThreads * kItems;

// Of the first `diagonal` elements of the merged order, how many are a's?
template <class Order, class T>
__device__ int count_of_a(const T* a, int na, const T* b, int nb, int diagonal) {
    // 4.1  Suppose that i of them are a's. How many are b's? So what are the least and the greatest possible i?
    return 0;  // not right yet
}

// d_cuts[tile]: how many of a's elements come before the tile of the output.
template <class Order, class T>
__global__ void find_path(const T* d_a, int na, const T* d_b, int nb, int* d_cuts, int tiles) {
    // 4.2  On which diagonal does the last tile end?
}

// Shared memory: one tile, first a's part, then b's.
template <class Order, class T>
__global__ void merge_tiles(const T* d_a, int na, const T* d_b, int nb, T* d_out, const int* d_cuts) {
    // 4.3  A thread merges into registers. When may these overwrite the tile, and what do you gain by that?
}

template <class Order, class T>
void merge_path(const T* d_a, int na, const T* d_b, int nb, T* d_out, Workspace& work) {
    todo("4");
    int tiles = ceil_div(na + nb, kTile);
    int* d_cuts = work.get<int>(tiles + 1);
    find_path<Order><<<ceil_div(tiles + 1, kThreads), kThreads>>>(d_a, na, d_b, nb, d_cuts, tiles);
    CUDA_CHECK(cudaGetLastError());
    merge_tiles<Order><<<tiles, kThreads>>>(d_a, na, d_b, nb, d_out, d_cuts);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 5, merge_sort: three ways to merge, each where it is best ----
template <class Order, class T>
__global__ void sort_tiles(const T* d_in, T* d_out, int n) {
    // 5.1  Which network of lab 8 sorts kItems elements in registers and never moves one past an equal one?
    // 5.2  The last tile may not be full: what may come after its elements, and stay there?
}

// Merges pairs of runs of `run` elements, which are whole tiles.
template <class Order, class T>
__global__ void merge_tiles_of_runs(const T* d_in, T* d_out, const int* d_cuts, int n, int run) {
    // 5.3  A tile of the output belongs to one pair of runs. Which? How long is each run at the end of the array?
}

template <class Order, class T>
void merge_sort(const T* d_in, T* d_out, int n, Workspace& work) {
    todo("5");
    // 5.4  Two arrays alternate. Into which one must the first kernel write, so that the last kernel writes d_out?
    int tiles = ceil_div(n, kTile);
    T* d_other = work.get<T>(n);
    int* d_cuts = work.get<int>(tiles);
    sort_tiles<Order><<<tiles, kThreads>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
    merge_tiles_of_runs<Order><<<tiles, kThreads>>>(d_out, d_other, d_cuts, n, kTile);  // not right yet: one of many
    CUDA_CHECK(cudaGetLastError());
}

#include "grading/instantiations.h"  // what is graded; leave this line at the end
