// verdict: WA task=bitonic_global max_n=5000
// because: wrong from n = 33 on (pairs_int32)
// Pads to a power of two, and runs ascend first: padding moves, and ends up before a pair whose key is as great.
#include "networks.h"

template <class Order, class T = typename Order::type>
__global__ void copy_and_pad(const T* d_in, T* d_padded, int n, int places) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < places) d_padded[i] = i < n ? d_in[i] : Order::last();
}

template <class Order, class T = typename Order::type>
__global__ void step(T* d_padded, int size, int stride, int places) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= places / 2) return;
    int low = 2 * t - t % stride;
    T a = d_padded[low], b = d_padded[low + stride];
    bool descend = (low & size) != 0;
    if (descend ? Order().before(a, b) : Order().before(b, a)) {
        d_padded[low] = b;
        d_padded[low + stride] = a;
    }
}

template <class Order>
void bitonic_global(const typename Order::type* d_in, typename Order::type* d_out, int n, Workspace& work) {
    if (n == 0) return;
    int places = 1;
    while (places < n) places *= 2;
    auto* d_padded = work.get<typename Order::type>(places);
    copy_and_pad<Order><<<ceil_div(places, 256), 256>>>(d_in, d_padded, n, places);
    for (int size = 2; size <= places; size *= 2) {
        for (int stride = size / 2; stride > 0; stride /= 2)
            step<Order><<<ceil_div(places, 512), 256>>>(d_padded, size, stride, places);
    }
    CUDA_CHECK(cudaMemcpyAsync(d_out, d_padded, n * sizeof *d_out, cudaMemcpyDeviceToDevice));
    CUDA_CHECK(cudaGetLastError());
}

template void bitonic_global<Ascending<int>>(const int*, int*, int, Workspace&);
template void bitonic_global<Descending<int>>(const int*, int*, int, Workspace&);
template void bitonic_global<Ascending<float>>(const float*, float*, int, Workspace&);
template void bitonic_global<ByKey>(const Pair*, Pair*, int, Workspace&);
