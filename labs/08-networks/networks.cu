// Lab 8, sorting networks: the one file you edit. Handout: README.md, contract: networks.h. Then: make lab8 && ./grader
#include "networks.h"  // the contract; todo(), CUDA_CHECK, ceil_div, Workspace, Comparator, Ascending, ByKey, ...

constexpr int kBlock = 256;

// ---- Task 1, four_inputs: every four neighbours, by a table, in a thread ----
struct Network {
    // 1.1  Which comparators are missing? What is the smallest number that sorts four?
    Comparator comparator[1] = {{0, 1}};  // not right yet: one of several
};

std::vector<Comparator> network_of_four() {
    constexpr Network network;
    return {std::begin(network.comparator), std::end(network.comparator)};
}

__global__ void four_inputs_kernel(const int* d_in, int* d_out, int n) {
    // 1.2  The last group may be short. What do its missing places hold, so that they stay last?
    // 1.3  Use `constexpr Network network;` here, too. Where does a thread's array lie without #pragma unroll?
}

void four_inputs(const int* d_in, int* d_out, int n, Workspace&) {
    todo("1");  // take this line out when you start; until then the verdict is SKIP
    four_inputs_kernel<<<1, kBlock>>>(d_in, d_out, n);  // not right yet: how many blocks?
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 2, odd_even: each tile, by comparators of neighbours; kTile / 2 threads and one shared tile ----
template <Phases phases>
__global__ void odd_even_kernel(const int* d_in, int* d_out, int n) {
    // 2.1  Where do you put the barrier, and is one for each phase enough?
    // 2.2  Phases::until_sorted: if one phase swaps nothing, is the tile sorted? (__syncthreads_or)
}

template <Phases phases>
void odd_even(const int* d_in, int* d_out, int n, Workspace&) {
    todo("2");
    odd_even_kernel<phases><<<1, kTile / 2>>>(d_in, d_out, n);  // not right yet: one tile only
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 3, bitonic_block: each tile, by a bitonic network; launch as task 2. T is Order::type ----
template <class Order, class T>
__global__ void bitonic_block_kernel(const T* d_in, T* d_out, int n) {
    // 3.1  Neighbouring runs alternately ascend and descend. Which way must the last run go?
    // 3.2  Order().before(a, b) is all that you may ask. How can both places be written, whatever the answer is?
}

template <class Order, class T>
void bitonic_block(const T* d_in, T* d_out, int n, Workspace&) {
    todo("3");
    bitonic_block_kernel<Order><<<1, kTile / 2>>>(d_in, d_out, n);  // not right yet: one tile only
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 4, bitonic_global: any n ----
template <class Order, class T>
__global__ void sort_tiles(const T* d_in, T* d_out, int n) {}

// Launch: a thread for each pair of places, blocks of kTile / 2. One step, whose stride is a tile or more.
template <class Order, class T>
__global__ void exchange_far(T* d_data, int n, int size, int stride) {
    // 4.1  Why does each step need its own launch? Why is a barrier not enough?
}

template <class Order, class T>
__global__ void merge_tiles(T* d_data, int n, int size) {
    // 4.2  From which stride on do all steps of a merge stay within a tile?
}

template <class Order, class T>
void bitonic_global(const T* d_in, T* d_out, int n, Workspace&) {
    todo("4");
    sort_tiles<Order><<<2, kTile / 2>>>(d_in, d_out, n);  // not right yet: these three launches sort two tiles
    CUDA_CHECK(cudaGetLastError());
    exchange_far<Order><<<2, kTile / 2>>>(d_out, n, 2 * kTile, kTile);
    CUDA_CHECK(cudaGetLastError());
    merge_tiles<Order><<<2, kTile / 2>>>(d_out, n, 2 * kTile);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 5, bitonic_registers: several elements a thread ----
constexpr int kItems = 8;

// Launch: a block for each tile of kItems * kBlock elements. The rest is yours to design.
template <class Order, class T>
__global__ void sort_in_registers(const T* d_in, T* d_out, int n) {
    // 5.1  Which strides are between a thread's own items if item r of lane l is the warp's element 32 r + l?
    // 5.2  shuffle_xor(x, stride): two lanes decide separately. Do they agree if the elements are equal?
}

// Launch: a thread for every kItems elements, `nearest` apart, blocks of kBlock. Strides in a tile need a kernel too.
template <class Order, class T>
__global__ void exchange_several(T* d_data, int n, int size, int nearest) {
    // 5.3  Task 4 reads and writes everything for each stride. How many strides can one pass do with 8 items?
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
