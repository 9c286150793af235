// Style: single-pass scans that hand a tile's prefix to the next tile: flags and values in separate arrays, ordered by
// __threadfence() and volatile flags, or by cuda::atomic_ref with acquire and release. One thread looks back.
#include <cuda/atomic>

#include "scan.h"

template <class Op, class T>
__host__ __device__ Headed<T> join_segments(Headed<T> a, Headed<T> b) {
    Headed<T> joined;
    joined.value = b.head != 0 ? b.value : Op()(a.value, b.value);
    joined.head = a.head || b.head;
    return joined;
}

constexpr int kThreads = 256, kEach = 16, kItems = kThreads * kEach;

template <class T>
struct States {
    T *sums, *prefixes;
    int* flags;  // 0: nothing yet, 1: the sum, 2: the prefix
};

// Orders by fences and volatile accesses.
struct Fences {
    static __device__ void publish(int* flag, int state) {
        __threadfence();
        *static_cast<volatile int*>(flag) = state;
    }
    static __device__ int wait(int* flag) {
        int state;
        while ((state = *static_cast<volatile int*>(flag)) == 0) {
        }
        __threadfence();
        return state;
    }
};

// Orders by release and acquire.
struct Atomics {
    using Flag = cuda::atomic_ref<int, cuda::thread_scope_device>;
    static __device__ void publish(int* flag, int state) { Flag(*flag).store(state, cuda::std::memory_order_release); }
    static __device__ int wait(int* flag) {
        Flag ref(*flag);
        while (ref.load(cuda::std::memory_order_acquire) == 0) __nanosleep(20);
        return ref.load(cuda::std::memory_order_acquire);
    }
};

template <class Op, class How, class T>
__device__ T look_back_from(States<T> states, int tile) {
    T sum = Op::identity();
    for (int k = tile - 1; k >= 0; --k) {
        int state = How::wait(&states.flags[k]);
        sum = Op()(state == 2 ? states.prefixes[k] : states.sums[k], sum);
        if (state == 2) break;
    }
    return sum;
}

template <Scan kind, class Op, class How, class T>
__global__ void __launch_bounds__(kThreads)
    chained(const T* in, T* out, States<T> states, int* ticket, int n, int tiles) {
    __shared__ T s_run[kThreads];
    __shared__ T s_before;
    __shared__ int s_tile;
    extern __shared__ unsigned long long s_raw[];
    T* s_items = reinterpret_cast<T*>(s_raw);
    int t = threadIdx.x;
    while (true) {
        if (t == 0) s_tile = atomicAdd(ticket, 1);
        __syncthreads();
        int tile = s_tile;
        if (tile >= tiles) return;
        int first = tile * kItems;
        for (int k = t; k < kItems; k += kThreads)
            s_items[k + k / kEach] = first + k < n ? in[first + k] : Op::identity();
        __syncthreads();
        T own = s_items[t * (kEach + 1)];
        for (int k = 1; k < kEach; ++k) own = Op()(own, s_items[t * (kEach + 1) + k]);
        T sum = own;
        for (int distance = 1; distance < kThreads; distance *= 2) {
            s_run[t] = sum;
            __syncthreads();
            if (t >= distance) sum = Op()(s_run[t - distance], sum);
            __syncthreads();
        }
        s_run[t] = sum;
        __syncthreads();
        if (t == kThreads - 1) {
            states.sums[tile] = sum;
            if (tile > 0) How::publish(&states.flags[tile], 1);
            T before = look_back_from<Op, How>(states, tile);
            states.prefixes[tile] = Op()(before, sum);
            How::publish(&states.flags[tile], 2);
            s_before = before;
        }
        __syncthreads();
        T left = t == 0 ? s_before : Op()(s_before, s_run[t - 1]);
        for (int k = 0; k < kEach; ++k) {
            T& item = s_items[t * (kEach + 1) + k];
            T next = Op()(left, item);
            item = kind == Scan::inclusive ? next : left;
            left = next;
        }
        __syncthreads();
        for (int k = t; k < kItems; k += kThreads) {
            if (first + k < n) out[first + k] = s_items[k + k / kEach];
        }
        __syncthreads();
    }
}

template <Scan kind, class Op, class How, class T>
void scan_with(const T* d_in, T* d_out, int n, Workspace& work, int blocks) {
    if (n == 0) return;
    int tiles = ceil_div(n, kItems);
    States<T> states{work.get<T>(tiles), work.get<T>(tiles), work.get<int>(tiles + 1)};
    CUDA_CHECK(cudaMemsetAsync(states.flags, 0, (tiles + 1) * sizeof(int)));
    auto* kernel = chained<kind, Op, How, T>;
    int bytes = (kItems + kThreads) * sizeof(T);
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    int launched = min(blocks, tiles);
    kernel<<<launched, kThreads, bytes>>>(d_in, d_out, states, states.flags + tiles, n, tiles);
    CUDA_CHECK(cudaGetLastError());
}

template <Scan kind, class Op, class T>
void look_back(const T* d_in, T* d_out, int n, Workspace& work) {
    scan_with<kind, Op, Fences>(d_in, d_out, n, work, 1 << 20);
}

template <Scan kind, class Op, class T>
void pipelined(const T* d_in, T* d_out, int n, Workspace& work) {
    scan_with<kind, Op, Atomics>(d_in, d_out, n, work, 24);
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
