// Lab 8, sorting networks: the one file you edit. Handout: README.md. Then: make lab8 && ./grader
// Pointers d_* are device memory; d_in must not change; d_out holds garbage at first.
// Each function is called for every n from 0 up and is timed; its Workspace is not.
#include "networks.h"  // the contract; todo(), CUDA_CHECK, ceil_div, Workspace, Comparator, Ascending, ByKey, ...

constexpr int kBlock = 256;

// ---- Task 1, four_inputs: each four neighbours, by a table ----
struct Network {
    // 1.1  This table leaves the smaller of elements 0 and 1 in place 0. What is missing until all four are in order?
    //      How few comparators will do? The tests try all 16 inputs of zeros and ones: why is that a proof?
    Comparator comparator[1] = {{0, 1}};
};

std::vector<Comparator> network_of_four() {
    constexpr Network network;
    return {std::begin(network.comparator), std::end(network.comparator)};
}

// Launch: a thread for every four elements, blocks of kBlock.
__global__ void four_inputs_kernel(const int* d_in, int* d_out, int n) {
    // 1.2  Four elements are 16 bytes: how can a lane load them at once? (Lab 1.)
    // 1.3  The last group may be short. What do its missing places hold, so that they stay behind?
    // 1.4  `constexpr Network network;` here, and a loop over its comparators with #pragma unroll. What becomes of the
    //      array of four elements if the loop is not unrolled?
}

