// Lab 4, compact: the one file you edit. Handout: README.md. Then: make lab4 && ./grader
// Pointers d_* are device memory; d_in must not change; d_out and d_count hold garbage at first.
// Each function is called for every n from 0 up and is timed; its Workspace is not.
#include "compact.h"  // the contract; todo(), CUDA_CHECK, ceil_div, Workspace, primitives::exclusive_sum

constexpr int kBlock = 256;

// ---- Task 1, three_kernels: ask, scan, scatter ----
// Launch: a thread for each element, blocks of kBlock.
template <class Keep>
__global__ void flag(const typename Keep::type* d_in, int* d_flags, int n, Keep keep) {
    // 1.1  What does a scan need, so that its sums say how many elements before this one are kept?
    // 1.2  The grid is rounded up to whole blocks: which threads have nothing to do?
}

template <class T>
__global__ void scatter(const T* d_in, const int* d_flags, const int* d_places, T* d_out, int* d_count, int n) {
    // 1.3  Of three cards only the first and the last are diamonds: to which places do their threads write?
    // 1.4  d_places has n + 1 elements. What is in the last one, and who hands it to d_count?
    // 1.5  Nothing may be written behind the last kept element. Which threads must not write?
}

template <class Keep>
void three_kernels(const typename Keep::type* d_in, typename Keep::type* d_out, int* d_count, int n, Keep keep,
                   Workspace& work) {
    todo("1");  // take this line out when you start; until then the verdict is SKIP
    // 1.6  What if n is 0? d_count is device memory: *d_count = 0 cannot be said here. (cudaMemsetAsync)
    int* d_flags = work.get<int>(n);
    int* d_places = work.get<int>(n + 1);
    flag<<<ceil_div(n, kBlock), kBlock>>>(d_in, d_flags, n, keep);
    CUDA_CHECK(cudaGetLastError());
    primitives::exclusive_sum(d_flags, d_places, n, work);
    scatter<<<ceil_div(n, kBlock), kBlock>>>(d_in, d_flags, d_places, d_out, d_count, n);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 2, fused: only one count for each tile goes through global memory ----
// Launch: a block of kBlock threads for each tile of kBlock elements.
template <class Keep>
__global__ void count_tiles(const typename Keep::type* d_in, int* d_counts, int n, Keep keep) {
    // 2.1  Which barrier counts how many threads of the block say yes? What does a thread beyond n say?
}

// Launch: as above. Shared memory: what your scan of a tile needs (lab 3, hillis_steele).
template <class Keep>
__global__ void scatter_tiles(const typename Keep::type* d_in, const int* d_offsets, typename Keep::type* d_out,
                              int* d_count, int n, Keep keep) {
    // 2.2  keep(x) is asked a second time. What would it cost to store its answer in the first kernel instead?
    // 2.3  Every thread needs its rank: how many threads before it in the block keep theirs. Inclusive or exclusive?
    // 2.4  Rank plus what is the place in d_out? Would one counter and atomicAdd do, without any scan?
}

template <class Keep>
void fused(const typename Keep::type* d_in, typename Keep::type* d_out, int* d_count, int n, Keep keep,
           Workspace& work) {
    todo("2");
    // 2.5  How many tiles are there, and which scan of their counts says where each one writes?
    count_tiles<<<1, kBlock>>>(d_in, work.get<int>(1), n, keep);
    CUDA_CHECK(cudaGetLastError());
    scatter_tiles<<<1, kBlock>>>(d_in, work.get<int>(2), d_out, d_count, n, keep);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 3, warp_ballot: a warp counts by votes ----
// Launch: a warp for every kChunk elements. It goes over them row by row, 32 neighbours at a time.
constexpr int kChunk = 8 * 32;

template <class Keep>
__global__ void count_chunks(const typename Keep::type* d_in, int* d_counts, int n, Keep keep) {
    // 3.1  __ballot_sync gives every lane the answers of all 32. Which instruction counts them?
    // 3.2  The last row may not be full. Which lanes must take part in the ballot, and what do the others vote?
}

// Launch: as above. warps: how many chunks there are; a warp beyond them has none.
template <class Keep>
__global__ void scatter_chunks(const typename Keep::type* d_in, const int* d_offsets, typename Keep::type* d_out,
                               int* d_count, int n, int warps, Keep keep) {
    // 3.3  Which bits of the ballot stand for the lanes before yours? For lane 0, for lane 31?
    // 3.4  Where does the second row of the chunk begin to write?
    // 3.5  Which barriers and which shared memory are left? How many loads of a lane can be on their way at once?
}

template <class Keep>
void warp_ballot(const typename Keep::type* d_in, typename Keep::type* d_out, int* d_count, int n, Keep keep,
                 Workspace& work) {
    todo("3");
    // 3.6  The grid has whole blocks, so it may have more warps than there are chunks. What do the others count?
    int warps = ceil_div(n, kChunk);
    count_chunks<<<1, kBlock>>>(d_in, work.get<int>(warps), n, keep);
    CUDA_CHECK(cudaGetLastError());
    scatter_chunks<<<1, kBlock>>>(d_in, work.get<int>(warps + 1), d_out, d_count, n, warps, keep);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 4, look_back: one launch, each element read once ----
// Launch: a block of kBlock threads for each tile of 8 rows a warp; more are yours to try.
// A tile publishes its aggregate as soon as it knows it, and its inclusive prefix as soon as it knows that.
enum class Status : unsigned { empty, aggregate, inclusive_prefix };

template <class Keep>
__global__ void look_back_kernel(const typename Keep::type* d_in, typename Keep::type* d_out, int* d_count,
                                 unsigned long long* d_states, unsigned* d_ticket, int n, Keep keep) {
    // 4.1  Blocks wait for earlier tiles. What does a ticket from atomicAdd(d_ticket, 1) promise, and blockIdx.x not?
    // 4.2  What does a lane keep in registers, so that nothing has to be read or asked again?
    // 4.3  The warps' counts meet in shared memory. How many barriers are there, and what does each one order?
    // 4.4  How do status and count fit into one 64-bit word, and why must they?
    // 4.5  32 lanes look at the 32 tiles before this one: which counts add up, and where does the search end?
    // 4.6  Which block knows the count of all, and when?
}

template <class Keep>
void look_back(const typename Keep::type* d_in, typename Keep::type* d_out, int* d_count, int n, Keep keep,
               Workspace& work) {
    todo("4");
    // 4.7  The states hold garbage: what must they, and the ticket, hold before the launch, in every call?
    int tiles = ceil_div(n, 8 * kBlock);
    look_back_kernel<<<tiles, kBlock>>>(d_in, d_out, d_count, work.get<unsigned long long>(tiles),
                                        work.get<unsigned>(1), n, keep);
    CUDA_CHECK(cudaGetLastError());
}

// ---- What is graded; leave these lines as they are ----
template void three_kernels(const int*, int*, int*, int, IsPositive, Workspace&);
template void three_kernels(const unsigned char*, unsigned char*, int*, int, IsDiamond, Workspace&);
template void three_kernels(const float*, float*, int*, int, IsAbove, Workspace&);
template void fused(const int*, int*, int*, int, IsPositive, Workspace&);
template void fused(const unsigned char*, unsigned char*, int*, int, IsDiamond, Workspace&);
template void fused(const float*, float*, int*, int, IsAbove, Workspace&);
template void warp_ballot(const int*, int*, int*, int, IsPositive, Workspace&);
template void warp_ballot(const unsigned char*, unsigned char*, int*, int, IsDiamond, Workspace&);
template void warp_ballot(const float*, float*, int*, int, IsAbove, Workspace&);
template void warp_ballot(const int*, int*, int*, int, Always, Workspace&);
template void look_back(const int*, int*, int*, int, IsPositive, Workspace&);
template void look_back(const unsigned char*, unsigned char*, int*, int, IsDiamond, Workspace&);
template void look_back(const float*, float*, int*, int, IsAbove, Workspace&);
template void look_back(const int*, int*, int*, int, Always, Workspace&);
template void look_back(const long long*, long long*, int*, int, IsEven, Workspace&);
