#include "../../../solutions/02-reduce/sequential.cu"
