// verdict: RTE task=one_block max_n=5000
// because: SIGSEGV: host code used an address that is not its own
// Writes through a pointer that points nowhere.
#include "square.h"

void one_block(const float* h_in, float*, int n) {
    float* h_squares = nullptr;
    for (int i = 0; i < n; ++i) h_squares[i] = h_in[i] * h_in[i];
}
