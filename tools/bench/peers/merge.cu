// Lab 9's tasks against cub::DeviceMerge, which merges two halves, and CUB's sorts. Built and run by
// python -m bench.peers.
#include "merge.h"

#include <cub/device/device_merge.cuh>

#include "merge_sort.h"

namespace {

void merge_halves(peers::Clock& clock, peers::Room& room, int n, int rounds) {
    int na = n / 2, nb = n - na;
    peers::Array<int> a(na), b(nb), out(n), expected(n);
    peers::fill_words<<<1024, 256>>>(expected.data, expected.count, 1);
    CUDA_CHECK(cudaGetLastError());
    for (auto [side, first] : {std::pair{&a, 0}, {&b, na}}) {
        if (side->count == 0) continue;
        peers::with_temporary([&](void* d_temporary, std::size_t& bytes) {
            return cub::DeviceMergeSort::SortKeysCopy(d_temporary, bytes, expected.data + first, side->data,
                                                      static_cast<int>(side->count), peers::Less());
        })();
    }
    auto peer = peers::with_temporary([&](void* d_temporary, std::size_t& bytes) {
        return cub::DeviceMerge::MergeKeys(d_temporary, bytes, a.data, na, b.data, nb, expected.data, peers::Less());
    });
    auto task = [&] {
        room.clear();
        merge_path<Ascending<int>>(a.data, na, b.data, nb, out.data, room);
    };
    peers::Problem problem{"int32", out.count, 2.0 * n * sizeof(int), peer, peers::equal(out, expected)};
    peers::compare(clock, problem, {{"merge_path", task}}, rounds);
}

}  // namespace

int main(int count, char** arguments) {
    peers::Options options(count, arguments);
    peers::print_heading(peers::cub_version());
    peers::Clock clock;
    peers::Room room(std::size_t{1100} << 20);  // one more array, and the cuts
    for (int n : options.sizes) merge_halves(clock, room, n, options.rounds);
    for (int n : options.sizes) {
        peers::compare_with_sorts(clock, room, "merge_sort", merge_sort<Ascending<int>>, n, options.rounds);
    }
}
