// Lab 10, radix sort: the ladder. Each rung has a file of its own, NAME.cu; its comment says only what changed from the
// one before. passes.h has the order of keys, digit_pass.h the pass of rungs 2 and 3. Rungs 3 and 4 solve more and take
// longer. Speeds: bytes that must move a second, on an NVIDIA H200 at n = 2^24 (docs/times-h200.md).
//
// rung               H200  idea
// split_one_bit   23 GB/s  one bit a pass: an exclusive sum of the zeros says where keys go
// digit          142 GB/s  R bits a pass: tiles count digits, a sum over the transposed table places them
// pairs          239 GB/s  keys of any type by their order words, with their values
// by_index       591 GB/s  large records are moved once: sort (key, place) pairs, then gather
// onesweep       220 GB/s  one launch a digit: keys read once, written once; tiles look back
#include "radix.h"
