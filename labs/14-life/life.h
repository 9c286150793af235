// Lab 14, life: the contract. What each task takes, returns, and may rely on.
//
// A board of rows x columns cells lies in memory row by row: cell (y, x) is d_in[y * columns + x], 1 if it is alive and
// 0 if not. The board is a torus: above row 0 lies the last row, and to the left of column 0 the last column. A cell
// has eight neighbours, the cells at (y - 1 .. y + 1, x - 1 .. x + 1) without itself. On a board with a side of 1 or 2,
// several of the eight are the same cell, and this cell counts as often; it can be its own neighbour.
// In the next generation a cell is alive if 3 of its neighbours are, or if 2 are and it is alive itself.
#pragma once

#include "toolbox/basics.h"   // todo(), CUDA_CHECK, ceil_div, Workspace
#include "toolbox/shuffle.h"  // kAllLanes, the mask of a whole warp, for task 7

constexpr int kMaxSide = 65'535;   // rows, and columns
constexpr int kMaxSmall = 16'384;  // cells of a board in task 3
constexpr float kRate = 0.2f;      // of task 7

// Task 1: d_counts[y * columns + x] = how many neighbours of cell (y, x) are alive, 0 to 8. If `scatter`, a thread for
// each live cell adds 1 to each of its neighbours; otherwise a thread for each cell asks all of its neighbours.
void scatter_and_gather(const unsigned char* d_in, int* d_counts, int rows, int columns, bool scatter);

// Task 2: d_out = the board after `generations` generations; a thread for each cell, a launch for each generation.
void life(const unsigned char* d_in, unsigned char* d_out, int rows, int columns, int generations, Workspace& work);

// Task 3: as 2, for a board of at most kMaxSmall cells: one launch of one block for all generations.
void in_one_block(const unsigned char* d_in, unsigned char* d_out, int rows, int columns, int generations);

// Task 4: as 2, but a block first copies a tile of the board and its halo to shared memory.
void tile(const unsigned char* d_in, unsigned char* d_out, int rows, int columns, int generations, Workspace& work);

// Task 5: as 2, with 32 cells a word. A row takes w = ceil_div(columns, 32) words; cell (y, x) is bit x % 32 of word
// d_in[y * w + x / 32], where bit 0 is the lowest. The last word of a row may have bits that are no cells: they are 0
// in d_in, and must be 0 in d_out.
void bits(const unsigned* d_in, unsigned* d_out, int rows, int columns, int generations, Workspace& work);

// Task 6: as 4, but a launch computes several generations.
void temporal(const unsigned char* d_in, unsigned char* d_out, int rows, int columns, int generations, Workspace& work);

// Task 7: temperatures of a plate that is no torus: cells in the first and last row and column keep theirs. In each
// step, every other cell t with its four neighbours above, below, left and right becomes
//     t + kRate * (above + below + left + right - 4 * t)
void heat(const float* d_in, float* d_out, int rows, int columns, int steps, Workspace& work);

// In every task
//   d_in, d_out  device memory, 256-byte aligned. d_in is read only: the grader checks this. d_out and d_counts hold
//                garbage at first; write every element, and nothing beyond. They do not overlap.
//   sides        0 <= rows, columns <= kMaxSide, and at most 2^26 cells: an int can count them. If there are none, do
//                not launch: a launch of 0 blocks is an error. A board may be a single row, or a single column.
//   generations  >= 0, and so is steps. After 0 of them d_out is a copy of d_in.
//   work         temporary device memory: work.get<unsigned char>(count). It was allocated before the clock
//                started, and holds garbage.
//   floats       are finite. Sums may be added in any order, and products distributed: let u = 2^-24. A step may add to
//                the error of a cell at most 8 u (|t| + kRate (|above| + |below| + |left| + |right| + 4 |t|)), and
//                passes the errors of the step before on with the weights of the formula.
// A call may return before the device is done; it must leave no work on streams of its own.
