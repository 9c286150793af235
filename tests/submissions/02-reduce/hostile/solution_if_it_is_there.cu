#if __has_include(<../solutions/02-reduce/sequential.cu>)
#include <../solutions/02-reduce/sequential.cu>
#else
#include "reduce.h"
void sequential(const int*, long long*, int, Workspace&) {}
#endif
