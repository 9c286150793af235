// Lab 9, merge: the one file you edit. Handout: README.md. Then: make lab9 && ./grader
// Pointers d_* are device memory; inputs must not change; d_out holds garbage at first.
// Each function is called for every n from 0 up and is timed; its Workspace is not.
#include "merge.h"  // the contract; todo(), CUDA_CHECK, ceil_div, Workspace, Ascending, Descending, ByKey

constexpr int kBlock = 256;

// ---- Task 1, one_thread_per_merge: walk through both runs, take the smaller head ----
// Launch: a thread for each pair of runs, blocks of kBlock.
template <class Order>
__global__ void merge_runs(const typename Order::type* d_in, typename Order::type* d_out, int n, int run, int pairs) {
    // 1.1  Where does pair p begin, where does each of its runs end, and what if n is in the middle of one?
    // 1.2  Both heads are equal: which one goes first? Write it with before(a, b) or before(b, a), and with no other.
    // 1.3  One run is used up. What must not be read any more?
    // 1.4  run may be 2^26, and the grid is rounded up: which product must a thread without a pair not compute?
}

template <class Order>
void one_thread_per_merge(const typename Order::type* d_in, typename Order::type* d_out, int n, int run, Workspace&) {
    todo("1");  // take this line out when you start; until then the verdict is SKIP
    int pairs = ceil_div(n, 2 * run);
    merge_runs<Order><<<ceil_div(pairs, kBlock), kBlock>>>(d_in, d_out, n, run, pairs);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 2, rank_by_search: its own index, plus how many of the other side come before it ----
// Launch: a thread for each element of both sides, blocks of kBlock.
template <class Order>
__global__ void scatter_by_rank(const typename Order::type* d_a, int na, const typename Order::type* d_b, int nb,
                                typename Order::type* d_out) {
    // 2.1  a is 4 4, b is 4 4 4. To which places do the five elements go?
    // 2.2  So which of its equals does an element of a count in b, and which does an element of b count in a?
    // 2.3  Search from low = 0 to high = nb. When both meet, is everything right where nb is 0?
}

template <class Order>
void rank_by_search(const typename Order::type* d_a, int na, const typename Order::type* d_b, int nb,
                    typename Order::type* d_out, Workspace&) {
    todo("2");
    // 2.4  Either side may be empty, and a launch of 0 blocks is an error. Does one launch do for both sides?
    scatter_by_rank<Order><<<ceil_div(na + nb, kBlock), kBlock>>>(d_a, na, d_b, nb, d_out);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 3, splitters: rank every kStep-th element only, then merge pieces in shared memory ----
constexpr int kStep = kBlock;

// Where a piece begins: so many elements of a, and of b, come before it.
struct Cut {
    int a, b;
};

// Launch: a thread for each splitter, blocks of kBlock. Splitters are a[0], a[kStep], ... and b[0], b[kStep], ...
template <class Order>
__global__ void find_cuts(const typename Order::type* d_a, int na, const typename Order::type* d_b, int nb,
                          Cut* d_cuts) {
    // 3.1  Why do a's splitters alone not do? Think of an a that lies between two neighbours of a long b.
    // 3.2  A splitter of a has `rank` elements of b before it. How many of these are splitters?
    // 3.3  So at which place among all cuts does it belong? And where does the last piece end?
}

// Launch: a block of kStep threads for each piece. Shared memory: at most kStep elements of each side, and all merged.
template <class Order>
__global__ void merge_pieces(const typename Order::type* d_a, const typename Order::type* d_b,
                             typename Order::type* d_out, const Cut* d_cuts) {
    // 3.4  Why has a piece never more than kStep elements of either side? How many may it have together, at least?
    // 3.5  Rank in shared memory. Then why not write to d_out at once?
    // 3.6  Which barriers does that take? Which threads must reach them?
}

template <class Order>
void splitters(const typename Order::type* d_a, int na, const typename Order::type* d_b, int nb,
               typename Order::type* d_out, Workspace& work) {
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
constexpr int kItems = 11;  // elements that a thread merges; yours to try
constexpr int kTile = kThreads * kItems;

// Of the first `diagonal` elements of the merged order, how many are a's?
template <class Order>
__device__ int count_of_a(const typename Order::type* a, int na, const typename Order::type* b, int nb, int diagonal) {
    // 4.1  Say i of them are a's. How many are b's? So what is the least that i can be, and the most?
    // 4.2  Compare a[i] with b[diagonal - 1 - i]: which answer says that i is too small? And if they are equal?
    return 0;
}

// Launch: a thread for each tile of the output. d_cuts[tile]: how many of a's elements come before it.
template <class Order>
__global__ void find_path(const typename Order::type* d_a, int na, const typename Order::type* d_b, int nb, int* d_cuts,
                          int tiles) {
    // 4.3  The last tile ends where? Which diagonal is that?
}

// Launch: a block of kThreads for each tile. Shared memory: one tile, a's part and b's part one behind the other.
template <class Order>
__global__ void merge_tiles(const typename Order::type* d_a, int na, const typename Order::type* d_b, int nb,
                            typename Order::type* d_out, const int* d_cuts) {
    // 4.4  Thread t begins at diagonal t * kItems of the tile. From where to where does it walk?
    // 4.5  It merges into registers. When may these overwrite the tile, and why is that worth two barriers?
    // 4.6  kItems is odd. Which banks do the 32 lanes touch when each writes its k-th item? And if it were 8?
}

template <class Order>
void merge_path(const typename Order::type* d_a, int na, const typename Order::type* d_b, int nb,
                typename Order::type* d_out, Workspace& work) {
    todo("4");
    int tiles = ceil_div(na + nb, kTile);
    int* d_cuts = work.get<int>(tiles + 1);
    find_path<Order><<<ceil_div(tiles + 1, kThreads), kThreads>>>(d_a, na, d_b, nb, d_cuts, tiles);
    CUDA_CHECK(cudaGetLastError());
    merge_tiles<Order><<<tiles, kThreads>>>(d_a, na, d_b, nb, d_out, d_cuts);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 5, merge_sort: three ways to merge, each where it suits ----
// Launch: a block of kThreads for each tile. Shared memory: one tile. Sorts each tile.
template <class Order>
__global__ void sort_tiles(const typename Order::type* d_in, typename Order::type* d_out, int n) {
    // 5.1  A thread sorts kItems elements in registers. Which network of lab 8 never lets an element pass its equal?
    // 5.2  The last tile is not full. What may stand behind its elements, and stay there?
    // 5.3  Runs of kItems, 2 kItems, ...: which pair of runs does thread t work on, and at which diagonal of it?
}

// Launch: a block of kThreads for each tile of the output. Merges pairs of runs of `run` elements, whole tiles each.
template <class Order>
__global__ void merge_tiles_of_runs(const typename Order::type* d_in, typename Order::type* d_out, const int* d_cuts,
                                    int n, int run) {
    // 5.4  A tile of the output belongs to one pair of runs. Which? How long is each, at the end of the array?
    // 5.5  d_cuts[tile + 1] is where the next tile begins. For which tiles does it not tell where this one ends?
}

template <class Order>
void merge_sort(const typename Order::type* d_in, typename Order::type* d_out, int n, Workspace& work) {
    todo("5");
    // 5.6  Two arrays take turns. In which one does the first kernel have to write, so that the last writes d_out?
    int tiles = ceil_div(n, kTile);
    sort_tiles<Order><<<tiles, kThreads>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
    merge_tiles_of_runs<Order>
        <<<tiles, kThreads>>>(d_out, work.get<typename Order::type>(n), work.get<int>(tiles), n, kTile);
    CUDA_CHECK(cudaGetLastError());
}

// ---- What is graded; leave these lines as they are ----
template void one_thread_per_merge<Ascending<int>>(const int*, int*, int, int, Workspace&);
template void one_thread_per_merge<ByKey>(const Pair*, Pair*, int, int, Workspace&);
template void rank_by_search<Ascending<int>>(const int*, int, const int*, int, int*, Workspace&);
template void rank_by_search<Descending<int>>(const int*, int, const int*, int, int*, Workspace&);
template void rank_by_search<ByKey>(const Pair*, int, const Pair*, int, Pair*, Workspace&);
template void splitters<Ascending<int>>(const int*, int, const int*, int, int*, Workspace&);
template void splitters<Descending<int>>(const int*, int, const int*, int, int*, Workspace&);
template void splitters<ByKey>(const Pair*, int, const Pair*, int, Pair*, Workspace&);
template void merge_path<Ascending<int>>(const int*, int, const int*, int, int*, Workspace&);
template void merge_path<Ascending<long long>>(const long long*, int, const long long*, int, long long*, Workspace&);
template void merge_path<Ascending<float>>(const float*, int, const float*, int, float*, Workspace&);
template void merge_path<ByKey>(const Pair*, int, const Pair*, int, Pair*, Workspace&);
template void merge_sort<Ascending<int>>(const int*, int*, int, Workspace&);
template void merge_sort<Descending<int>>(const int*, int*, int, Workspace&);
template void merge_sort<Ascending<float>>(const float*, float*, int, Workspace&);
template void merge_sort<ByKey>(const Pair*, Pair*, int, Workspace&);
