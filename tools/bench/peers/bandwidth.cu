// What the memory of this device reaches: a copy, reads alone, and two reads for each write. Prints a heading alone, in
// GB/s. Built and run by python -m bench.peers.
#include "peers.h"

namespace {

constexpr std::size_t kVectors = std::size_t{1} << 26;  // of 16 bytes: 1 GiB an array

// Reads d_a, and d_b if there is one; writes d_out if there is one.
__global__ void __launch_bounds__(256) stream(const int4* d_a, const int4* d_b, int4* d_out, int* d_sum) {
    constexpr int kLoads = 4;
    std::size_t threads = std::size_t{gridDim.x} * 256, first = blockIdx.x * std::size_t{256} + threadIdx.x;
    int sum = 0;
    for (std::size_t i = first; i < kVectors; i += kLoads * threads) {
        int4 v[kLoads];
        for (int k = 0; k < kLoads; ++k) v[k] = d_a[i + k * threads];
        for (int k = 0; k < kLoads; ++k) {
            int4 other = d_b != nullptr ? d_b[i + k * threads] : int4{};
            v[k].x ^= other.x ^ other.y ^ other.z ^ other.w;
            if (d_out != nullptr) d_out[i + k * threads] = v[k];
            sum ^= v[k].x ^ v[k].y ^ v[k].z ^ v[k].w;
        }
    }
    if (sum == 12345) *d_sum = sum;  // so that the loads are not left out
}

}  // namespace

int main() {
    constexpr int kRounds = 15, kBlocks = 2048;  // kVectors is a multiple of all their loads
    peers::Clock clock;
    peers::Array<int4> a(kVectors), b(kVectors), out(kVectors);
    peers::Array<int> sum(1);
    CUDA_CHECK(cudaMemset(a.data, 1, kVectors * sizeof(int4)));
    CUDA_CHECK(cudaMemset(b.data, 2, kVectors * sizeof(int4)));
    auto rate = [&](int arrays, const std::function<void()>& call) {
        return 1e-9 * arrays * kVectors * sizeof(int4) / clock.median_seconds(call, kRounds);
    };
    double copy = rate(
        2, [&] { CUDA_CHECK(cudaMemcpyAsync(out.data, a.data, kVectors * sizeof(int4), cudaMemcpyDeviceToDevice)); });
    double read = rate(1, [&] { stream<<<kBlocks, 256>>>(a.data, nullptr, nullptr, sum.data); });
    double two_to_one = rate(3, [&] { stream<<<kBlocks, 256>>>(a.data, b.data, out.data, sum.data); });
    CUDA_CHECK(cudaGetLastError());
    char text[100];
    std::snprintf(text, sizeof text, "copy %.0f GB/s, reads alone %.0f, two reads a write %.0f", copy, read,
                  two_to_one);
    peers::print_heading(text);
}
