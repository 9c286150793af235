// Lab 5, allocate: the one file you edit. Handout: README.md, contract: allocate.h. Then: make lab5 && ./grader
// "Kernel NAME" says what a kernel must do. You write it and launch it; which parameters it takes is up to you.
#include "allocate.h"  // the contract; todo(), CUDA_CHECK, ceil_div, primitives::exclusive_sum, clip(), fan()

constexpr int kBlock = 256;

// ---- Task 1, max_slots: room for the most that a triangle can make, then compact ----
// Launch: a thread for each triangle. Each has kMostTriangles slots of d_slots, side by side.
__global__ void clip_into_slots(const Triangle* d_in, Triangle* d_slots, int* d_counts, int n, Window window) {
    // 1.1  clip() returns how many triangles there are, and fan() makes them. What do the unused slots hold?
}

// Kernel move_together, a thread for each slot: moves a slot that is in use to its place in d_out. Also sets *d_count.
// 1.2  Which triangle does this slot belong to? Is the slot in use? (d_offsets has n + 1 elements.)

void max_slots(const Triangle* d_in, Triangle* d_out, int* d_count, int n, Window window, Workspace& work) {
    todo("1");  // take this line out when you start; until then the verdict is SKIP
    // 1.3  What if n is 0? The host cannot write d_count directly, because it is device memory. (cudaMemsetAsync)
    auto* d_slots = work.get<Triangle>(n * kMostTriangles);
    int* d_counts = work.get<int>(n);
    int* d_offsets = work.get<int>(n + 1);
    clip_into_slots<<<ceil_div(n, kBlock), kBlock>>>(d_in, d_slots, d_counts, n, window);
    CUDA_CHECK(cudaGetLastError());
    primitives::exclusive_sum(d_counts, d_offsets, n, work);
    // not right yet: nothing moves to d_out
}

// ---- Task 2, count_scan_scatter: no slots; a thread for each triangle in both kernels ----
// Kernel count: writes how many triangles each triangle makes.
// 2.1  Which of clip()'s results does it need?

// Kernel scatter, after a scan of the counts: writes the triangles to their places in d_out. Also sets *d_count.
// 2.2  clip() is called a second time. Which triangles need not even be read again?

void count_scan_scatter(const Triangle* d_in, Triangle* d_out, int* d_count, int n, Window window, Workspace& work) {
    todo("2");
}

// ---- Task 3, words: the same for a text; a thread for each chunk of kChunk bytes ----
constexpr int kChunk = 16;  // start with 1, a thread for each byte

// Kernel count_beginnings: writes how many words begin in each chunk.
// 3.1  What comes before the first byte of the text, and after the last? May you read there?

// Kernel scatter_ends, after a scan of the counts: writes where each word begins and, into d_lengths for now, where it
// ends.
// 3.2  d_before[chunk] words begin before the chunk. Which word is the first to begin in it, and the first to end?
// 3.3  16 bytes that begin at a multiple of 16 can be read at once, as a uint4. What about the last chunk?

// Kernel subtract_offsets, a thread for each possible word: turns ends into lengths. Also sets *d_count.

void words(const unsigned char* d_text, int* d_offsets, int* d_lengths, int* d_count, int n, Workspace& work) {
    todo("3");
    int chunks = ceil_div(n, kChunk);
    int* d_counts = work.get<int>(chunks);  // not right yet: garbage
    int* d_before = work.get<int>(chunks + 1);
    primitives::exclusive_sum(d_counts, d_before, chunks, work);
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

// Kernel find_tiles, a thread for each tile and one more: writes how many elements the path passes before the tile.
// 5.1  Element i has no outputs. Does the path pass it before it makes output d_offsets[i], or after that?

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
    int* d_first = work.get<int>(tiles + 1);  // not right yet: garbage
    primitives::exclusive_sum(d_counts, d_offsets, n, work);
    make_tiles<<<tiles, kBlock>>>(d_values, d_offsets, d_first, d_out, n, total, make);
    CUDA_CHECK(cudaGetLastError());
}

#include "grading/instantiations.h"  // what is graded; leave this line at the end
