// Stable sorts for the labs that build on them. The rules at the top of primitives.h hold here, too.
#pragma once

#include "toolbox/basics.h"

namespace primitives {

// The keys in ascending order. A pass sorts by 8 bits. Only the lowest `bits` bits are compared, 0 <= bits <= 32: if
// all keys are below 2^bits, a smaller `bits` saves passes.
void sort_keys(const unsigned* d_in, unsigned* d_out, int n, Workspace& work, int bits = 32);

// The same, and each value moves with its key; values of equal keys keep their order. To sort larger elements, pass the
// values 0, 1, 2, ...: they become the order in which to gather the elements.
void sort_pairs(const unsigned* d_keys_in, const int* d_values_in, unsigned* d_keys_out, int* d_values_out, int n,
                Workspace& work, int bits = 32);

}  // namespace primitives
