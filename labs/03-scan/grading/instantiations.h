// What is graded of lab 3's templates. Included at the end of the student's file.
#pragma once

#include "scan.h"

template void block_sums<Scan::exclusive, Sum<int>>(const int*, int*, int, Workspace&);
template void block_sums<Scan::inclusive, Sum<int>>(const int*, int*, int, Workspace&);
template void block_sums<Scan::exclusive, Max<int>>(const int*, int*, int, Workspace&);
template void block_sums<Scan::inclusive, Sum<float>>(const float*, float*, int, Workspace&);
template void block_sums<Scan::inclusive, Compose>(const Affine*, Affine*, int, Workspace&);
template void block_sums<Scan::inclusive, Segmented<Sum<int>>>(const Headed<int>*, Headed<int>*, int, Workspace&);

template void reduce_then_scan<Scan::exclusive, Sum<int>>(const int*, int*, int, Workspace&);
template void reduce_then_scan<Scan::inclusive, Sum<int>>(const int*, int*, int, Workspace&);
template void reduce_then_scan<Scan::exclusive, Sum<long long>>(const long long*, long long*, int, Workspace&);
template void reduce_then_scan<Scan::inclusive, Compose>(const Affine*, Affine*, int, Workspace&);

template void look_back<Scan::exclusive, Sum<int>>(const int*, int*, int, Workspace&);
template void look_back<Scan::inclusive, Sum<int>>(const int*, int*, int, Workspace&);
template void look_back<Scan::exclusive, Max<int>>(const int*, int*, int, Workspace&);
template void look_back<Scan::exclusive, Sum<long long>>(const long long*, long long*, int, Workspace&);
template void look_back<Scan::inclusive, Sum<float>>(const float*, float*, int, Workspace&);
template void look_back<Scan::inclusive, Compose>(const Affine*, Affine*, int, Workspace&);
template void look_back<Scan::inclusive, Segmented<Sum<int>>>(const Headed<int>*, Headed<int>*, int, Workspace&);

template void pipelined<Scan::exclusive, Sum<int>>(const int*, int*, int, Workspace&);
template void pipelined<Scan::inclusive, Sum<int>>(const int*, int*, int, Workspace&);
template void pipelined<Scan::exclusive, Sum<long long>>(const long long*, long long*, int, Workspace&);
template void pipelined<Scan::inclusive, Compose>(const Affine*, Affine*, int, Workspace&);