void four_inputs(const int* d_in, int* d_out, int n, Workspace&) {
    todo("1");  // take this line out when you start; until then the verdict is SKIP
    // 1.5  How many threads are there, and how many blocks?
    four_inputs_kernel<<<1, kBlock>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 2, odd_even: each tile, by comparators of neighbours ----
// Launch: one block of kTile / 2 threads for each tile. Shared memory: one tile of int.
template <Phases phases>
__global__ void odd_even_kernel(const int* d_in, int* d_out, int n) {
    // 2.1  In phase p, which two places are thread t's? Has every thread two places in an odd phase?
    // 2.2  How far can an element walk in one phase, and how far may it have to go? How many phases is that?
    // 2.3  Where does the barrier stand, and is one for each phase enough?
    // 2.4  phases == Phases::until_sorted: how does every thread learn that none has swapped? (__syncthreads_or)
    //      Is a tile in which one phase swaps nothing sorted?
}

template <Phases phases>
void odd_even(const int* d_in, int* d_out, int n, Workspace&) {
    todo("2");
    odd_even_kernel<phases><<<1, kTile / 2>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 3, bitonic_block: each tile, by a bitonic network ----
// Launch: one block of kTile / 2 threads for each tile. Shared memory: one tile.
template <class Order>
__global__ void bitonic_block_kernel(const typename Order::type* d_in, typename Order::type* d_out, int n) {
    // 3.1  Runs of 2, then 4, then 8, ...: with which strides are runs of `size` merged, in which order?
    // 3.2  Thread t has one pair of places `stride` apart. Which is the lower one? (t with a 0 put in at one bit.)
    // 3.3  Neighbouring runs take turns in ascending and descending. Which bit of a place says which, and which way
    // does
    //      the last run of all have to go?
    // 3.4  Order().before(a, b) is all that you may ask of two elements. Can both be stored whatever the answer is?
    // 3.5  The last tile may be short: what do the places behind it hold?
    // 3.6  Between which steps does a barrier stand?
}

template <class Order>
void bitonic_block(const typename Order::type* d_in, typename Order::type* d_out, int n, Workspace&) {
    todo("3");
    bitonic_block_kernel<Order><<<1, kTile / 2>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 4, bitonic_global: any n ----
// Launch: tiles as in task 3; a thread for each pair in steps whose stride is a tile or more.
template <class Order>
__global__ void sort_tiles(const typename Order::type* d_in, typename Order::type* d_out, int n) {
    // 4.1  As task 3, but tile 0 and tile 1 are to be one bitonic run: which way does each tile go?
}

template <class Order>
__global__ void exchange_far(typename Order::type* d_data, int n, int size, int stride) {
    // 4.2  One step of the merge to runs of `size`. Why a launch for each, and no barrier?
    // 4.3  A network of n places is wanted, and n is no power of two. A place behind the last element holds nothing:
    //      what must never happen to it? Which way does the run have to go that the last element lies in?
    // 4.4  A pair {INT_MAX, 7} and a place padded with {INT_MAX, 0} are equal. Which of them is left at the end?
}

template <class Order>
__global__ void merge_tiles(typename Order::type* d_data, int n, int size) {
    // 4.5  From which stride on do all steps of a merge stay within a tile?
}

template <class Order>
void bitonic_global(const typename Order::type* d_in, typename Order::type* d_out, int n, Workspace&) {
    todo("4");
    // 4.6  These are the launches for two tiles. Which are there for n elements, and in which order?
    sort_tiles<Order><<<2, kTile / 2>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
    exchange_far<Order><<<2, kTile / 2>>>(d_out, n, 2 * kTile, kTile);
    CUDA_CHECK(cudaGetLastError());
    merge_tiles<Order><<<2, kTile / 2>>>(d_out, n, 2 * kTile);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 5, bitonic_registers: several elements a thread ----
// Launch: one block of kBlock for each tile of kItems * kBlock elements; what else you need is yours to design.
constexpr int kItems = 8;

template <class Order>
__global__ void sort_in_registers(const typename Order::type* d_in, typename Order::type* d_out, int n) {
    // 5.1  Item r of lane l is element 32 r + l of its warp's. Which strides are between a thread's own items, which
    //      between lanes? What is left for shared memory?
    // 5.2  An array stays in registers if every index is a constant when the loop is unrolled. Is yours?
    // 5.3  shuffle_xor(x, stride): two lanes decide each for itself which of two elements to keep. Do they agree, when
    //      neither of the two comes before the other?
    // 5.4  Item r of thread t as element kBlock r + t: which strides are between registers then?
}

template <class Order>
__global__ void exchange_several(typename Order::type* d_data, int n, int size, int nearest) {
    // 5.5  Task 4 reads and writes everything once for each stride. With 8 items, how many strides does one pass do?
}

template <class Order>
void bitonic_registers(const typename Order::type* d_in, typename Order::type* d_out, int n, Workspace&) {
    todo("5");
    sort_in_registers<Order><<<ceil_div(n, kItems * kBlock), kBlock>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
    exchange_several<Order><<<1, kBlock>>>(d_out, n, 2 * kItems * kBlock, kBlock);
    CUDA_CHECK(cudaGetLastError());
}

// ---- What is graded; leave these lines as they are ----
template void odd_even<Phases::all>(const int*, int*, int, Workspace&);
template void odd_even<Phases::until_sorted>(const int*, int*, int, Workspace&);
template void bitonic_block<Ascending<int>>(const int*, int*, int, Workspace&);
template void bitonic_block<Descending<int>>(const int*, int*, int, Workspace&);
template void bitonic_global<Ascending<int>>(const int*, int*, int, Workspace&);
template void bitonic_global<Descending<int>>(const int*, int*, int, Workspace&);
template void bitonic_global<Ascending<float>>(const float*, float*, int, Workspace&);
template void bitonic_global<ByKey>(const Pair*, Pair*, int, Workspace&);
template void bitonic_registers<Ascending<int>>(const int*, int*, int, Workspace&);
template void bitonic_registers<Descending<int>>(const int*, int*, int, Workspace&);
template void bitonic_registers<Ascending<long long>>(const long long*, long long*, int, Workspace&);
template void bitonic_registers<Ascending<float>>(const float*, float*, int, Workspace&);
template void bitonic_registers<ByKey>(const Pair*, Pair*, int, Workspace&);
