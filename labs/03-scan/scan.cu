// Lab 3, scan: the one file you edit. Handout: README.md, contract: scan.h. Then: make lab3 && ./grader
#include "scan.h"  // the contract; todo(), CUDA_CHECK, ceil_div, Workspace, Sum, Max

#include "toolbox/shuffle.h"  // shuffle(), shuffle_up(), shuffle_down(): from task 5 on

constexpr int kBlock = 256;

// ---- Task 1, naive: inclusive sum of n elements, one launch of naive_step for each offset = 1, 2, 4, ... ----
__global__ void naive_step(const int* d_from, int* d_to, int n, int offset) {
    // 1.1  What becomes of an element without a neighbour `offset` places to the left? What does a thread beyond n do?
}

void naive(const int* d_in, int* d_out, int n, Workspace& work) {
    todo("1");  // take this line out when you start; until then the verdict is SKIP
    // 1.2  How many steps does n need, and how do you make the last one write d_out? What if n is 0, or 1?
    int* d_temporary = work.get<int>(n);
    naive_step<<<ceil_div(n, kBlock), kBlock>>>(d_in, d_temporary, n, 1);  // not right yet: two steps for any n
    CUDA_CHECK(cudaGetLastError());
    naive_step<<<ceil_div(n, kBlock), kBlock>>>(d_temporary, d_out, n, 2);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 2, hillis_steele: inclusive sum of every tile, one read and one write of global memory ----
// Launch: one block of kTile threads for each tile. Shared memory: two tiles of int.
__global__ void hillis_steele_kernel(const int* d_in, int* d_out, int n) {
    // 2.1  What does a thread beyond n put into shared memory? May it return instead?
    // 2.2  How many barriers does a step need with two buffers, and how many with one?
}

void hillis_steele(const int* d_in, int* d_out, int n, Workspace&) {
    todo("2");
    hillis_steele_kernel<<<1, kTile>>>(d_in, d_out, n);  // not right yet: one tile only
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 3, blelloch: exclusive sum of every tile with O(kTile) additions ----
// Launch: one block of kTile / 2 threads for each tile. Shared memory: one tile of int, padded.
__global__ void blelloch_kernel(const int* d_in, int* d_out, int n) {
    // 3.1  At stride 16, which banks does a warp touch? Where would element i have to lie instead?
}

void blelloch(const int* d_in, int* d_out, int n, Workspace&) {
    todo("3");
    blelloch_kernel<<<1, kTile / 2>>>(d_in, d_out, n);  // not right yet: one tile only
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 4, block_sums: any n, any operator: as task 3, then a kernel adds to each tile what came before it ----
template <Scan kind, class Op, class T = typename Op::type>
__global__ void scan_tiles(const T* d_in, T* d_out, T* d_totals, int n) {
    // 4.1  op(a, b) is not op(b, a): which operand is the left one in the up-sweep, and in the down-sweep?
}

template <class Op, class T = typename Op::type>
__global__ void add_prefixes(const T* d_prefixes, T* d_out, int n) {}

template <Scan kind, class Op, class T>
void block_sums(const T* d_in, T* d_out, int n, Workspace& work) {
    todo("4");
    // 4.2  Which scan of d_totals gives the prefixes, what can compute it, and when does the recursion end?
    T* d_totals = work.get<T>(ceil_div(n, kTile));
    scan_tiles<kind, Op><<<1, kTile / 2>>>(d_in, d_out, d_totals, n);  // not right yet: one tile only
    CUDA_CHECK(cudaGetLastError());
    add_prefixes<Op><<<1, kTile>>>(d_totals, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}

template <class Op, class T>
__host__ __device__ Headed<T> join_segments(Headed<T> a, Headed<T> b) {
    // 4.3  What is left of a's value if b begins a segment, and if it does not? Which head does the sum have?
    return {Op()(a.value, b.value), b.head};  // not right yet
}

// ---- Task 5, reduce_then_scan: the totals first, then each tile once more; shuffles instead of shared memory ----
// Launch: kBlock threads for each tile of kItems elements a thread. Try larger tiles, too.
constexpr int kItems = 4;

template <class Op, class T = typename Op::type>
__device__ T inclusive_warp_scan(T value) {
    // 5.1  Task 2's steps over the 32 lanes: which lanes have no left neighbour, and why is there no barrier?
    return value;  // not right yet
}

template <class Op, class T = typename Op::type>
__global__ void reduce_tiles(const T* d_in, T* d_totals, int n) {}

template <Scan kind, class Op, class T = typename Op::type>
__global__ void scan_reduced_tiles(const T* d_in, const T* d_prefixes, T* d_out, int n) {}

template <Scan kind, class Op, class T>
void reduce_then_scan(const T* d_in, T* d_out, int n, Workspace& work) {
    todo("5");
    int tiles = ceil_div(n, kItems * kBlock);
    T* d_totals = work.get<T>(tiles);
    reduce_tiles<Op><<<tiles, kBlock>>>(d_in, d_totals, n);
    CUDA_CHECK(cudaGetLastError());
    scan_reduced_tiles<kind, Op><<<tiles, kBlock>>>(d_in, d_totals, d_out, n);  // not right yet: totals, not prefixes
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 6, look_back: one launch, each element read once and written once ----
// Launch: as task 5. A tile publishes its aggregate as soon as it knows it, then its inclusive prefix.
enum class Status : unsigned { empty, aggregate, inclusive_prefix };

template <Scan kind, class Op, class T = typename Op::type>
__global__ void look_back_kernel(const T* d_in, T* d_out, unsigned long long* d_states, int* d_ticket, int n) {
    // 6.1  Tile 7 waits for tile 6. What does a ticket from atomicAdd(d_ticket, 1) promise that blockIdx.x does not?
    // 6.2  How do you keep a reader from seeing a new Status with an old value? What if T itself has 64 bits?
    // 6.3  Which tiles does a block add, in which order, and when may it stop? Could 32 lanes look at once?
}

template <Scan kind, class Op, class T>
void look_back(const T* d_in, T* d_out, int n, Workspace& work) {
    todo("6");
    int tiles = ceil_div(n, kItems * kBlock);
    auto* d_states = work.get<unsigned long long>(tiles);
    int* d_ticket = work.get<int>(1);
    look_back_kernel<kind, Op><<<tiles, kBlock>>>(d_in, d_out, d_states, d_ticket, n);  // not right yet: both garbage
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 7, pipelined: as task 6, but a block publishes its next tile before it finishes the one it holds ----
// Launch: as many blocks of kBlock threads as the device holds at once. Each takes tickets until no tile is left.
template <Scan kind, class Op, class T = typename Op::type>
__global__ void pipelined_kernel(const T* d_in, T* d_out, unsigned long long* d_states, int* d_ticket, int n) {
    // 7.1  Where is the held tile kept while the next one is loaded into registers? Who finishes the last tile?
    // 7.2  A block waits while it holds two tiles. Why can blocks never wait for each other in a circle?
}

template <Scan kind, class Op, class T>
void pipelined(const T* d_in, T* d_out, int n, Workspace& work) {
    todo("7");
    auto* d_states = work.get<unsigned long long>(ceil_div(n, kItems * kBlock));
    int* d_ticket = work.get<int>(1);
    pipelined_kernel<kind, Op><<<1, kBlock>>>(d_in, d_out, d_states, d_ticket, n);  // not right yet: one block
    CUDA_CHECK(cudaGetLastError());
}

#include "grading/instantiations.h"  // what is graded; leave this line at the end
