// Lab 16's fastest tasks against cuBLAS: floats without TF32, and halves on tensor cores with sums in float. Elements
// are small whole numbers, so that every order of additions gives the same bits. Built and run by python -m
// bench.peers.
#include "matmul.h"

#include "cublas.h"

namespace {

// Whole numbers from -8 to 8.
template <class T>
__global__ void fill_small(T* d_out, std::size_t n, unsigned long long seed) {
    std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n; i += stride) {
        unsigned long long x = (i + seed) * 0x9e3779b97f4a7c15;
        x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
        d_out[i] = static_cast<T>(static_cast<float>(static_cast<int>((x >> 40) % 17) - 8));
    }
}

template <class T>
struct Factors {
    peers::Array<T> a, b;
    explicit Factors(std::size_t n) : a(n), b(n) {
        fill_small<<<1024, 256>>>(a.data, n, 1);
        fill_small<<<1024, 256>>>(b.data, n, 2);
    }
};

// cuBLAS counts down columns: it reads our rows as columns, so that C = A B is B A to it.
void measure_floats(peers::Clock& clock, cublasHandle_t handle, int side, int rounds) {
    auto n = static_cast<std::size_t>(side) * side;
    Factors<float> in(n);
    peers::Array<float> out(n), expected(n);
    float one = 1, zero = 0;
    auto peer = [&] {
        peers::check(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, side, side, side, &one, in.b.data, side, in.a.data,
                                 side, &zero, expected.data, side));
    };
    auto call = [&] { vectorized(in.a.data, in.b.data, out.data, side, side, side); };
    peers::Problem problem{"float32", n, 3.0 * n * sizeof(float), peer, peers::equal(out, expected)};
    peers::compare(clock, problem, {{"vectorized", call}}, rounds);
}

void measure_halves(peers::Clock& clock, cublasHandle_t handle, int side, int rounds) {
    auto n = static_cast<std::size_t>(side) * side;
    Factors<half> in(n);
    peers::Array<float> out(n), expected(n);
    float one = 1, zero = 0;
    auto peer = [&] {
        peers::check(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, side, side, side, &one, in.b.data, CUDA_R_16F, side,
                                  in.a.data, CUDA_R_16F, side, &zero, expected.data, CUDA_R_32F, side,
                                  CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
    };
    auto call = [&] { tensor_cores(in.a.data, in.b.data, out.data, side, side, side, Order::rows, Order::rows); };
    double bytes = 2.0 * n * sizeof(half) + 1.0 * n * sizeof(float);
    peers::Problem problem{"float16", n, bytes, peer, peers::equal(out, expected)};
    peers::compare(clock, problem, {{"tensor_cores", call}}, rounds);
}

}  // namespace

int main(int count, char** arguments) {
    peers::measure_squares(count, arguments, [](peers::Clock& clock, cublasHandle_t handle, int side, int rounds) {
        measure_floats(clock, handle, side, rounds);
        measure_halves(clock, handle, side, rounds);
    });
}
