// Lab 8's fastest rung against cub::DeviceMergeSort. Built and run by python -m bench.peers.
#include "networks.h"

#include <cub/device/device_merge_sort.cuh>

#include "cub.h"

namespace {

struct Less {
    __host__ __device__ bool operator()(int a, int b) const { return a < b; }
};

// All 32 bits of a key are without a pattern.
__global__ void fill_with_keys(int* d_out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned x = static_cast<unsigned>(i) * 2654435761u;
        x = (x ^ x >> 15) * 2246822519u;
        d_out[i] = static_cast<int>(x ^ x >> 13);
    }
}

void measure(peers::Clock& clock, peers::Room& room, int n, int rounds) {
    peers::Array<int> in(n), out(n), expected(n);
    fill_with_keys<<<1024, 256>>>(in.data, n);
    CUDA_CHECK(cudaGetLastError());
    auto peer = peers::with_temporary([&](void* d_temporary, std::size_t& bytes) {
        return cub::DeviceMergeSort::SortKeysCopy(d_temporary, bytes, in.data, expected.data, n, Less());
    });
    std::vector<peers::Rung> rungs = {{"bitonic_registers", [&] {
                                           room.clear();
                                           bitonic_registers<Ascending<int>>(in.data, out.data, n, room);
                                       }}};
    peers::Problem problem{"int32", in.count, 2.0 * n * sizeof(int), peer, peers::equal(out, expected)};
    peers::compare(clock, problem, rungs, rounds);
}

}  // namespace

int main(int count, char** arguments) {
    peers::Options options(count, arguments);
    peers::print_heading(peers::cub_version());
    peers::Clock clock;
    peers::Room room(std::size_t{1} << 20);
    for (int n : options.sizes) {
        if (n <= 1 << 26) measure(clock, room, n, options.rounds);
    }
}
