// Lab 3's rungs against cub::DeviceScan: exclusive sums. Built and run by python -m bench.peers.
#include "scan.h"

#include <cub/device/device_scan.cuh>

#include "peers.h"

namespace {

template <class T>
void measure(peers::Clock& clock, peers::Room& room, const char* type, int n, int rounds) {
    peers::Array<T> in(n), out(n), expected(n);
    peers::fill<<<1024, 256>>>(in.data, in.count);
    std::size_t bytes = 0;
    CUDA_CHECK(cub::DeviceScan::ExclusiveSum(nullptr, bytes, in.data, expected.data, n));
    peers::Array<char> temporary(bytes);
    auto peer = [&] { CUDA_CHECK(cub::DeviceScan::ExclusiveSum(temporary.data, bytes, in.data, expected.data, n)); };
    auto copy = [&] { CUDA_CHECK(cudaMemcpyAsync(out.data, in.data, n * sizeof(T), cudaMemcpyDeviceToDevice)); };
    auto rung = [&](const char* name, auto function) {
        return peers::Rung{name, [&, function] {
                               room.clear();
                               function(in.data, out.data, n, room);
                           }};
    };
    std::vector<peers::Rung> rungs = {
        rung("reduce_then_scan", reduce_then_scan<Scan::exclusive, Sum<T>>),
        rung("look_back", look_back<Scan::exclusive, Sum<T>>),
        rung("pipelined", pipelined<Scan::exclusive, Sum<T>>),
    };
    peers::compare(clock, type, 2.0 * n * sizeof(T), rungs, peer, clock.median_seconds(copy, rounds), out, expected,
                   rounds);
}

}  // namespace

int main() {
    cudaDeviceProp device{};
    CUDA_CHECK(cudaGetDeviceProperties(&device, 0));
    std::printf("# %s, CUB %d.%d.%d\n", device.name, CUB_MAJOR_VERSION, CUB_MINOR_VERSION, CUB_SUBMINOR_VERSION);
    peers::Clock clock;
    peers::Room room(std::size_t{64} << 20);
    const int rounds = 15;
    for (int log_n : {20, 24, 26, 28}) measure<int>(clock, room, "int32", 1 << log_n, rounds);
    for (int log_n : {20, 24, 26}) measure<long long>(clock, room, "int64", 1 << log_n, rounds);
}
