// Lab 6's tasks against cub::DeviceHistogram: 256 levels of bytes. Built and run by python -m bench.peers.
#include "histogram.h"

#include <cub/device/device_histogram.cuh>

#include "cub.h"

namespace {

__global__ void fill_levels(unsigned char* d_out, std::size_t n, bool one_value) {
    std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n; i += stride) {
        unsigned x = static_cast<unsigned>(i) * 2654435761u;
        x = (x ^ x >> 15) * 2246822519u;
        d_out[i] = one_value ? 77 : static_cast<unsigned char>(x >> 13);
    }
}

void measure(peers::Clock& clock, peers::Room& room, const char* what, bool one_value, int n, int rounds) {
    constexpr int kLevels = 256;
    peers::Array<unsigned char> in(n);
    peers::Array<unsigned> out(kLevels + 1), expected(kLevels + 1);  // the last counts values outside: none
    CUDA_CHECK(cudaMemset(expected.data, 0, expected.count * sizeof(unsigned)));
    fill_levels<<<1024, 256>>>(in.data, in.count, one_value);
    auto peer = peers::with_temporary([&](void* d_temporary, std::size_t& bytes) {
        return cub::DeviceHistogram::HistogramEven(d_temporary, bytes, in.data, expected.data, kLevels + 1, 0, kLevels,
                                                   n);
    });
    auto task = [&](const char* name, auto function) {
        return peers::Task{name, [&, function] {
                               room.clear();
                               function(in.data, n, Levels{}, out.data, room);
                           }};
    };
    std::vector<peers::Task> tasks = {task("shared_atomics", shared_atomics<unsigned char, Levels>),
                                      task("replicated", replicated<unsigned char, Levels>)};
    peers::Problem problem{what, in.count, 1.0 * n, peer, peers::equal(out, expected)};
    peers::compare(clock, problem, tasks, rounds);
}

}  // namespace

int main(int count, char** arguments) {
    peers::Options options(count, arguments);
    peers::print_heading(peers::cub_version());
    peers::Clock clock;
    peers::Room room(std::size_t{1} << 20);
    for (int n : options.sizes) measure(clock, room, "uint8 uniform", false, n, options.rounds);
    for (int n : options.sizes) measure(clock, room, "uint8 one value", true, n, options.rounds);
}
