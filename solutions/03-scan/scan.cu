// Lab 3, scan: the ladder. Each rung has a file of its own, NAME.cu; its comment says only what changed from the one
// before. Rungs 2 and 3 scan each tile by itself, the others the whole array.
//
// rung           idea
// naive          a launch for each step: add the neighbour at distance 1, 2, 4, ...
// hillis_steele  all steps of a tile in shared memory
// blelloch       up a tree and down again: two additions an element; padded against bank conflicts
// block_sums     scan the tiles, scan their totals, add; any associative operator
// look_back      one launch: tiles look back at what earlier tiles have published; warp shuffles in registers
#include "scan.h"
