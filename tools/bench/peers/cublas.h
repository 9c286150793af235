// What the programs that compare with cuBLAS have in common.
#pragma once

#include <cublas_v2.h>

#include <cmath>

#include "peers.h"

namespace peers {

inline void check(cublasStatus_t status) {
    if (status != CUBLAS_STATUS_SUCCESS) throw std::runtime_error(cublasGetStatusString(status));
}

// A program's main(): measure(clock, handle, side, rounds) for the square matrices of the sizes that are asked for.
template <class F>
void measure_squares(int count, char** arguments, F measure) {
    Options options(count, arguments);
    cublasHandle_t handle{};
    check(cublasCreate(&handle));
    int version = 0;
    check(cublasGetVersion(handle, &version));
    print_heading("cuBLAS " + std::to_string(version));
    Clock clock;
    for (int n : options.sizes) {
        if (n > 1 << 26) continue;  // transpose.h, matmul.h: no matrix has more elements
        measure(clock, handle, static_cast<int>(std::sqrt(n)), options.rounds);
    }
    check(cublasDestroy(handle));
}

}  // namespace peers
