// Lab 13's square tasks against cublasSgeam, which can transpose. Built and run by python -m bench.peers.
#include "transpose.h"

#include "cublas.h"

namespace {

void measure(peers::Clock& clock, cublasHandle_t handle, int side, int rounds) {
    auto n = static_cast<std::size_t>(side) * side;
    peers::Array<float> in(n), out(n), expected(n);
    peers::fill_words<<<1024, 256>>>(in.data, n, 1);
    float one = 1, zero = 0;
    // cuBLAS counts down columns: it reads our rows as columns, transposes, and writes rows.
    auto peer = [&] {
        peers::check(cublasSgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, side, side, &one, in.data, side, &zero,
                                 expected.data, side, expected.data, side));
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
    peers::measure_squares(count, arguments, [](peers::Clock& clock, cublasHandle_t handle, int side, int rounds) {
        measure(clock, handle, side, rounds);
        if (side >= 1 << 10) measure(clock, handle, side - 1, rounds);
    });
}
