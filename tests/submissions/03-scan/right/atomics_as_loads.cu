// Style: 2010: whatever blocks share is read by atomicAdd(x, 0) and written by atomicExch, ordered by __threadfence();
// inline PTX with release and acquire in the second kernel; a block keeps its items in dynamic shared memory.
#include "scan.h"

template <class Op, class T>
__host__ __device__ Headed<T> join_segments(Headed<T> a, Headed<T> b) {
    return {b.head ? b.value : Op()(a.value, b.value), a.head | b.head};
}

constexpr int kThreads = 128, kEach = 7, kItems = kThreads * kEach;

struct ByAtomics {
    static __device__ void raise(int* flag) {
        __threadfence();
        atomicExch(flag, 1);
    }
    static __device__ void wait(int* flag) {
        while (atomicAdd(flag, 0) == 0) {
        }
        __threadfence();
    }
};

struct ByPtx {
    static __device__ void raise(int* flag) {
        asm volatile("st.release.gpu.global.s32 [%0], 1;" ::"l"(__cvta_generic_to_global(flag)) : "memory");
    }
    static __device__ void wait(int* flag) {
        int value;
        do
            asm volatile("ld.acquire.gpu.global.s32 %0, [%1];"
                         : "=r"(value)
                         : "l"(__cvta_generic_to_global(flag))
                         : "memory");
        while (value == 0);
    }
};

// A block's prefix comes from the block before it, and goes to the next.
template <class How, Scan kind, class Op, class T>
__global__ void __launch_bounds__(kThreads) relay(const T* in, T* out, T* prefixes, int* flags, int* ticket, int n) {
    extern __shared__ __align__(16) unsigned char s_bytes[];
    T *s = reinterpret_cast<T*>(s_bytes), *s_sum = s + kItems;
    int* s_tile = reinterpret_cast<int*>(s_sum + kThreads + 1);
    int t = threadIdx.x;
    if (t == 0) *s_tile = atomicAdd(ticket, 1);
    __syncthreads();
    int tile = *s_tile, first = tile * kItems;
    for (int k = t; k < kItems; k += kThreads) s[k] = first + k < n ? in[first + k] : Op::identity();
    __syncthreads();
    T own = s[t * kEach];
    for (int k = 1; k < kEach; ++k) own = Op()(own, s[t * kEach + k]);
    s_sum[t + 1] = own;
    for (int step = 1; step < kThreads; step *= 2) {
        __syncthreads();
        T left = t >= step ? s_sum[t + 1 - step] : Op::identity();
        __syncthreads();
        s_sum[t + 1] = own = Op()(left, own);
    }
    if (t == kThreads - 1) {
        T before = Op::identity();
        if (tile > 0) {
            How::wait(&flags[tile - 1]);
            before = prefixes[tile - 1];
        }
        prefixes[tile] = Op()(before, own);
        How::raise(&flags[tile]);
        s_sum[0] = before;
    }
    __syncthreads();
    T sum = t == 0 ? s_sum[0] : Op()(s_sum[0], s_sum[t]);
    for (int k = 0; k < kEach; ++k) {
        T next = Op()(sum, s[t * kEach + k]);
        s[t * kEach + k] = kind == Scan::inclusive ? next : sum;
        sum = next;
    }
    __syncthreads();
    for (int k = t; k < kItems && first + k < n; k += kThreads) out[first + k] = s[k];
}

template <class How, Scan kind, class Op, class T>
void relayed(const T* d_in, T* d_out, int n, Workspace& work) {
    if (n == 0) return;
    int tiles = ceil_div(n, kItems), *d_flags = work.get<int>(tiles + 1);
    CUDA_CHECK(cudaMemsetAsync(d_flags, 0, (tiles + 1) * sizeof(int)));
    unsigned bytes = (kItems + kThreads + 1) * sizeof(T) + sizeof(int);
    relay<How, kind, Op><<<tiles, kThreads, bytes>>>(d_in, d_out, work.get<T>(tiles), d_flags, d_flags + tiles, n);
    CUDA_CHECK(cudaGetLastError());
}

template <Scan kind, class Op, class T>
void look_back(const T* d_in, T* d_out, int n, Workspace& work) {
    relayed<ByAtomics, kind, Op>(d_in, d_out, n, work);
}

template <Scan kind, class Op, class T>
void pipelined(const T* d_in, T* d_out, int n, Workspace& work) {
    relayed<ByPtx, kind, Op>(d_in, d_out, n, work);
}

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
