// Style: the solution's rounds, in the host style of a large program: a class that owns its arrays, a pinned flag read
// back by an asynchronous copy and an event, lambdas instead of kernels, <sstream> for what went wrong.
#include <memory>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "quicksort.h"

template <class Body>
__global__ void each(int n, Body body) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) body(i);
}

__device__ int choose(const int* keys, int first, int count) {
    auto at = [&](unsigned k) {
        return keys[first + __umulhi((first * 2u + count) * 0x9e3779b9u + k * 0x6c078965u, count)];
    };
    int a = at(1), b = at(2), c = at(3);
    return max(min(a, b), min(max(a, b), c));
}

constexpr int kTile = 2048;

__global__ void __launch_bounds__(512) sort_tiles(const int* from, int* to, int n, int start) {
    __shared__ int s[kTile];
    int first = start + blockIdx.x * kTile, count = min(kTile, n - first);
    for (int i = threadIdx.x; i < count; i += 512) s[i] = from[first + i];
    for (int size = 2; size <= kTile && size < 2 * count; size *= 2) {
        for (int distance = size / 2; distance > 0; distance /= 2) {
            __syncthreads();
            for (int pair = threadIdx.x; pair < kTile / 2; pair += 512) {
                int low = 2 * pair - (pair & (distance - 1));
                int high = 2 * distance == size ? low ^ (size - 1) : low + distance;
                if (high >= count || s[low] <= s[high]) continue;
                int key = s[low];
                s[low] = s[high];
                s[high] = key;
            }
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < count; i += 512) to[first + i] = s[i];
}

class Rounds {
  public:
    Rounds(int n, Workspace& work) : n_(n), work_(work) {
        for (int** array : {&first_, &next_, &pivots_, &heads_, &less_, &equal_, &less_of_, &equal_of_})
            *array = work.get<int>(n);
        more_ = work.get<int>(1);
        check(cudaMallocHost(&pinned_, sizeof(int)), "pinned memory");
        check(cudaEventCreateWithFlags(&copied_, cudaEventDisableTiming), "an event");
        check(cudaMemsetAsync(first_, 0, n * sizeof(int)), "the first segment");
    }
    Rounds(const Rounds&) = delete;
    ~Rounds() {
        cudaEventDestroy(copied_);
        cudaFreeHost(pinned_);
    }

    // Returns whether a side is still too long.
    bool partition(const int* from, int* to) {
        int *first = first_, *next = next_, *pivots = pivots_, *heads = heads_, *less = less_, *equal = equal_,
            *less_of = less_of_, *equal_of = equal_of_, *more = more_, n = n_;
        run([=] __device__(int i) {
            if (i + 1 == n || first[i + 1] != first[i]) pivots[first[i]] = choose(from, first[i], i + 1 - first[i]);
        });
        run([=] __device__(int i) {
            int pivot = pivots[first[i]];
            heads[i] = first[i] == i;
            less[i] = from[i] < pivot;
            equal[i] = from[i] == pivot;
        });
        primitives::segmented_inclusive_sum(less, heads, less, n, work_);
        primitives::segmented_inclusive_sum(equal, heads, equal, n, work_);
        check(cudaMemsetAsync(more, 0, sizeof(int)), "memset");
        run([=] __device__(int i) {
            if (i + 1 < n && first[i + 1] == first[i]) return;
            less_of[first[i]] = less[i];
            equal_of[first[i]] = equal[i];
            if (max(less[i], i + 1 - first[i] - less[i] - equal[i]) > kTile / 2) atomicExch(more, 1);
        });
        run([=] __device__(int i) {
            int begin = first[i], key = from[i], pivot = pivots[begin];
            int middle = begin + less_of[begin], end = middle + equal_of[begin];
            int part = key < pivot ? begin : key == pivot ? middle : end;
            int rank = key < pivot ? less[i] - 1 : key == pivot ? equal[i] - 1 : i - begin - less[i] - equal[i];
            to[part + rank] = key;
            next[part + rank] = part;
        });
        std::swap(first_, next_);
        check(cudaMemcpyAsync(pinned_, more, sizeof(int), cudaMemcpyDeviceToHost), "copy");
        check(cudaEventRecord(copied_), "record");
        check(cudaEventSynchronize(copied_), "wait");
        return *pinned_ != 0;
    }

    static void check(cudaError_t error, const char* what) {
        if (error == cudaSuccess) return;
        std::ostringstream text;
        text << "rounds: " << what << ": " << cudaGetErrorName(error);
        throw std::runtime_error(text.str());
    }

  private:
    template <class Body>
    void run(Body body) const {
        each<<<ceil_div(n_, 512), 512>>>(n_, body);
        check(cudaGetLastError(), "launch");
    }

    int n_;
    Workspace& work_;
    int *first_, *next_, *pivots_, *heads_, *less_, *equal_, *less_of_, *equal_of_, *more_, *pinned_ = nullptr;
    cudaEvent_t copied_{};
};

void segmented_scan(const int* d_in, int* d_out, int n, Workspace& work) {
    if (n == 0) return;
    const int* from = d_in;
    if (n > kTile) {
        auto rounds = std::make_unique<Rounds>(n, work);
        int *to = work.get<int>(n), *other = d_out;
        bool more = true;
        while (more) {
            more = rounds->partition(from, to);
            from = to;
            std::swap(to, other);
        }
    }
    sort_tiles<<<ceil_div(n, kTile), 512>>>(from, d_out, n, 0);
    CUDA_CHECK(cudaGetLastError());
    if (n > kTile) sort_tiles<<<ceil_div(n - kTile / 2, kTile), 512>>>(d_out, d_out, n, kTile / 2);
    CUDA_CHECK(cudaGetLastError());
}
