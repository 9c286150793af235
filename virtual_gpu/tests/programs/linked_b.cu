__device__ int offset = 5;
__device__ int scale(int x) { return x * 10; }
static __global__ void other(int* d) { *d = scale(offset); }
void run_other(int* d) { other<<<1, 1>>>(d); }
