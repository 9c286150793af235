// Lab 8, sorting networks: the one file you edit. Handout: README.md. Then: make lab8 && ./grader
// Pointers d_* are device memory; d_in must not change; d_out holds garbage at first.
// Calls start at n = 0 and are timed; allocating the Workspace is not.
#include "networks.h"  // the contract; todo(), CUDA_CHECK, ceil_div, Workspace, Comparator, Ascending, ByKey, ...

constexpr int kBlock = 256;

// ---- Task 1, four_inputs: every four neighbours, by a table ----
struct Network {
    // 1.1  Which comparators are missing? How few will do?
    Comparator comparator[1] = {{0, 1}};  // not right yet: one of several
};

std::vector<Comparator> network_of_four() {
    constexpr Network network;
    return {std::begin(network.comparator), std::end(network.comparator)};
}

// Launch: a thread for every four elements, blocks of kBlock.
__global__ void four_inputs_kernel(const int* d_in, int* d_out, int n) {
    // 1.2  Four elements are 16 bytes: how can a lane load them at once? (Lab 1.)
    // 1.3  The last group may be short. What do its missing places hold, so that they stay last?
    // 1.4  Here again `constexpr Network network;`. What becomes of a thread's array of four elements if the loop over
    //      the comparators is not unrolled (#pragma unroll)?
}

void four_inputs(const int* d_in, int* d_out, int n, Workspace&) {
    todo("1");  // take this line out when you start; until then the verdict is SKIP
    four_inputs_kernel<<<1, kBlock>>>(d_in, d_out, n);  // not right yet: how many blocks?
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 2, odd_even: each tile, by comparators of neighbours ----
// Launch: a block of kTile / 2 threads for each tile. Shared memory: one tile of int.
template <Phases phases>
__global__ void odd_even_kernel(const int* d_in, int* d_out, int n) {
    // 2.1  Which two places does thread t compare in phase p? Does every thread have two places in an odd phase?
    // 2.2  How far can an element move in one phase? How many phases does that make?
    // 2.3  Where is the barrier, and is one for each phase enough?
    // 2.4  Phases::until_sorted: how does every thread learn that no thread has swapped? (__syncthreads_or)
    //      If one phase swaps nothing, is the tile sorted?
}

template <Phases phases>
void odd_even(const int* d_in, int* d_out, int n, Workspace&) {
    todo("2");
    odd_even_kernel<phases><<<1, kTile / 2>>>(d_in, d_out, n);  // not right yet: one tile only
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 3, bitonic_block: each tile, by a bitonic network ----
// T is Order::type. Launch: a block of kTile / 2 threads for each tile. Shared memory: one tile.
template <class Order, class T>
__global__ void bitonic_block_kernel(const T* d_in, T* d_out, int n) {
    // 3.1  Runs of 2, then 4, then 8, ...: which strides merge runs of `size`, and in which order?
    // 3.2  Thread t has one pair of places, `stride` apart. Which is the lower one? (Insert a 0 into t at one bit.)
    // 3.3  Neighbouring runs alternately ascend and descend. Which bit of a place decides? Which way must the last run
    //      go?
    // 3.4  Order().before(a, b) is all that you may ask. How can both places be written, whatever the answer is?
    // 3.5  The last tile may be short: what do the places behind its elements hold?
    // 3.6  Between which steps is a barrier?
}

template <class Order, class T>
void bitonic_block(const T* d_in, T* d_out, int n, Workspace&) {
    todo("3");
    bitonic_block_kernel<Order><<<1, kTile / 2>>>(d_in, d_out, n);  // not right yet: one tile only
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 4, bitonic_global: any n ----
// Launch: a block of kTile / 2 threads for each tile.
template <class Order, class T>
__global__ void sort_tiles(const T* d_in, T* d_out, int n) {
    // 4.1  As task 3, but tiles 0 and 1 must make a bitonic run: which way does each tile go?
}

// Launch: a thread for each pair of places, blocks of kTile / 2. One step, whose stride is a tile or more.
template <class Order, class T>
__global__ void exchange_far(T* d_data, int n, int size, int stride) {
    // 4.2  Why a launch for each step, and no barrier?
    // 4.3  If n is no power of two, a place behind the last element holds nothing: what must never happen to it? Which
    //      way must the last element's run go then?
}

// Launch: as sort_tiles.
template <class Order, class T>
__global__ void merge_tiles(T* d_data, int n, int size) {
    // 4.4  From which stride on do all steps of a merge stay within a tile?
}

template <class Order, class T>
void bitonic_global(const T* d_in, T* d_out, int n, Workspace&) {
    todo("4");
    // 4.5  These launches sort two tiles. Which launches sort n elements, and in which order?
    sort_tiles<Order><<<2, kTile / 2>>>(d_in, d_out, n);  // not right yet, nor are the next two
    CUDA_CHECK(cudaGetLastError());
    exchange_far<Order><<<2, kTile / 2>>>(d_out, n, 2 * kTile, kTile);
    CUDA_CHECK(cudaGetLastError());
    merge_tiles<Order><<<2, kTile / 2>>>(d_out, n, 2 * kTile);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 5, bitonic_registers: several elements a thread ----
constexpr int kItems = 8;

// Launch: a block of kBlock threads for each tile of kItems * kBlock elements. The rest is yours to design.
template <class Order, class T>
__global__ void sort_in_registers(const T* d_in, T* d_out, int n) {
    // 5.1  Item r of lane l is the warp's element 32 r + l. Which strides are between a thread's own items, and which
    //      between lanes? If item r of thread t is the tile's element kBlock r + t, which are between own items?
    // 5.2  An array stays in registers only if every index is a constant once the loop is unrolled. Is yours?
    // 5.3  shuffle_xor(x, stride): two lanes decide separately which element to keep. Do they agree if neither element
    //      comes before the other?
}

// Launch: a thread for every kItems elements, blocks of kBlock.
template <class Order, class T>
__global__ void exchange_several(T* d_data, int n, int size, int nearest) {
    // 5.4  Task 4 reads and writes everything for each stride. How many strides can one pass do with 8 items?
}

template <class Order, class T>
void bitonic_registers(const T* d_in, T* d_out, int n, Workspace&) {
    todo("5");
    sort_in_registers<Order><<<ceil_div(n, kItems * kBlock), kBlock>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
    exchange_several<Order><<<1, kBlock>>>(d_out, n, 2 * kItems * kBlock, kBlock);  // not right yet: one of many passes
    CUDA_CHECK(cudaGetLastError());
}

#include "grading/instantiations.h"  // what is graded; leave this line at the end
