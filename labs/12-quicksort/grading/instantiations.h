// What is graded of quicksort.cu: the templated task with its types. Included at the end of that file.
#pragma once

#include "quicksort.h"

template void sample_partition(const int*, int*, int, Workspace&);
template void sample_partition(const long long*, long long*, int, Workspace&);
template void sample_partition(const Pair*, Pair*, int, Workspace&);
