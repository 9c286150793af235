// Lab 13's square tasks against cublasSgeam, which can transpose. Built and run by python -m bench.peers.
#include "transpose.h"

#include <cublas_v2.h>

#include <cmath>

#include "peers.h"

namespace {

void check(cublasStatus_t status) {
    if (status != CUBLAS_STATUS_SUCCESS) throw std::runtime_error(cublasGetStatusString(status));
}

void measure(peers::Clock& clock, cublasHandle_t handle, int side, int rounds) {
    auto n = static_cast<std::size_t>(side) * side;
    peers::Array<float> in(n), out(n), expected(n);
    peers::fill_words<<<1024, 256>>>(in.data, n, 1);
    float one = 1, zero = 0;
    // cuBLAS counts down columns: it reads our rows as columns, transposes, and writes rows.
    auto peer = [&] {
        check(cublasSgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, side, side, &one, in.data, side, &zero, expected.data, side,
                          expected.data, side));
    };
    std::vector<peers::Task> tasks = {{"padded", [&] { padded(in.data, out.data, side); }},
                                      {"swizzled", [&] { swizzled(in.data, out.data, side); }}};
    // Whole quads, and sides that are odd: "odd side" is one less.
    const char* what = side % 4 == 0 ? "float32" : "float32 odd side";
    peers::Problem problem{what, n, 2.0 * n * sizeof(float), peer, peers::equal(out, expected)};
    peers::compare(clock, problem, tasks, rounds);
}

}  // namespace

int main(int count, char** arguments) {
    peers::Options options(count, arguments);
    cublasHandle_t handle{};
    check(cublasCreate(&handle));
    int version = 0;
    check(cublasGetVersion(handle, &version));
    peers::print_heading("cuBLAS " + std::to_string(version));
    peers::Clock clock;
    for (int n : options.sizes) {
        if (n > 1 << 26) continue;  // transpose.h: no matrix has more elements
        int side = static_cast<int>(std::sqrt(n));
        measure(clock, handle, side, options.rounds);
        if (n >= 1 << 20) measure(clock, handle, side - 1, options.rounds);
    }
    check(cublasDestroy(handle));
}
