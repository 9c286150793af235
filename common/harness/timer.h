// Device time between two points, by CUDA events.
#pragma once

#include "toolbox/basics.h"

namespace lab {

class Timer {
  public:
    Timer() {
        CUDA_CHECK(cudaEventCreate(&begin_));
        CUDA_CHECK(cudaEventCreate(&end_));
    }
    ~Timer() {
        cudaEventDestroy(begin_);
        cudaEventDestroy(end_);
    }
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

    void start() { CUDA_CHECK(cudaEventRecord(begin_)); }
    // After all work has ended.
    double stop() {
        CUDA_CHECK(cudaEventRecord(end_));
        CUDA_CHECK(cudaEventSynchronize(end_));
        float milliseconds = 0;
        CUDA_CHECK(cudaEventElapsedTime(&milliseconds, begin_, end_));
        return static_cast<double>(milliseconds) * 1e-3;
    }

  private:
    cudaEvent_t begin_{}, end_{};
};

}  // namespace lab
