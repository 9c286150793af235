// Lab 5, allocate: the one file you edit. Handout: README.md. Then: make lab5 && ./grader
// Pointers d_* are device memory; the input must not change; outputs hold garbage at first.
// Each function is called for every n from 0 up and is timed; its Workspace is not.
#include "allocate.h"  // the contract; clip(), fan(), is_blank(); todo(), CUDA_CHECK, ceil_div, primitives::exclusive_sum

constexpr int kBlock = 256;

// ---- Task 1, max_slots: room for the most that a triangle can give, then compact ----
// Launch: a thread for each triangle, blocks of kBlock.
__global__ void clip_into_slots(const Triangle* d_in, Triangle* d_slots, int* d_counts, int n, Window window) {
    // 1.1  Triangle i has kMostTriangles slots of its own. Which ones? Does its thread have to know anything of others?
    // 1.2  clip() says how many triangles there are, fan() what they are. What lies in the slots that are left over?
}

// Launch: a thread for each slot.
__global__ void move_together(const Triangle* d_slots, const int* d_offsets, Triangle* d_out, int* d_count, int n) {
    // 1.3  Of which triangle is this slot, and the how-manieth of it? Is it in use? (d_offsets has n + 1 elements.)
    // 1.4  How many of the threads have something to move? How many bytes of d_slots has nobody ever written?
}

