// Lab 1's fastest task against cub::DeviceTransform. Built and run by python -m bench.peers.
#include "square.h"

#include <cub/device/device_transform.cuh>

#include "cub.h"

namespace {

struct Square {
    __device__ float operator()(float x) const { return x * x; }
};

void measure(peers::Clock& clock, int n, int rounds) {
    peers::Array<float> in(n), out(n), expected(n);
    peers::fill<<<1024, 256>>>(in.data, in.count);
    auto peer = [&] { CUDA_CHECK(cub::DeviceTransform::Transform(in.data, expected.data, n, Square{})); };
    std::vector<peers::Task> tasks = {{"vectorized", [&] { vectorized(in.data, out.data, n); }}};
    peers::Problem problem{"float32", in.count, 2.0 * n * sizeof(float), peer, peers::equal(out, expected)};
    peers::compare(clock, problem, tasks, rounds);
}

}  // namespace

int main(int count, char** arguments) {
    peers::Options options(count, arguments);
    peers::print_heading(peers::cub_version());
    peers::Clock clock;
    for (int n : options.sizes) measure(clock, n, options.rounds);
}
