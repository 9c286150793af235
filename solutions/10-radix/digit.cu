// Rung 2, digit: R bits a pass. The sum runs over one count for each tile and digit instead of a flag for each key,
// and a tile is split in shared memory, where a pass over one bit is cheap.
// Global memory: keys twice read and once written in each pass, and the counts: 81 bytes a key for R = 8.
// (Satish, Harris and Garland, "Designing efficient sorting algorithms for manycore GPUs", IPDPS 2009.)
#include "digit_pass.h"

template <int R, class Key>
void digit(const Key* d_in, Key* d_out, int n, Bits bits, Workspace& work) {
    sort_by_digits<R, Key, false>(d_in, nullptr, d_out, nullptr, n, bits, work);
}

template void digit<1>(const unsigned*, unsigned*, int, Bits, Workspace&);
template void digit<2>(const unsigned*, unsigned*, int, Bits, Workspace&);
template void digit<4>(const unsigned*, unsigned*, int, Bits, Workspace&);
template void digit<8>(const unsigned*, unsigned*, int, Bits, Workspace&);
template void digit<8>(const unsigned long long*, unsigned long long*, int, Bits, Workspace&);
