// Stable sorts for the labs that build on them. They keep to the same rules as the scans and sums of primitives.h.
#pragma once

#include "toolbox/basics.h"

namespace primitives {

// The keys in ascending order. Only their lowest `bits` bits count, 0 <= bits <= 32, 8 in each pass: if all keys are
// below 2^bits, this saves passes.
void sort_keys(const unsigned* d_in, unsigned* d_out, int n, Workspace& work, int bits = 32);

// The same, and each value moves with its key; values of equal keys keep their order. The values 0, 1, 2, ... become
// the permutation by which to gather anything larger.
void sort_pairs(const unsigned* d_keys_in, const int* d_values_in, unsigned* d_keys_out, int* d_values_out, int n,
                Workspace& work, int bits = 32);

}  // namespace primitives
