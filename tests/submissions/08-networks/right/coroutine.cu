// Style: the steps of the network come from a coroutine on the host, co_yield for each launch; structured bindings;
// a small generator class; tiles are sorted by the same kernel, step by step, over views of shared or global memory.
#include <coroutine>
#include <exception>

#include "networks.h"

constexpr unsigned kThreads = 512, kPiece = 2 * kThreads;

struct Step {
    unsigned size, apart;
};

class Steps {
  public:
    struct promise_type {
        Step step;
        Steps get_return_object() { return Steps(std::coroutine_handle<promise_type>::from_promise(*this)); }
        std::suspend_always initial_suspend() { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        std::suspend_always yield_value(Step next) {
            step = next;
            return {};
        }
        void return_void() {}
        void unhandled_exception() { std::terminate(); }
    };
    explicit Steps(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
    Steps(const Steps&) = delete;
    ~Steps() { handle_.destroy(); }
    bool next() { return handle_.resume(), !handle_.done(); }
    Step step() const { return handle_.promise().step; }

  private:
    std::coroutine_handle<promise_type> handle_;
};

// The steps for n places; apart == 0 stands for all steps that stay within a piece.
Steps steps_of(unsigned n) {
    co_yield {kPiece, 0};
    for (unsigned size = 2 * kPiece; size / 2 < n; size *= 2) {
        for (unsigned apart = size / 2; apart >= kPiece; apart /= 2) co_yield {size, apart};
        co_yield {size, 0};
    }
}

template <class Order, class View>
__device__ void exchange(View x, unsigned n, unsigned pair, Step step) {
    unsigned low = 2 * (pair - pair % step.apart) + pair % step.apart;
    unsigned high = 2 * step.apart == step.size ? low ^ (step.size - 1) : low + step.apart;
    if (high >= n || !Order().before(x[high], x[low])) return;
    auto later = x[low];
    x[low] = x[high];
    x[high] = later;
}

template <class Order, class T>
__global__ void far(T* x, unsigned n, Step step) {
    exchange<Order>(x, n, blockIdx.x * kThreads + threadIdx.x, step);
}

template <class Order, class T>
__global__ void near(const T* from, T* to, unsigned n, unsigned size) {
    __shared__ T s[kPiece];
    unsigned first = blockIdx.x * kPiece, count = min(kPiece, n - first);
    for (unsigned k = threadIdx.x; k < count; k += kThreads) s[k] = from[first + k];
    unsigned begin = size == kPiece ? 2 : size;
    for (unsigned each = begin; each <= size; each *= 2) {
        for (unsigned apart = min(each, kPiece) / 2; apart > 0; apart /= 2) {
            __syncthreads();
            exchange<Order>(s, count, threadIdx.x, {each, apart});
        }
    }
    __syncthreads();
    for (unsigned k = threadIdx.x; k < count; k += kThreads) to[first + k] = s[k];
}

template <class Order, class T>
void bitonic_global(const T* d_in, T* d_out, int n, Workspace&) {
    if (n == 0) return;
    unsigned pieces = ceil_div(static_cast<unsigned>(n), kPiece);
    const T* from = d_in;
    for (Steps steps = steps_of(n); steps.next(); from = d_out) {
        auto [size, apart] = steps.step();
        if (apart == 0)
            near<Order><<<pieces, kThreads>>>(from, d_out, n, size);
        else
            far<Order><<<ceil_div(pieces, 2 * apart / kPiece) * (2 * apart / kPiece), kThreads>>>(d_out, n,
                                                                                                  Step{size, apart});
        CUDA_CHECK(cudaGetLastError());
    }
}

template void bitonic_global<Ascending<int>>(const int*, int*, int, Workspace&);
template void bitonic_global<Descending<int>>(const int*, int*, int, Workspace&);
template void bitonic_global<Ascending<float>>(const float*, float*, int, Workspace&);
template void bitonic_global<ByKey>(const Pair*, Pair*, int, Workspace&);
