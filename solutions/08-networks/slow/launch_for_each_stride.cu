// verdict: SLOW task=bitonic_global
// because: 2.6 times the reference's time
// Every step is a launch over global memory, the near strides, too.
#include "networks.h"

template <class Order, class T = typename Order::type>
__global__ void step(T* d_data, int n, int size, int stride) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int low = 2 * t - (t & (stride - 1)), high = low + stride;
    if (high >= n) return;
    T a = d_data[low], b = d_data[high];
    bool swap = Order().before(b, a) != (((low ^ (n - 1)) & size) != 0);
    d_data[low] = swap ? b : a;
    d_data[high] = swap ? a : b;
}

template <class Order>
void bitonic_global(const typename Order::type* d_in, typename Order::type* d_out, int n, Workspace&) {
    CUDA_CHECK(cudaMemcpyAsync(d_out, d_in, n * sizeof *d_in, cudaMemcpyDeviceToDevice));
    for (int size = 2; size < 2 * n; size *= 2) {
        for (int stride = size / 2; stride > 0; stride /= 2)
            step<Order><<<ceil_div(ceil_div(n, 2 * stride) * stride, 256), 256>>>(d_out, n, size, stride);
    }
    CUDA_CHECK(cudaGetLastError());
}

template void bitonic_global<Ascending<int>>(const int*, int*, int, Workspace&);
template void bitonic_global<Descending<int>>(const int*, int*, int, Workspace&);
template void bitonic_global<Ascending<float>>(const float*, float*, int, Workspace&);
template void bitonic_global<ByKey>(const Pair*, Pair*, int, Workspace&);
