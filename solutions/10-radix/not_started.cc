// Every task of lab 10 as not started. Linked behind a mistake (mistakes/), whose own functions come first: a function
// that it does not define is found here. Never linked to a student's file.
#include "radix.h"

[[gnu::weak]] void split_one_bit(const unsigned*, unsigned*, int, Bits, Workspace&) { todo("1"); }

template <int R, class Key>
void digit(const Key*, Key*, int, Bits, Workspace&) {
    todo("2");
}

template <class Key>
void pairs(const Key*, const unsigned*, Key*, unsigned*, int, Bits, Workspace&) {
    todo("3");
}

[[gnu::weak]] void by_index(const Record*, Record*, int, Workspace&) { todo("4"); }

template <class Key>
void onesweep(const Key*, const unsigned*, Key*, unsigned*, int, Bits, Workspace&) {
    todo("5");
}

template void digit<1>(const unsigned*, unsigned*, int, Bits, Workspace&);
template void digit<2>(const unsigned*, unsigned*, int, Bits, Workspace&);
template void digit<4>(const unsigned*, unsigned*, int, Bits, Workspace&);
template void digit<8>(const unsigned*, unsigned*, int, Bits, Workspace&);
template void digit<8>(const unsigned long long*, unsigned long long*, int, Bits, Workspace&);
template void pairs(const unsigned*, const unsigned*, unsigned*, unsigned*, int, Bits, Workspace&);
template void pairs(const int*, const unsigned*, int*, unsigned*, int, Bits, Workspace&);
template void pairs(const float*, const unsigned*, float*, unsigned*, int, Bits, Workspace&);
template void pairs(const unsigned long long*, const unsigned*, unsigned long long*, unsigned*, int, Bits, Workspace&);
template void onesweep(const unsigned*, const unsigned*, unsigned*, unsigned*, int, Bits, Workspace&);
template void onesweep(const int*, const unsigned*, int*, unsigned*, int, Bits, Workspace&);
template void onesweep(const float*, const unsigned*, float*, unsigned*, int, Bits, Workspace&);
template void onesweep(const unsigned long long*, const unsigned*, unsigned long long*, unsigned*, int, Bits,
                       Workspace&);
