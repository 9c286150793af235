// Lab 3's tasks against cub::DeviceScan: exclusive sums. Built and run by python -m bench.peers.
#include "scan.h"

#include <cub/device/device_scan.cuh>

#include "cub.h"

namespace {

template <class T>
void measure(peers::Clock& clock, peers::Room& room, const char* type, int n, int rounds) {
    peers::Array<T> in(n), out(n), expected(n);
    peers::fill<<<1024, 256>>>(in.data, in.count);
    auto peer = peers::with_temporary([&](void* d_temporary, std::size_t& bytes) {
        return cub::DeviceScan::ExclusiveSum(d_temporary, bytes, in.data, expected.data, n);
    });
    auto task = [&](const char* name, auto function) {
        return peers::Task{name, [&, function] {
                               room.clear();
                               function(in.data, out.data, n, room);
                           }};
    };
    std::vector<peers::Task> tasks = {
        task("reduce_then_scan", reduce_then_scan<Scan::exclusive, Sum<T>>),
        task("look_back", look_back<Scan::exclusive, Sum<T>>),
        task("pipelined", pipelined<Scan::exclusive, Sum<T>>),
    };
    peers::Problem problem{type, in.count, 2.0 * n * sizeof(T), peer, peers::equal(out, expected)};
    peers::compare(clock, problem, tasks, rounds);
}

}  // namespace

int main(int count, char** arguments) {
    peers::Options options(count, arguments);
    peers::print_heading(peers::cub_version());
    peers::Clock clock;
    peers::Room room(std::size_t{64} << 20);
    for (int n : options.sizes) measure<int>(clock, room, "int32", n, options.rounds);
    for (int n : options.sizes) {
        if (n <= 1 << 26) measure<long long>(clock, room, "int64", n, options.rounds);
    }
}
