// Lab 10's fastest task against cub::DeviceRadixSort: all 32 bits of random keys, alone and with values. Built and run
// by python -m bench.peers.
#include "radix.h"

#include <cub/device/device_radix_sort.cuh>

#include "cub.h"

namespace {

// Keys, and values if there are any.
struct Items {
    peers::Array<unsigned> keys, values;

    Items(int n, bool has_values) : keys(n), values(has_values ? n : 0) {}
    unsigned* d_values() const { return values.count > 0 ? values.data : nullptr; }
};

void measure(peers::Clock& clock, peers::Room& room, bool has_values, int n, int rounds) {
    Items in(n, has_values), out(n, has_values), expected(n, has_values);
    peers::fill_words<<<1024, 256>>>(in.keys.data, in.keys.count, 1);
    CUDA_CHECK(cudaGetLastError());
    if (has_values) peers::fill_words<<<1024, 256>>>(in.values.data, in.values.count, 2);
    CUDA_CHECK(cudaGetLastError());
    auto peer = peers::with_temporary([&](void* d_temporary, std::size_t& bytes) {
        if (!has_values) {
            return cub::DeviceRadixSort::SortKeys(d_temporary, bytes, in.keys.data, expected.keys.data, n);
        }
        return cub::DeviceRadixSort::SortPairs(d_temporary, bytes, in.keys.data, expected.keys.data, in.values.data,
                                               expected.values.data, n);
    });
    auto call = [&] {
        room.clear();
        onesweep(in.keys.data, in.d_values(), out.keys.data, out.d_values(), n, {0, 32}, room);
    };
    // The keys are read once to be counted. Then four passes read and write everything.
    double bytes = 4.0 * n + 4 * 2 * (has_values ? 8.0 : 4.0) * n;
    peers::Check keys = peers::equal(out.keys, expected.keys), values = peers::equal(out.values, expected.values);
    peers::Problem problem{has_values ? "pairs" : "keys", in.keys.count, bytes, peer, both(keys, values)};
    peers::compare(clock, problem, {{"onesweep", call}}, rounds);
}

}  // namespace

int main(int count, char** arguments) {
    peers::Options options(count, arguments);
    peers::print_heading(peers::cub_version());
    peers::Clock clock;
    // Other keys and values, and the states of the tiles: a quarter of a byte for each key, and at least a tile's.
    std::size_t most = options.sizes.empty() ? 0 : *std::max_element(options.sizes.begin(), options.sizes.end());
    peers::Room room(9 * most + (std::size_t{1} << 20));
    for (bool has_values : {false, true}) {
        for (int n : options.sizes) measure(clock, room, has_values, n, options.rounds);
    }
}
