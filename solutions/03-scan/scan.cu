// Lab 3, scan: the ladder. Each rung has a file of its own, NAME.cu; its comment says only what changed from the one
// before. Rungs 2 and 3 scan each tile by itself, the others the whole array.
// Speeds: bytes that must move a second, on an NVIDIA H200 at n = 2^24 (docs/times-h200.md).
//
// rung                 H200  idea
// naive            101 GB/s  a launch for each step: add the neighbour at distance 1, 2, 4, ...
// hillis_steele    907 GB/s  all steps of a tile in shared memory
// blelloch         998 GB/s  up a tree and down again: two additions an element; padded against bank conflicts
// block_sums       767 GB/s  scan the tiles, scan their totals, add; any associative operator
// look_back      1,603 GB/s  one launch: tiles look back at what earlier ones published; warp shuffles in registers
#include "scan.h"
