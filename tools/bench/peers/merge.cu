// Lab 9's rungs against cub::DeviceMerge, which merges two halves, and cub::DeviceMergeSort. Built and run by
// python -m bench.peers.
#include "merge.h"

#include <cub/device/device_merge.cuh>
#include <cub/device/device_merge_sort.cuh>

#include "cub.h"

namespace {

struct Less {
    __device__ bool operator()(int a, int b) const { return a < b; }
};

// Keys from the whole range, without a pattern.
__global__ void fill_keys(int* d_out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned x = static_cast<unsigned>(i) * 2654435761u;
        x = (x ^ x >> 15) * 2246822519u;
        x = (x ^ x >> 13) * 3266489917u;
        d_out[i] = static_cast<int>(x ^ x >> 16);
    }
}

void merge_halves(peers::Clock& clock, peers::Room& room, int n, int rounds) {
    int na = n / 2, nb = n - na;
    peers::Array<int> a(na), b(nb), out(n), expected(n);
    fill_keys<<<1024, 256>>>(expected.data, n);
    for (auto [side, first] : {std::pair{&a, 0}, {&b, na}}) {
        if (side->count == 0) continue;
        peers::with_temporary([&](void* d_temporary, std::size_t& bytes) {
            return cub::DeviceMergeSort::SortKeysCopy(d_temporary, bytes, expected.data + first, side->data,
                                                      static_cast<int>(side->count), Less());
        })();
    }
    auto peer = peers::with_temporary([&](void* d_temporary, std::size_t& bytes) {
        return cub::DeviceMerge::MergeKeys(d_temporary, bytes, a.data, na, b.data, nb, expected.data, Less());
    });
    auto rung = [&] {
        room.clear();
        merge_path<Ascending<int>>(a.data, na, b.data, nb, out.data, room);
    };
    peers::Problem problem{"int32", out.count, 2.0 * n * sizeof(int), peer, peers::equal(out, expected)};
    peers::compare(clock, problem, {{"merge_path", rung}}, rounds);
}

void sort(peers::Clock& clock, peers::Room& room, int n, int rounds) {
    peers::Array<int> in(n), out(n), expected(n);
    fill_keys<<<1024, 256>>>(in.data, n);
    auto peer = peers::with_temporary([&](void* d_temporary, std::size_t& bytes) {
        return cub::DeviceMergeSort::SortKeysCopy(d_temporary, bytes, in.data, expected.data, n, Less());
    });
    auto rung = [&] {
        room.clear();
        merge_sort<Ascending<int>>(in.data, out.data, n, room);
    };
    peers::Problem problem{"int32", in.count, 2.0 * n * sizeof(int), peer, peers::equal(out, expected)};
    peers::compare(clock, problem, {{"merge_sort", rung}}, rounds);
}

}  // namespace

int main(int count, char** arguments) {
    peers::Options options(count, arguments);
    peers::print_heading(peers::cub_version());
    peers::Clock clock;
    peers::Room room(std::size_t{1100} << 20);  // one more array, and the cuts
    for (int n : options.sizes) merge_halves(clock, room, n, options.rounds);
    for (int n : options.sizes) sort(clock, room, n, options.rounds);
}