void max_slots(const Triangle* d_in, Triangle* d_out, int* d_count, int n, Window window, Workspace& work) {
    todo("1");  // take this line out when you start; until then the verdict is SKIP
    // 1.5  What if n is 0? d_count is device memory: *d_count = 0 cannot be said here. (cudaMemsetAsync)
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

// ---- Task 2, count_scan_scatter: no slots ----
// Launch: a thread for each triangle, both kernels.
__global__ void count(const Triangle* d_in, int* d_counts, int n, Window window) {
    // 2.1  What of clip()'s answer is wanted here, and what of it is thrown away?
}

__global__ void scatter(const Triangle* d_in, const int* d_offsets, Triangle* d_out, int* d_count, int n,
                        Window window) {
    // 2.2  Everything is computed a second time. Could the two answers differ? What would happen then?
    // 2.3  Which triangles need not even be read again?
    // 2.4  Who writes d_count?
}

void count_scan_scatter(const Triangle* d_in, Triangle* d_out, int* d_count, int n, Window window, Workspace& work) {
    todo("2");
    // 2.5  Which temporary arrays are left, and how many bytes is that for each triangle?
    count<<<1, kBlock>>>(d_in, work.get<int>(n), n, window);
    CUDA_CHECK(cudaGetLastError());
    scatter<<<1, kBlock>>>(d_in, work.get<int>(n + 1), d_out, d_count, n, window);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 3, words: the same for a text ----
// A word begins at a byte that is no blank, if the byte before it is one; it ends at one, if the byte behind it is.
// Launch: a thread for each chunk of kChunk bytes. With 1 it is a thread for each byte: get that right first.
constexpr int kChunk = 16;

__global__ void count_beginnings(const unsigned char* d_text, int* d_counts, int n, int chunks) {
    // 3.1  What is before the first byte, and what behind the last? May you read there?
    // 3.2  How many words can begin in a chunk? Can one that begins here end in another chunk, or in none?
    // 3.3  A count is 4 bytes. How does that compare with a chunk of 1 byte, of 16, of 64?
}

__global__ void scatter_ends(const unsigned char* d_text, const int* d_before, int* d_offsets, int* d_ends, int n,
                             int chunks) {
    // 3.4  d_before[chunk] words begin before the chunk. Of which word is the first beginning in it? And the first end?
    // 3.5  A thread could walk from a beginning to its end. How long does that take for a word of a million bytes, and
    //      what do the other threads do meanwhile?
    // 3.6  16 bytes that begin at a multiple of 16 can be read at once, as a uint4. And the last chunk?
}

// Launch: a thread for each word that there can be.
__global__ void subtract_offsets(const int* d_offsets, int* d_lengths, const int* d_total, int* d_count) {
    // 3.7  Beginning and end of a word are known now. Why could no thread of the last kernel take their difference?
}

void words(const unsigned char* d_text, int* d_offsets, int* d_lengths, int* d_count, int n, Workspace& work) {
    todo("3");
    // 3.8  Which sums lie between the first two kernels? Where do the ends stay until the third one?
    int chunks = ceil_div(n, kChunk), most = ceil_div(n, 2);
    int* d_before = work.get<int>(chunks + 1);
    count_beginnings<<<1, kBlock>>>(d_text, work.get<int>(chunks), n, chunks);
    CUDA_CHECK(cudaGetLastError());
    scatter_ends<<<1, kBlock>>>(d_text, d_before, d_offsets, d_lengths, n, chunks);
    CUDA_CHECK(cudaGetLastError());
    subtract_offsets<<<ceil_div(most, kBlock), kBlock>>>(d_offsets, d_lengths, d_before + chunks, d_count);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 4, thread_per_output: which element is this output of? ----
// Launch: a thread for each output.
template <class Make>
__global__ void make_outputs(const int* d_values, const int* d_offsets, int* d_out, int n, int total, Make make) {
    // 4.1  The offsets ascend. Between which two neighbours among them is j?
    // 4.2  Elements without outputs have the same offset as the one behind them. Which of equal offsets is it?
    // 4.3  How many steps does the search take? Do neighbouring threads read the same offsets, or different ones?
}

template <class Make>
void thread_per_output(const int* d_values, const int* d_counts, int* d_out, int n, int total, Make make,
                       Workspace& work) {
    todo("4");
    // 4.4  n may be large and total 0. What is there to launch?
    int* d_offsets = work.get<int>(n + 1);
    primitives::exclusive_sum(d_counts, d_offsets, n, work);
    make_outputs<<<ceil_div(total, kBlock), kBlock>>>(d_values, d_offsets, d_out, n, total, make);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 5, load_balanced: few searches, then a walk ----
// A path of n + total steps: an output of the current element, or, if it has no more, on to the next element. A tile is
// kTile steps of the path, and a thread walks kItems of them.
constexpr int kItems = 7;
constexpr int kTile = kBlock * kItems;

// Launch: a thread for each tile, and one more.
__global__ void find_tiles(const int* d_offsets, int* d_first, int n, int total, int tiles) {
    // 5.1  After `step` steps i elements are passed and step - i outputs are made. Which i can that be at most?
    // 5.2  Element i's outputs end at d_offsets[i + 1]. Compare it with an output's number: was i too small or large?
    // 5.3  An element without outputs ends where it begins. Is it passed before the output of that number, or after it?
}

// Launch: a block for each tile. Shared memory: int s_tile[kTile + 1], a number for each step and one more.
template <class Make>
__global__ void make_tiles(const int* d_values, const int* d_offsets, const int* d_first, int* d_out, int n, int total,
                           Make make) {
    // 5.4  Elements and outputs of a tile are kTile together. So how do the offsets of the ones and the sources of the
    //      others fit into s_tile, whatever the counts are?
    // 5.5  Where on the path does this thread's walk begin? (As in 5.1, but in shared memory.)
    // 5.6  Which barriers are there, and what does each one order?
    // 5.7  If each thread writes its outputs while it walks, where do the 32 lanes of a warp write? And afterwards?
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

// ---- What is graded; leave these lines as they are ----
template void thread_per_output(const int*, const int*, int*, int, int, Repeat, Workspace&);
template void thread_per_output(const int*, const int*, int*, int, int, CountUp, Workspace&);
template void load_balanced(const int*, const int*, int*, int, int, Repeat, Workspace&);
template void load_balanced(const int*, const int*, int*, int, int, CountUp, Workspace&);
