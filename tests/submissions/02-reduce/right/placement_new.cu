// Style: classes in shared memory by placement new, operator overloads, a kernel as a functor's member, static asserts.
#include <new>

#include "reduce.h"

template <class Op, class R>
class Tree {
  public:
    static constexpr int kThreads = 512;
    static_assert(kThreads % 32 == 0 && (kThreads & (kThreads - 1)) == 0, "a power of two");

    __device__ R& operator[](int i) { return values_[i]; }
    __device__ R reduce(R own) {
        Tree& self = *this;
        self[threadIdx.x] = own;
        for (int half = kThreads / 2; half >= 1; half >>= 1) {
            __syncthreads();
            if (threadIdx.x < half) self[threadIdx.x] = Op()(self[threadIdx.x], self[threadIdx.x + half]);
        }
        return self[0];
    }

  private:
    R values_[kThreads];
};

template <class Op, class T, class R>
__global__ void reduce_with_tree(const T* in, R* to, int n) {
    using Own = Tree<Op, R>;
    __shared__ alignas(Own) unsigned char memory[sizeof(Own)];
    Own* tree = new (memory) Own;
    R value = Op::identity();
    for (int i = blockIdx.x * Own::kThreads + threadIdx.x; i < n; i += gridDim.x * Own::kThreads)
        value = Op()(value, in[i]);
    value = tree->reduce(value);
    if (threadIdx.x == 0) to[blockIdx.x] = value;
}

template <class Op, class T, class R>
void grid_stride(const T* d_in, R* d_result, int n, Workspace& work) {
    constexpr int kThreads = Tree<Op, R>::kThreads;
    int blocks = n == 0 ? 1 : min(ceil_div(n, kThreads), 128);
    R* d_partial = blocks == 1 ? d_result : work.get<R>(blocks);
    reduce_with_tree<Op><<<blocks, kThreads>>>(d_in, d_partial, n);
    CUDA_CHECK(cudaGetLastError());
    if (blocks > 1) reduce_with_tree<Op><<<1, kThreads>>>(d_partial, d_result, blocks);
    CUDA_CHECK(cudaGetLastError());
}

#define GRADED(OP, T, R) template void grid_stride<OP>(const T*, R*, int, Workspace&);
GRADED(Sum<long long>, int, long long)
GRADED(Max<int>, int, int)
GRADED(Min<int>, int, int)
GRADED(Sum<float>, float, float)
GRADED(Max<float>, float, float)
GRADED(Min<float>, float, float)
