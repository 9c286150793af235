// Shared by tasks 2 and 3: work beside that of the default stream.
#pragma once

#include "toolbox/basics.h"

// A stream that overlaps with the default one.
class SideStream {
  public:
    SideStream() {
        CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        CUDA_CHECK(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming));
    }
    ~SideStream() {  // CUDA still finishes the work that is on the stream
        cudaEventDestroy(event_);
        cudaStreamDestroy(stream_);
    }
    SideStream(const SideStream&) = delete;
    SideStream& operator=(const SideStream&) = delete;

    cudaStream_t get() const { return stream_; }
    // Later work on the side stream waits for all earlier work on the default stream.
    void fork() const { hand_over(cudaStreamLegacy, stream_); }
    // Later work on the default stream waits for all earlier work on the side stream.
    void join() const { hand_over(stream_, cudaStreamLegacy); }

  private:
    void hand_over(cudaStream_t from, cudaStream_t to) const {
        CUDA_CHECK(cudaEventRecord(event_, from));
        CUDA_CHECK(cudaStreamWaitEvent(to, event_));
    }
    cudaStream_t stream_;
    cudaEvent_t event_;
};
