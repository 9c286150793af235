// Lab 3, scan: the ladder. Each rung has a file of its own, NAME.cu; its comment says what changed from the one before.
//
// rung           scans   idea
// naive          all     a launch for each step: add the neighbour at distance 1, 2, 4, ...
// hillis_steele  tiles   all steps of a tile in shared memory
// blelloch       tiles   up a tree and down again: two additions an element; padded against bank conflicts
// block_sums     all     scan the tiles, scan their totals, add; any associative operator
// look_back      all     one launch: tiles look back at what earlier tiles have published; warp shuffles in registers
#include "scan.h"
