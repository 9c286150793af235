#include "pairs.h"
void all_pairs(const Point*, int*, int, int) { todo("1"); }
void tiled(const Point*, int*, int, int) { todo("2"); }
void binned(const Point*, int*, int, int, Grid, Workspace&) { todo("3"); }
void sorted_cells(const Point*, int*, int, int, Grid, Workspace&) { todo("4"); }
void pairs_out(const Point*, Pair*, int*, int, int, Grid, int, Workspace&) { todo("5"); }
