// Style: streams, events and numbers kept in static objects from call to call; thread_local and call_once.
#include <algorithm>
#include <mutex>

#include "square.h"

class Stream {
  public:
    Stream() { CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
    ~Stream() { cudaStreamDestroy(stream_); }
    cudaStream_t get() const { return stream_; }

  private:
    cudaStream_t stream_;
};

struct Event {
    cudaEvent_t event;
    Event() { CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming)); }
    ~Event() { cudaEventDestroy(event); }
};

Stream& stream() {
    static Stream the_stream;
    return the_stream;
}

std::once_flag once;
int blocks_of_device = 0;

__global__ void square(const float* in, float* out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = in[i] * in[i];
}

void grid_stride(const float* d_in, float* d_out, int n) {
    static thread_local Event before, after;
    std::call_once(once, [] {
        int sms = 0;
        CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
        blocks_of_device = 8 * sms;
    });
    CUDA_CHECK(cudaEventRecord(before.event, cudaStreamLegacy));
    CUDA_CHECK(cudaStreamWaitEvent(stream().get(), before.event, 0));
    square<<<std::max(1, std::min(blocks_of_device, ceil_div(n, 256))), 256, 0, stream().get()>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaEventRecord(after.event, stream().get()));
    CUDA_CHECK(cudaStreamWaitEvent(cudaStreamLegacy, after.event, 0));
}
