// Lab 5, allocate: the one file you edit. Handout: README.md, contract: allocate.h. Then: make lab5 && ./grader
#include "allocate.h"  // the contract; todo(), CUDA_CHECK, ceil_div, primitives::exclusive_sum, clip(), fan()

constexpr int kBlock = 256;

// ---- Task 1, max_slots: room for the most that a triangle can make, then compact ----
__global__ void clip_into_slots(const Triangle* d_in, Triangle* d_slots, int* d_counts, int n, Window window) {
    // 1.1  clip() returns how many triangles there are, and fan() makes them. What do the unused slots hold?
}

// Launch: a thread for each slot.
__global__ void move_together(const Triangle* d_slots, const int* d_offsets, Triangle* d_out, int* d_count, int n) {
    // 1.2  Which triangle does this slot belong to? Is the slot in use? (d_offsets has n + 1 elements.)
}

void max_slots(const Triangle* d_in, Triangle* d_out, int* d_count, int n, Window window, Workspace& work) {
    todo("1");  // take this line out when you start; until then the verdict is SKIP
    // 1.3  What if n is 0? The host cannot write d_count directly, because it is device memory. (cudaMemsetAsync)
    int slots = n * kMostTriangles;
    auto* d_slots = work.get<Triangle>(slots);
    int* d_counts = work.get<int>(n);
    int* d_offsets = work.get<int>(n + 1);
    clip_into_slots<<<ceil_div(n, kBlock), kBlock>>>(d_in, d_slots, d_counts, n, window);
    CUDA_CHECK(cudaGetLastError());
    primitives::exclusive_sum(d_counts, d_offsets, n, work);
    move_together<<<ceil_div(slots, kBlock), kBlock>>>(d_slots, d_offsets, d_out, d_count, n);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 2, count_scan_scatter: no slots; a thread for each triangle in both kernels ----
__global__ void count(const Triangle* d_in, int* d_counts, int n, Window window) {
    // 2.1  Which of clip()'s results do you need here?
}

__global__ void scatter(const Triangle* d_in, const int* d_offsets, Triangle* d_out, int* d_count, int n,
                        Window window) {
    // 2.2  clip() is called a second time. Which triangles need not even be read again?
}

void count_scan_scatter(const Triangle* d_in, Triangle* d_out, int* d_count, int n, Window window, Workspace& work) {
    todo("2");
    int* d_counts = work.get<int>(n);
    int* d_offsets = work.get<int>(n + 1);  // not right yet: garbage
    int blocks = 1;                         // not right yet: one block
    count<<<blocks, kBlock>>>(d_in, d_counts, n, window);
    CUDA_CHECK(cudaGetLastError());
    scatter<<<blocks, kBlock>>>(d_in, d_offsets, d_out, d_count, n, window);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 3, words: the same for a text ----
// Launch: a thread for each chunk of kChunk bytes. Start with kChunk = 1, a thread for each byte.
constexpr int kChunk = 16;

__global__ void count_beginnings(const unsigned char* d_text, int* d_counts, int n, int chunks) {
    // 3.1  What comes before the first byte of the text, and after the last? May you read there?
}

__global__ void scatter_ends(const unsigned char* d_text, const int* d_before, int* d_offsets, int* d_ends, int n,
                             int chunks) {
    // 3.2  d_before[chunk] words begin before the chunk. Which word is the first to begin in it, and the first to end?
    // 3.3  16 bytes that begin at a multiple of 16 can be read at once, as a uint4. What about the last chunk?
}

// Launch: a thread for each possible word. d_lengths holds the ends at first.
__global__ void subtract_offsets(const int* d_offsets, int* d_lengths, const int* d_total, int* d_count) {}

void words(const unsigned char* d_text, int* d_offsets, int* d_lengths, int* d_count, int n, Workspace& work) {
    todo("3");
    int chunks = ceil_div(n, kChunk), most = ceil_div(n, 2);
    int blocks = 1;  // not right yet: one block
    int* d_counts = work.get<int>(chunks);
    int* d_before = work.get<int>(chunks + 1);  // not right yet: garbage
    count_beginnings<<<blocks, kBlock>>>(d_text, d_counts, n, chunks);
    CUDA_CHECK(cudaGetLastError());
    scatter_ends<<<blocks, kBlock>>>(d_text, d_before, d_offsets, d_lengths, n, chunks);
    CUDA_CHECK(cudaGetLastError());
    subtract_offsets<<<ceil_div(most, kBlock), kBlock>>>(d_offsets, d_lengths, d_before + chunks, d_count);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 4, thread_per_output: which element does this output belong to? ----
template <class Make>
__global__ void make_outputs(const int* d_values, const int* d_offsets, int* d_out, int n, int total, Make make) {
    // 4.1  An element without outputs shares its offset with the next. Of those with equal offsets, which has output j?
}

template <class Make>
void thread_per_output(const int* d_values, const int* d_counts, int* d_out, int n, int total, Make make,
                       Workspace& work) {
    todo("4");
    // 4.2  n may be large while total is 0. What is there to launch?
    int* d_offsets = work.get<int>(n + 1);
    primitives::exclusive_sum(d_counts, d_offsets, n, work);
    make_outputs<<<ceil_div(total, kBlock), kBlock>>>(d_values, d_offsets, d_out, n, total, make);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 5, load_balanced: few searches, then a walk ----
constexpr int kItems = 7;               // steps of the path that a thread walks
constexpr int kTile = kBlock * kItems;  // steps of a block

// Launch: a thread for each tile, and one more.
__global__ void find_tiles(const int* d_offsets, int* d_first, int n, int total, int tiles) {
    // 5.1  Element i has no outputs. Does the path pass it before it makes output d_offsets[i], or after that?
}

// Launch: a block for each tile. Shared memory: int s_tile[kTile + 1], a number for each step and one more.
template <class Make>
__global__ void make_tiles(const int* d_values, const int* d_offsets, const int* d_first, int* d_out, int n, int total,
                           Make make) {
    // 5.2  Where on the path does this thread's walk begin? (The search of find_tiles, in shared memory.)
    // 5.3  Which barriers do you need, and what does each one order?
}

template <class Make>
void load_balanced(const int* d_values, const int* d_counts, int* d_out, int n, int total, Make make, Workspace& work) {
    todo("5");
    int tiles = ceil_div(n + total, kTile);
    int* d_offsets = work.get<int>(n + 1);
    int* d_first = work.get<int>(tiles + 1);
    primitives::exclusive_sum(d_counts, d_offsets, n, work);
    find_tiles<<<ceil_div(tiles + 1, kBlock), kBlock>>>(d_offsets, d_first, n, total, tiles);
    CUDA_CHECK(cudaGetLastError());
    make_tiles<<<tiles, kBlock>>>(d_values, d_offsets, d_first, d_out, n, total, make);
    CUDA_CHECK(cudaGetLastError());
}

#include "grading/instantiations.h"  // what is graded; leave this line at the end
