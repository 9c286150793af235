// verdict: CE task=split_one_bit
// because: undefined reference to `primitives::sort_keys
// Calls the course's own sort, which a program of this lab is linked without.
#include "radix.h"

void split_one_bit(const unsigned* d_in, unsigned* d_out, int n, Bits bits, Workspace& work) {
    primitives::sort_keys(d_in, d_out, n, work, bits.end);
}
