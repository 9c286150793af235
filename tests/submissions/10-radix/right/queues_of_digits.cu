// Style: an object on the device for each pass, built by a kernel with placement new and used through a pointer; ranks
// by counting in volatile shared memory, 32 keys at a time, with __syncwarp; records as two uint4; asserts.
#include <cassert>
#include <new>

#include "radix.h"

constexpr int kWarps = 4, kChunk = 1024;  // a warp moves a chunk of keys

class Pass {
  public:
    __device__ Pass(int bit, int* counts, int chunks) : bit_(bit), counts_(counts), chunks_(chunks) {}
    __device__ unsigned digit(unsigned key) const { return key >> bit_ & 15; }
    __device__ int& place(unsigned digit, int chunk) const {
        assert(digit < 16 && chunk < chunks_);
        return counts_[digit * chunks_ + chunk];
    }

  private:
    int bit_, *counts_, chunks_;
};

__global__ void make_pass(Pass* pass, int bit, int* counts, int chunks) { new (pass) Pass(bit, counts, chunks); }

struct Item {
    unsigned key, place;
};

template <class Each>
__device__ void over_chunk(int n, Each each) {
    int chunk = blockIdx.x * kWarps + threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int k = 0; k < kChunk; k += 32) each(chunk, chunk * kChunk + k + lane, chunk * kChunk + k + lane < n);
}

__global__ void count(const Item* items, const Pass* pass, int n, int chunks) {
    int chunk = blockIdx.x * kWarps + threadIdx.x / 32, own = 0;
    if (chunk >= chunks) return;
    over_chunk(n, [&](int, int i, bool there) {
        unsigned digit = there ? pass->digit(items[i].key) : 16;
        for (unsigned d = 0; d < 16; ++d) {
            unsigned alike = __ballot_sync(~0u, digit == d);
            if (threadIdx.x % 32 == d) own += __popc(alike);
        }
    });
    if (threadIdx.x % 32 < 16) pass->place(threadIdx.x % 32, chunk) = own;
}

__global__ void move(const Item* from, Item* to, const Pass* pass, const int* places, int n, int chunks) {
    __shared__ int s_places[kWarps][16];
    int own_chunk = blockIdx.x * kWarps + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (own_chunk >= chunks) return;
    volatile int* next = s_places[threadIdx.x / 32];
    if (lane < 16) next[lane] = places[lane * chunks + own_chunk];
    __syncwarp();
    over_chunk(n, [&](int, int i, bool there) {
        Item item = there ? from[i] : Item{};
        unsigned digit = there ? pass->digit(item.key) : 16 + lane, alike = __match_any_sync(~0u, digit);
        int rank = __popc(alike & ((1u << lane) - 1)), place = there ? next[digit] + rank : 0;
        __syncwarp();
        if (there && rank == 0) next[digit] = place + __popc(alike);
        __syncwarp();
        if (there) to[place] = item;
    });
}

__global__ void number(const Record* records, Item* items, int n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) items[i] = {records[i].key, i};
}

__global__ void gather(const Record* in, const Item* items, Record* out, int n) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) / 2, half = threadIdx.x % 2;
    if (i >= n) return;
    reinterpret_cast<uint4*>(out + i)[half] = reinterpret_cast<const uint4*>(in + items[i].place)[half];
}

void by_index(const Record* d_in, Record* d_out, int n, Workspace& work) {
    if (n == 0) return;
    int chunks = ceil_div(n, kChunk), blocks = ceil_div(chunks, kWarps);
    int *d_counts = work.get<int>(16 * chunks), *d_places = work.get<int>(16 * chunks + 1);
    Item* d_items[2] = {work.get<Item>(n), work.get<Item>(n)};
    Pass* d_pass = work.get<Pass>(1);
    number<<<ceil_div(n, 256), 256>>>(d_in, d_items[0], n);
    CUDA_CHECK(cudaGetLastError());
    for (int bit = 0; bit < 32; bit += 4) {
        const Item* from = d_items[bit / 4 % 2];
        make_pass<<<1, 1>>>(d_pass, bit, d_counts, chunks);
        CUDA_CHECK(cudaGetLastError());
        count<<<blocks, 32 * kWarps>>>(from, d_pass, n, chunks);
        CUDA_CHECK(cudaGetLastError());
        primitives::exclusive_sum(d_counts, d_places, 16 * chunks, work);
        move<<<blocks, 32 * kWarps>>>(from, d_items[(bit / 4 + 1) % 2], d_pass, d_places, n, chunks);
        CUDA_CHECK(cudaGetLastError());
    }
    gather<<<ceil_div(2 * n, 256), 256>>>(d_in, d_items[0], d_out, n);
    CUDA_CHECK(cudaGetLastError());
}
