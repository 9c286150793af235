// verdict: RTE task=one_block max_n=5000
// because: SIGSEGV
// Writes through a pointer that points nowhere.
#include "square.h"

void one_block(const float* h_in, float*, int n) {
    float* h_squares = nullptr;
    for (int i = 0; i < n; ++i) h_squares[i] = h_in[i] * h_in[i];
}
