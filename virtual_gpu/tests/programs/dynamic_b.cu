// The other file: a kernel, a device function and a variable that dynamic_a.cu uses.
__device__ int launches_seen;

__device__ int twice(int x) { return 2 * x; }

__global__ void in_other_file(int* data) {
    data[threadIdx.x] = twice(data[threadIdx.x]);
    if (threadIdx.x == 0) atomicAdd(&launches_seen, 1);
}
