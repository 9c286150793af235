// Lab 5, allocate: the one file you edit. Handout: README.md. Then: make lab5 && ./grader
// Pointers d_* are device memory; the input must not change; outputs hold garbage at first.
// Calls start at n = 0 and are timed; allocating the Workspace is not.
#include "allocate.h"  // the contract; todo(), CUDA_CHECK, ceil_div, primitives::exclusive_sum, clip(), fan()

constexpr int kBlock = 256;

// ---- Task 1, max_slots: room for the most that a triangle can make, then compact ----
// Launch: a thread for each triangle, blocks of kBlock.
__global__ void clip_into_slots(const Triangle* d_in, Triangle* d_slots, int* d_counts, int n, Window window) {
    // 1.1  Triangle i has kMostTriangles slots of its own. Which ones?
    // 1.2  clip() returns how many triangles there are, and fan() makes them. What do the unused slots hold?
}

// Launch: a thread for each slot.
__global__ void move_together(const Triangle* d_slots, const int* d_offsets, Triangle* d_out, int* d_count, int n) {
    // 1.3  Which triangle does this slot belong to? Is the slot in use? (d_offsets has n + 1 elements.)
    // 1.4  Which place does its triangle get, and which thread writes d_count?
}

void max_slots(const Triangle* d_in, Triangle* d_out, int* d_count, int n, Window window, Workspace& work) {
    todo("1");  // take this line out when you start; until then the verdict is SKIP
    // 1.5  What if n is 0? d_count is device memory, which the host cannot write directly. (cudaMemsetAsync)
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
    // 2.1  Which part of what clip() computes do you need here?
}

__global__ void scatter(const Triangle* d_in, const int* d_offsets, Triangle* d_out, int* d_count, int n,
                        Window window) {
    // 2.2  clip() is called a second time. Which triangles need not even be read again?
    // 2.3  Where does the first output of triangle i go?
}

void count_scan_scatter(const Triangle* d_in, Triangle* d_out, int* d_count, int n, Window window, Workspace& work) {
    todo("2");
    // 2.4  What has to be computed between the two kernels?
    int* d_counts = work.get<int>(n);
    int* d_offsets = work.get<int>(n + 1);
    int blocks = 1;  // not right yet
    count<<<blocks, kBlock>>>(d_in, d_counts, n, window);
    CUDA_CHECK(cudaGetLastError());
    scatter<<<blocks, kBlock>>>(d_in, d_offsets, d_out, d_count, n, window);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 3, words: the same for a text ----
// Call a byte that is no blank a letter. A word begins at a letter after a blank, and ends at a letter before a blank.
// Launch: a thread for each chunk of kChunk bytes. Start with kChunk = 1, a thread for each byte.
constexpr int kChunk = 16;

__global__ void count_beginnings(const unsigned char* d_text, int* d_counts, int n, int chunks) {
    // 3.1  What comes before the first byte of the text, and after the last? May you read there?
    // 3.2  How many words can begin in a chunk? Can a word begin in one chunk and end in another?
}

__global__ void scatter_ends(const unsigned char* d_text, const int* d_before, int* d_offsets, int* d_ends, int n,
                             int chunks) {
    // 3.3  d_before[chunk] words begin before the chunk. Which word is the first to begin in it, and the first to end?
    // 3.4  16 bytes that begin at a multiple of 16 can be read at once, as a uint4. What about the last chunk?
}

// Launch: a thread for each possible word. d_lengths holds the ends at first.
__global__ void subtract_offsets(const int* d_offsets, int* d_lengths, const int* d_total, int* d_count) {
    // 3.5  Beginning and end of a word are known now. Why could no thread of the kernel before take the difference?
}

void words(const unsigned char* d_text, int* d_offsets, int* d_lengths, int* d_count, int n, Workspace& work) {
    todo("3");
    // 3.6  What has to be computed between the first two kernels?
    int chunks = ceil_div(n, kChunk), most = ceil_div(n, 2);
    int blocks = 1;  // not right yet
    int* d_counts = work.get<int>(chunks);
    int* d_before = work.get<int>(chunks + 1);
    count_beginnings<<<blocks, kBlock>>>(d_text, d_counts, n, chunks);
    CUDA_CHECK(cudaGetLastError());
    scatter_ends<<<blocks, kBlock>>>(d_text, d_before, d_offsets, d_lengths, n, chunks);
    CUDA_CHECK(cudaGetLastError());
    subtract_offsets<<<ceil_div(most, kBlock), kBlock>>>(d_offsets, d_lengths, d_before + chunks, d_count);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 4, thread_per_output: which element does this output belong to? ----
// Launch: a thread for each output.
template <class Make>
__global__ void make_outputs(const int* d_values, const int* d_offsets, int* d_out, int n, int total, Make make) {
    // 4.1  The offsets ascend. Which two neighbours among them enclose output j?
    // 4.2  An element without outputs has the same offset as the next one. Which one of equal offsets has output j?
}

template <class Make>
void thread_per_output(const int* d_values, const int* d_counts, int* d_out, int n, int total, Make make,
                       Workspace& work) {
    todo("4");
    // 4.3  n may be large while total is 0. What is there to launch?
    int* d_offsets = work.get<int>(n + 1);
    primitives::exclusive_sum(d_counts, d_offsets, n, work);
    make_outputs<<<ceil_div(total, kBlock), kBlock>>>(d_values, d_offsets, d_out, n, total, make);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 5, load_balanced: few searches, then a walk ----
// A path of n + total steps: a step makes an output of the current element, or, if it has no more, passes the element.
// A tile is kTile steps of the path, and a thread walks kItems of them.
constexpr int kItems = 7;
constexpr int kTile = kBlock * kItems;

// Launch: a thread for each tile, and one more.
__global__ void find_tiles(const int* d_offsets, int* d_first, int n, int total, int tiles) {
    // 5.1  The outputs of element i end at d_offsets[i + 1]. Which step of the path passes it?
    // 5.2  How many elements can be passed in `step` steps at most? How does a search find how many are?
    // 5.3  An element without outputs ends where it begins. Is it passed before the output of that number, or after it?
}

// Launch: a block for each tile. Shared memory: int s_tile[kTile + 1], a number for each step and one more.
template <class Make>
__global__ void make_tiles(const int* d_values, const int* d_offsets, const int* d_first, int* d_out, int n, int total,
                           Make make) {
    // 5.4  A tile has kTile elements and outputs together. s_tile must hold the elements' offsets and, for each output,
    //      the number of its element. Why is it large enough, whatever the counts are?
    // 5.5  Where on the path does this thread's walk begin? (As in 5.2, but in shared memory.)
    // 5.6  Which barriers do you need, and what does each one order?
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
