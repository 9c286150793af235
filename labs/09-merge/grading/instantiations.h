// What is graded of each template. Included at the end of the student's file, where all definitions are known.
#pragma once

#include "merge.h"

template void one_thread_per_merge<Ascending<int>>(const int*, int*, int, int, Workspace&);
template void one_thread_per_merge<ByKey>(const Pair*, Pair*, int, int, Workspace&);
template void rank_by_search<Ascending<int>>(const int*, int, const int*, int, int*, Workspace&);
template void rank_by_search<Descending<int>>(const int*, int, const int*, int, int*, Workspace&);
template void rank_by_search<ByKey>(const Pair*, int, const Pair*, int, Pair*, Workspace&);
template void splitters<Ascending<int>>(const int*, int, const int*, int, int*, Workspace&);
template void splitters<Descending<int>>(const int*, int, const int*, int, int*, Workspace&);
template void splitters<ByKey>(const Pair*, int, const Pair*, int, Pair*, Workspace&);
template void merge_path<Ascending<int>>(const int*, int, const int*, int, int*, Workspace&);
template void merge_path<Ascending<long long>>(const long long*, int, const long long*, int, long long*, Workspace&);
template void merge_path<Ascending<float>>(const float*, int, const float*, int, float*, Workspace&);
template void merge_path<ByKey>(const Pair*, int, const Pair*, int, Pair*, Workspace&);
template void merge_sort<Ascending<int>>(const int*, int*, int, Workspace&);
template void merge_sort<Descending<int>>(const int*, int*, int, Workspace&);
template void merge_sort<Ascending<float>>(const float*, float*, int, Workspace&);
template void merge_sort<ByKey>(const Pair*, Pair*, int, Workspace&);
