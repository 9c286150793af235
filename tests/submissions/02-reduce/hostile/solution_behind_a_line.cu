#line 7 "reduce.h"
#include "../../../solutions/02-reduce/sequential.cu"
