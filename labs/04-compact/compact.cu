// Lab 4, compact: the one file you edit. Handout: README.md, contract: compact.h. Then: make lab4 && ./grader
#include "compact.h"  // the contract; todo(), CUDA_CHECK, ceil_div, Workspace, primitives::exclusive_sum

constexpr int kBlock = 256;

// ---- Task 1, three_kernels: flag, scan, scatter ----
template <class T, class Keep>
__global__ void flag(const T* d_in, int* d_flags, int n, Keep keep) {
    // 1.1  Which number do you write for each element, so that the scan counts the kept elements before it?
}

template <class T>
__global__ void scatter(const T* d_in, const int* d_flags, const int* d_places, T* d_out, int* d_count, int n) {
    // 1.2  Of three cards, only the first and the last are diamonds: to which places do their threads write?
    // 1.3  d_places has n + 1 elements. What is in the last one, and which thread copies it to d_count?
}

template <class T, class Keep>
void three_kernels(const T* d_in, T* d_out, int* d_count, int n, Keep keep, Workspace& work) {
    todo("1");  // take this line out when you start; until then the verdict is SKIP
    // 1.4  What if n is 0? The host cannot write d_count directly, because it is device memory. (cudaMemsetAsync)
    int* d_flags = work.get<int>(n);
    int* d_places = work.get<int>(n + 1);
    flag<<<ceil_div(n, kBlock), kBlock>>>(d_in, d_flags, n, keep);
    CUDA_CHECK(cudaGetLastError());
    primitives::exclusive_sum(d_flags, d_places, n, work);
    scatter<<<ceil_div(n, kBlock), kBlock>>>(d_in, d_flags, d_places, d_out, d_count, n);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 2, fused: a block of kBlock threads for each tile of kBlock elements ----
template <class T, class Keep>
__global__ void count_tiles(const T* d_in, int* d_counts, int n, Keep keep) {
    // 2.1  Which barrier also counts the threads that say yes? What does a thread beyond n say?
}

// Shared memory: what your scan of a tile needs (lab 3, hillis_steele).
template <class T, class Keep>
__global__ void scatter_tiles(const T* d_in, const int* d_offsets, T* d_out, int* d_count, int n, Keep keep) {
    // 2.2  Which number plus the rank is the place in d_out?
}

template <class T, class Keep>
void fused(const T* d_in, T* d_out, int* d_count, int n, Keep keep, Workspace& work) {
    todo("2");
    int tiles = 1;  // not right yet: one tile
    int* d_counts = work.get<int>(tiles);
    int* d_offsets = work.get<int>(tiles + 1);  // not right yet: garbage
    count_tiles<<<tiles, kBlock>>>(d_in, d_counts, n, keep);
    CUDA_CHECK(cudaGetLastError());
    scatter_tiles<<<tiles, kBlock>>>(d_in, d_offsets, d_out, d_count, n, keep);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 3, warp_ballot: a warp for every kChunk elements, row by row, 32 neighbours at a time ----
constexpr int kChunk = 8 * 32;

template <class T, class Keep>
__global__ void count_chunks(const T* d_in, int* d_counts, int n, Keep keep) {
    // 3.1  The last row may not be full. Which lanes must take part in the ballot, and how do those beyond n vote?
}

template <class T, class Keep>
__global__ void scatter_chunks(const T* d_in, const int* d_offsets, T* d_out, int* d_count, int n, int warps,
                               Keep keep) {
    // 3.2  Which bits of the ballot stand for the lanes before yours? For lane 0, for lane 31?
}

template <class T, class Keep>
void warp_ballot(const T* d_in, T* d_out, int* d_count, int n, Keep keep, Workspace& work) {
    todo("3");
    // 3.3  The grid has whole blocks, so it may have more warps than there are chunks. What do the extra warps count?
    int warps = ceil_div(n, kChunk);
    int blocks = 1;  // not right yet: 8 warps
    int* d_counts = work.get<int>(warps);
    int* d_offsets = work.get<int>(warps + 1);  // not right yet: garbage
    count_chunks<<<blocks, kBlock>>>(d_in, d_counts, n, keep);
    CUDA_CHECK(cudaGetLastError());
    scatter_chunks<<<blocks, kBlock>>>(d_in, d_offsets, d_out, d_count, n, warps, keep);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 4, look_back: one launch, each element read once; a block of kBlock threads for each tile of kTile ----
constexpr int kRows = 8;  // of each warp; try other numbers
constexpr int kTile = kRows * kBlock;
enum class Status : unsigned { empty, aggregate, inclusive_prefix };

template <class T, class Keep>
__global__ void look_back_kernel(const T* d_in, T* d_out, int* d_count, unsigned long long* d_states,
                                 unsigned* d_ticket, int n, Keep keep) {
    // 4.1  A tile waits for earlier tiles. Why is its number a ticket, atomicAdd(d_ticket, 1), and not blockIdx.x?
    // 4.2  The warps' counts meet in shared memory. How many barriers do you need, and what does each one order?
    // 4.3  How do status and count fit into one 64-bit word, and why must they?
    // 4.4  32 lanes look at the 32 tiles before this one: which counts add up, and where does the search end?
}

template <class T, class Keep>
void look_back(const T* d_in, T* d_out, int* d_count, int n, Keep keep, Workspace& work) {
    todo("4");
    // 4.5  Both arrays hold garbage. What must they hold before the launch, in every call?
    int tiles = ceil_div(n, kTile);
    auto* d_states = work.get<unsigned long long>(tiles);
    auto* d_ticket = work.get<unsigned>(1);
    look_back_kernel<<<tiles, kBlock>>>(d_in, d_out, d_count, d_states, d_ticket, n, keep);
    CUDA_CHECK(cudaGetLastError());
}

#include "grading/instantiations.h"  // what is graded; leave this line at the end
