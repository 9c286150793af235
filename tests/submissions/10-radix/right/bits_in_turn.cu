// Style: a class that owns streams and buffers, exceptions for errors, std::vector and std::unique_ptr on the host, two
// halves of a pass in two streams joined by events, lambdas as kernels.
#include <memory>
#include <vector>

#include "radix.h"

struct DestroyStream {
    void operator()(cudaStream_t stream) const { cudaStreamDestroy(stream); }
};
struct DestroyEvent {
    void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
};
using Stream = std::unique_ptr<CUstream_st, DestroyStream>;
using Event = std::unique_ptr<CUevent_st, DestroyEvent>;

Stream new_stream() {
    cudaStream_t stream;
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return Stream(stream);
}

Event new_event() {
    cudaEvent_t event;
    CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    return Event(event);
}

template <class Body>
__global__ void at_each(int first, int end, Body body) {
    int i = first + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < end) body(i);
}

class Splitter {
  public:
    Splitter(int n, Workspace& work) : n_(n), work_(work), before_(work.get<int>(n + 1)) {
        for (int k = 0; k < 2; ++k) streams_.push_back(new_stream());
    }
    void split(const unsigned* from, unsigned* to, int bit) {
        int* before = before_;
        int n = n_;
        in_halves([=] __device__(int i) { before[i] = (from[i] >> bit & 1u) ^ 1u; });
        primitives::exclusive_sum(before, before, n, work_);
        in_halves([=] __device__(int i) {
            bool zero = before[i] != before[i + 1];
            to[zero ? before[i] : before[n] + (i - before[i])] = from[i];
        });
    }

  private:
    template <class Body>
    void in_halves(Body body) {
        CUDA_CHECK(cudaEventRecord(begun_.get(), cudaStreamLegacy));
        int middle = n_ / 2;
        for (int k = 0; k < 2; ++k) {
            cudaStream_t stream = streams_[k].get();
            int first = k == 0 ? 0 : middle, end = k == 0 ? middle : n_;
            if (first == end) continue;
            CUDA_CHECK(cudaStreamWaitEvent(stream, begun_.get(), 0));
            at_each<<<ceil_div(end - first, 256), 256, 0, stream>>>(first, end, body);
            CUDA_CHECK(cudaGetLastError());
            CUDA_CHECK(cudaEventRecord(done_.get(), stream));
            CUDA_CHECK(cudaStreamWaitEvent(cudaStreamLegacy, done_.get(), 0));
        }
    }

    int n_;
    Workspace& work_;
    int* before_;
    std::vector<Stream> streams_;
    Event begun_ = new_event(), done_ = new_event();
};

void split_one_bit(const unsigned* d_in, unsigned* d_out, int n, Bits bits, Workspace& work) {
    if (n == 0) return;
    Splitter splitter(n, work);
    unsigned* buffers[2] = {d_out, work.get<unsigned>(n)};
    const unsigned* from = d_in;
    for (int bit = bits.begin; bit < bits.end; ++bit) {
        unsigned* to = buffers[(bits.end - 1 - bit) % 2];
        splitter.split(from, to, bit);
        from = to;
    }
}
