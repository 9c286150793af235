// Task 4, by_index: as 3, with the places 0, 1, 2, ... as values. They come out as the permutation that says where each
// record comes from. However many passes there are, a record is read once for its key, and read and written once to
// move.
// Global memory: 232 bytes for a record of 32 bytes, 96 of them for the record itself.
#include "radix.h"

namespace {

constexpr int kBlock = 256;
constexpr int kQuads = sizeof(Record) / sizeof(uint4);  // 2: a uint4 is 16 bytes

// Launch: a thread for each record.
__global__ void take_keys(const Record* d_in, unsigned* d_keys, unsigned* d_places, int n) {
    int i = blockIdx.x * kBlock + threadIdx.x;
    if (i >= n) return;
    d_keys[i] = d_in[i].key;
    d_places[i] = i;
}

// Launch: a thread for every 16 bytes of the output. Two neighbouring lanes move a record, which is a full sector.
__global__ void gather(const uint4* d_in, const unsigned* d_places, uint4* d_out, int n) {
    int i = blockIdx.x * kBlock + threadIdx.x;
    if (i < kQuads * n) d_out[i] = d_in[d_places[i / kQuads] * kQuads + i % kQuads];
}

}  // namespace

void by_index(const Record* d_in, Record* d_out, int n, Workspace& work) {
    if (n == 0) return;
    unsigned *d_keys = work.get<unsigned>(n), *d_sorted_keys = work.get<unsigned>(n);
    unsigned *d_places = work.get<unsigned>(n), *d_order = work.get<unsigned>(n);
    take_keys<<<ceil_div(n, kBlock), kBlock>>>(d_in, d_keys, d_places, n);
    CUDA_CHECK(cudaGetLastError());
    pairs(d_keys, d_places, d_sorted_keys, d_order, n, {0, 32}, work);
    gather<<<ceil_div(kQuads * n, kBlock), kBlock>>>(reinterpret_cast<const uint4*>(d_in), d_order,
                                                     reinterpret_cast<uint4*>(d_out), n);
    CUDA_CHECK(cudaGetLastError());
}
