// Lab 4's last task against cub::DeviceSelect. Built and run by python -m bench.peers.
#include "compact.h"

#include <cub/device/device_select.cuh>

#include "cub.h"

namespace {

template <class Keep, class T = typename Keep::type>
void measure(peers::Clock& clock, peers::Room& room, const char* what, Keep keep, int n, int rounds) {
    peers::Array<T> in(n), out(n), expected(n);
    peers::Array<int> count(1), expected_count(1);
    peers::fill<<<1024, 256>>>(in.data, in.count);
    auto peer = peers::with_temporary([&](void* d_temporary, std::size_t& bytes) {
        return cub::DeviceSelect::If(d_temporary, bytes, in.data, expected.data, expected_count.data, n, keep);
    });
    peers::Task task{"look_back", [&] {
                         room.clear();
                         look_back(in.data, out.data, count.data, n, keep, room);
                     }};

    // Nothing may be written beyond the kept elements, so that these are compared too.
    peers::Check items = peers::equal(out, expected), counts = peers::equal(count, expected_count);
    peers::equal(expected, out).spoil();
    peer();
    int kept = 0;
    CUDA_CHECK(cudaMemcpy(&kept, expected_count.data, sizeof kept, cudaMemcpyDeviceToHost));
    peers::Problem problem{what, in.count, (1.0 * n + kept) * sizeof(T), peer, both(items, counts)};
    peers::compare(clock, problem, {task}, rounds);
}

}  // namespace

int main(int count, char** arguments) {
    peers::Options options(count, arguments);
    peers::print_heading(peers::cub_version());
    peers::Clock clock;
    peers::Room room(std::size_t{64} << 20);
    for (int n : options.sizes) {
        measure(clock, room, "half kept", IsPositive{}, n, options.rounds);
        measure(clock, room, "1 % kept", IsAbove{98.5f}, n, options.rounds);
        measure(clock, room, "all kept", Always{true}, n, options.rounds);
    }
}
