// Lab 3, scan: the one file you edit. Handout: README.md. Then: make lab3 && ./grader
// Pointers d_* are device memory; d_in must not change; d_out holds garbage at first.
// Each function is called for every n from 0 up and is timed; its Workspace is not.
#include "scan.h"  // the contract; todo(), CUDA_CHECK, ceil_div, Workspace, Sum, Max

constexpr int kBlock = 256;

// ---- Task 1, naive: inclusive sum of n elements, one launch a step ----
// Launch: a thread for each element, blocks of kBlock. Run once for offset = 1, 2, 4, ...
__global__ void naive_step(const int* d_from, int* d_to, int n, int offset) {
    // 1.1  Before the step, element i holds the sum of the last `offset` elements up to i. And after it?
    // 1.2  What does an element do that has no neighbour `offset` places to the left?
    // 1.3  The grid is rounded up to whole blocks: which threads have nothing to do?
}

void naive(const int* d_in, int* d_out, int n, Workspace& work) {
    todo("1");  // take this line out when you start; until then the verdict is SKIP
    // 1.4  Why can a step not read and write the same array? (Which thread of which block runs first?)
    // 1.5  These are two steps. How many does n need, and how do you see to it that the last one writes d_out?
    // 1.6  What if n is 0, or 1?
    int* d_temporary = work.get<int>(n);
    naive_step<<<ceil_div(n, kBlock), kBlock>>>(d_in, d_temporary, n, 1);
    CUDA_CHECK(cudaGetLastError());
    naive_step<<<ceil_div(n, kBlock), kBlock>>>(d_temporary, d_out, n, 2);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 2, hillis_steele: inclusive sum of every tile, one read and one write of global memory ----
// Launch: one block of kTile threads for each tile. Shared memory: two tiles of int.
__global__ void hillis_steele_kernel(const int* d_in, int* d_out, int n) {
    // 2.1  What does a thread with nothing to read put into shared memory? May it return instead?
    // 2.2  The steps are those of task 1. What does the second buffer save: how many barriers does a step need
    //      with two buffers, how many with one?
    // 2.3  Which of the two buffers holds the result?
}

void hillis_steele(const int* d_in, int* d_out, int n, Workspace&) {
    todo("2");
    // 2.4  How many tiles are there, the last, partly filled one included?
    hillis_steele_kernel<<<1, kTile>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 3, blelloch: exclusive sum of every tile with O(kTile) additions ----
// Launch: one block of kTile / 2 threads for each tile. Shared memory: one tile of int, padded.
__global__ void blelloch_kernel(const int* d_in, int* d_out, int n) {
    // 3.1  Up-sweep: with stride 1, 2, 4, ... which pairs are added, and how many threads have a pair to add?
    //      Let the first threads work, not every second one: which pair belongs to thread t?
    // 3.2  The root holds the sum of all. What does an exclusive scan put there before it walks down?
    // 3.3  Down-sweep: a node hands its value to its left child. What does its right child get?
    // 3.4  All threads reach every __syncthreads(), those without a pair too. Where does it stand, then?
    // 3.5  With stride 16, which of the 32 banks do the threads of a warp touch? Where would element i have to lie
    //      so that they spread? Write that as a function of i, and count its words when you size the array.
    // 3.6  Near the root all pairs belong to one warp. Which barriers may be __syncwarp() there? (Worth a tenth.)
}

void blelloch(const int* d_in, int* d_out, int n, Workspace&) {
    todo("3");
    blelloch_kernel<<<1, kTile / 2>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 4, block_sums: any n, any associative operator ----
// Launch: as task 3, and a second kernel that adds to each tile what came before it.
template <Scan kind, class Op>
__global__ void scan_tiles(const typename Op::type* d_in, typename Op::type* d_out, typename Op::type* d_totals,
                           int n) {
    // 4.1  As task 3, with Op()(a, b) for a + b. What stands in for 0?
    // 4.2  op(a, b) is not op(b, a): which side is left in the up-sweep, and which in the down-sweep?
    // 4.3  Which thread knows the sum of the whole tile, and when? It goes to d_totals[blockIdx.x].
    // 4.4  You have exclusive sums. How do you get inclusive ones without another barrier?
}

template <class Op>
__global__ void add_prefixes(const typename Op::type* d_prefixes, typename Op::type* d_out, int n) {
    // 4.5  What is d_prefixes[0]? On which side of d_out[i] does its prefix go?
}

template <Scan kind, class Op>
void block_sums(const typename Op::type* d_in, typename Op::type* d_out, int n, Workspace& work) {
    todo("4");
    // 4.6  The exclusive prefix of a tile is the sum of the totals before it. Which scan of d_totals is that, and who
    //      can do it?
    // 4.7  When does it end? How much memory do all levels need together?
    auto* d_totals = work.get<typename Op::type>(ceil_div(n, kTile));
    scan_tiles<kind, Op><<<1, kTile / 2>>>(d_in, d_out, d_totals, n);
    CUDA_CHECK(cudaGetLastError());
    add_prefixes<Op><<<1, kTile>>>(d_totals, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}

template <class Op>
__host__ __device__ typename Segmented<Op>::type Segmented<Op>::operator()(type /*a*/, type b) const {
    // 4.8  When b begins a segment, what is left of a's value? When it does not? And which head does the sum have?
    return b;
}

// ---- Task 5, look_back: one launch, each element read once and written once ----
// Launch: one block of kBlock threads for each tile of 4 elements a thread; more are yours to try.
// A tile publishes its aggregate as soon as it knows it, and its inclusive prefix as soon as it knows that.
enum class Status : unsigned { empty, aggregate, inclusive_prefix };

template <Scan kind, class Op>
__global__ void look_back_kernel(const typename Op::type* d_in, typename Op::type* d_out, unsigned long long* d_states,
                                 int* d_ticket, int n) {
    // 5.1  Tile 7 waits for tile 6. Must block 6 have started when block 7 runs? What does a ticket from
    //      atomicAdd(d_ticket, 1) promise that blockIdx.x does not?
    // 5.2  How does a reader never see a new Status beside an old value? (A 64-bit store is seen whole or not at all;
    //      what if Op::type has 64 bits itself?)
    // 5.3  A block looks back: which tiles does it add, in which order, and when may it stop?
    // 5.4  Could 32 lanes look at 32 tiles at once? What does __ballot_sync tell them?
    // 5.5  Who has to publish before it looks back, and why? What does tile 0 publish?
    // 5.6  What should a lane do between two looks at an empty state? (__nanosleep)
}

template <Scan kind, class Op>
void look_back(const typename Op::type* d_in, typename Op::type* d_out, int n, Workspace& work) {
    todo("5");
    // 5.7  The states hold garbage: what must they, and the ticket, hold before the launch, in every call?
    int tiles = ceil_div(n, 4 * kBlock);
    look_back_kernel<kind, Op>
        <<<tiles, kBlock>>>(d_in, d_out, work.get<unsigned long long>(tiles), work.get<int>(1), n);
    CUDA_CHECK(cudaGetLastError());
}

// ---- What is graded; leave these lines as they are ----
using SegmentedSum = Segmented<Sum<int>>;
using Pair = Headed<int>;
template void block_sums<Scan::exclusive, Sum<int>>(const int*, int*, int, Workspace&);
template void block_sums<Scan::inclusive, Sum<int>>(const int*, int*, int, Workspace&);
template void block_sums<Scan::exclusive, Max<int>>(const int*, int*, int, Workspace&);
template void block_sums<Scan::inclusive, Sum<float>>(const float*, float*, int, Workspace&);
template void block_sums<Scan::inclusive, Compose>(const Affine*, Affine*, int, Workspace&);
template void block_sums<Scan::inclusive, SegmentedSum>(const Pair*, Pair*, int, Workspace&);
template void look_back<Scan::exclusive, Sum<int>>(const int*, int*, int, Workspace&);
template void look_back<Scan::inclusive, Sum<int>>(const int*, int*, int, Workspace&);
template void look_back<Scan::exclusive, Max<int>>(const int*, int*, int, Workspace&);
template void look_back<Scan::exclusive, Sum<long long>>(const long long*, long long*, int, Workspace&);
template void look_back<Scan::inclusive, Sum<float>>(const float*, float*, int, Workspace&);
template void look_back<Scan::inclusive, Compose>(const Affine*, Affine*, int, Workspace&);
template void look_back<Scan::inclusive, SegmentedSum>(const Pair*, Pair*, int, Workspace&);
