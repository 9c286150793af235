// Style: struct of arrays, a class on host and device, two streams joined by events, bit fields, __ldg, templates.
#include <vector>

#include "allocate.h"

// Six arrays instead of an array of triangles with two points each.
struct Slots {
    float* coordinate[6];
    int* counts;
    __device__ void put(int at, const Triangle& t) const {
        const float* c = &t.corner[0].x;
#pragma unroll
        for (int k = 0; k < 6; ++k) coordinate[k][at] = c[k];
    }
    __device__ Triangle get(int at) const {
        Triangle t;
        float* c = &t.corner[0].x;
#pragma unroll
        for (int k = 0; k < 6; ++k) c[k] = coordinate[k][at];
        return t;
    }
};

__global__ void fill(const Triangle* in, Slots slots, int n, Window window) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Polygon polygon;
    int count = clip(in[i], window, polygon);
    slots.counts[i] = count;
    for (int k = 0; k < count; ++k) slots.put(k * n + i, fan(polygon, k));
}

__global__ void gather(Slots slots, const int* offsets, Triangle* out, int* total, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0) *total = offsets[n];
    if (i >= n) return;
    for (int k = 0; k < slots.counts[i]; ++k) out[offsets[i] + k] = slots.get(k * n + i);
}

void max_slots(const Triangle* d_in, Triangle* d_out, int* d_count, int n, Window window, Workspace& work) {
    if (n == 0) {
        CUDA_CHECK(cudaMemsetAsync(d_count, 0, sizeof *d_count));
        return;
    }
    Slots slots;
    for (auto& array : slots.coordinate) array = work.get<float>(static_cast<std::size_t>(n) * kMostTriangles);
    slots.counts = work.get<int>(n);
    int* d_offsets = work.get<int>(n + 1);
    fill<<<ceil_div(n, 192), 192>>>(d_in, slots, n, window);
    CUDA_CHECK(cudaGetLastError());
    primitives::exclusive_sum(slots.counts, d_offsets, n, work);
    gather<<<ceil_div(n, 192), 192>>>(slots, d_offsets, d_out, d_count, n);
    CUDA_CHECK(cudaGetLastError());
}

template <bool write>
__global__ void visit(const Triangle* in, int* counts, const int* offsets, Triangle* out, int n, Window window) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        Polygon polygon;
        const int count = clip(in[i], window, polygon);
        if constexpr (write) {
            for (int k = 0, at = offsets[i]; k < count; ++k, ++at) out[at] = fan(polygon, k);
        } else {
            counts[i] = count;
        }
    }
}

// The halves are counted and written in two streams; only the sum is in the default one.
class TwoStreams {
  public:
    TwoStreams() : streams_(2), events_(2) {
        for (auto& stream : streams_) CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        for (auto& event : events_) CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    }
    TwoStreams(const TwoStreams&) = delete;
    ~TwoStreams() {
        for (auto event : events_) cudaEventDestroy(event);
        for (auto stream : streams_) cudaStreamDestroy(stream);
    }
    template <class Launch>
    void both(Launch launch) {
        CUDA_CHECK(cudaEventRecord(events_[0], cudaStreamLegacy));
        for (auto stream : streams_) CUDA_CHECK(cudaStreamWaitEvent(stream, events_[0]));
        for (int k = 0; k < 2; ++k) {
            launch(k, streams_[k]);
            CUDA_CHECK(cudaGetLastError());
        }
        for (int k = 0; k < 2; ++k) {
            CUDA_CHECK(cudaEventRecord(events_[k], streams_[k]));
            CUDA_CHECK(cudaStreamWaitEvent(cudaStreamLegacy, events_[k]));
        }
    }

  private:
    std::vector<cudaStream_t> streams_;
    std::vector<cudaEvent_t> events_;
};

void count_scan_scatter(const Triangle* d_in, Triangle* d_out, int* d_count, int n, Window window, Workspace& work) {
    int* d_offsets = work.get<int>(n + 1);
    int first[3] = {0, n / 2, n};
    TwoStreams streams;
    auto blocks = [](int count) { return count > 0 ? ceil_div(count, 256) : 1; };
    streams.both([&](int k, cudaStream_t stream) {
        int count = first[k + 1] - first[k];
        visit<false>
            <<<blocks(count), 256, 0, stream>>>(d_in + first[k], d_offsets + first[k], nullptr, nullptr, count, window);
    });
    primitives::exclusive_sum(d_offsets, d_offsets, n, work);
    CUDA_CHECK(cudaMemcpyAsync(d_count, d_offsets + n, sizeof(int), cudaMemcpyDeviceToDevice, cudaStreamLegacy));
    streams.both([&](int k, cudaStream_t stream) {
        int count = first[k + 1] - first[k];
        visit<true>
            <<<blocks(count), 256, 0, stream>>>(d_in + first[k], nullptr, d_offsets + first[k], d_out, count, window);
    });
}
