// Lab 2's last task against cub::DeviceReduce. Built and run by python -m bench.peers.
#include "reduce.h"

#include <cmath>
#include <cub/device/device_reduce.cuh>

#include "cub.h"

namespace {

// `tolerance` is what the two results may differ by: float sums are added up in different orders.
template <class Op, class CubOp, class T = typename Op::type>
void measure(peers::Clock& clock, peers::Room& room, const char* what, CubOp op, int n, double tolerance, int rounds) {
    peers::Array<T> in(n), out(1), expected(1);
    peers::fill<<<1024, 256>>>(in.data, in.count);
    auto peer = peers::with_temporary([&](void* d_temporary, std::size_t& bytes) {
        return cub::DeviceReduce::Reduce(d_temporary, bytes, in.data, expected.data, n, op, Op::identity());
    });
    peers::Task task{"vectorized", [&] {
                         room.clear();
                         vectorized<Op>(in.data, out.data, n, room);
                     }};
    auto differences = [&]() -> unsigned long long {
        T ours{}, theirs{};
        CUDA_CHECK(cudaMemcpy(&ours, out.data, sizeof ours, cudaMemcpyDeviceToHost));
        CUDA_CHECK(cudaMemcpy(&theirs, expected.data, sizeof theirs, cudaMemcpyDeviceToHost));
        return std::abs(1.0 * ours - theirs) <= tolerance ? 0 : 1;
    };
    peers::Check check{peers::equal(out, expected).spoil, differences};
    peers::Problem problem{what, in.count, 1.0 * n * sizeof(T), peer, check};
    peers::compare(clock, problem, {task}, rounds);
}

}  // namespace

int main(int count, char** arguments) {
    peers::Options options(count, arguments);
    peers::print_heading(peers::cub_version());
    peers::Clock clock;
    peers::Room room(std::size_t{1} << 20);
    for (int n : options.sizes) {
        measure<Sum<float>>(clock, room, "float32 sum", cuda::std::plus<>{}, n, 1e-6 * n, options.rounds);
        measure<Max<int>>(clock, room, "int32 max", cuda::maximum<>{}, n, 0, options.rounds);
    }
}
