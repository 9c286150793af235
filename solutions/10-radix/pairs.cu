// Rung 3, pairs: as 2, but digits are those of the order word, so that keys may be of any type, and wherever a key goes
// its value goes too. Keys are never changed: order_word() costs two instructions and is asked again.
// Global memory: 124 bytes for a 32-bit key with its value.
#include "digit_pass.h"

template <class Key>
void pairs(const Key* d_keys_in, const unsigned* d_values_in, Key* d_keys_out, unsigned* d_values_out, int n, Bits bits,
           Workspace& work) {
    sort_by_digits<8, Key, true>(d_keys_in, d_values_in, d_keys_out, d_values_out, n, bits, work);
}

template void pairs(const unsigned*, const unsigned*, unsigned*, unsigned*, int, Bits, Workspace&);
template void pairs(const int*, const unsigned*, int*, unsigned*, int, Bits, Workspace&);
template void pairs(const float*, const unsigned*, float*, unsigned*, int, Bits, Workspace&);
template void pairs(const unsigned long long*, const unsigned*, unsigned long long*, unsigned*, int, Bits, Workspace&);
