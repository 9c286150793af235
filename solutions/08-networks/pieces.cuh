// For the record of task 5: work on pieces of an array, one after the other, each of them in the L2 cache.
#pragma once

#include <bit>

#include "networks.h"

// Two streams beside the default one: while the last blocks of a launch run in one, the other has work.
class TwoStreams {
  public:
    TwoStreams() {
        for (int i = 0; i < 2; ++i) {
            CUDA_CHECK(cudaStreamCreateWithFlags(&stream_[i], cudaStreamNonBlocking));
            CUDA_CHECK(cudaEventCreateWithFlags(&reached_[i], cudaEventDisableTiming));
        }
    }
    // Both streams wait for what was launched before.
    void fork() const {
        CUDA_CHECK(cudaEventRecord(reached_[0]));
        for (cudaStream_t stream : stream_) CUDA_CHECK(cudaStreamWaitEvent(stream, reached_[0]));
    }
    // What is launched afterwards waits for both.
    void join() const {
        for (int i = 0; i < 2; ++i) {
            CUDA_CHECK(cudaEventRecord(reached_[i], stream_[i]));
            CUDA_CHECK(cudaStreamWaitEvent(nullptr, reached_[i]));
        }
    }
    cudaStream_t of(int piece) const { return stream_[piece % 2]; }

  private:
    cudaStream_t stream_[2];
    cudaEvent_t reached_[2];
};

// A power of two. Two pieces fit into L2, and leave room for what is read besides.
inline int elements_of_piece(std::size_t bytes_of_one) {
    int device = 0, l2_bytes = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, device));
    return static_cast<int>(std::bit_floor(static_cast<unsigned>(l2_bytes) / 3 / static_cast<unsigned>(bytes_of_one)));
}

inline const TwoStreams& two_streams() {
    static const TwoStreams streams;
    return streams;
}

// Calls launch(begin, end, stream) for each piece of the n elements, to launch all that is to be done with it.
template <class Launch>
void in_pieces(int n, int piece, Launch launch) {
    if (n <= piece) return launch(0, n, nullptr);
    const TwoStreams& streams = two_streams();
    streams.fork();
    for (int k = 0; k < ceil_div(n, piece); ++k)
        launch(k * piece, k * piece + min(piece, n - k * piece), streams.of(k));
    streams.join();
}
