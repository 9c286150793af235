// For rung 5: work on pieces of an array, one after the other, each of them in the L2 cache.
#pragma once

#include <bit>

#include "networks.h"

// Two streams beside the default one: while the last blocks of a launch run in one, the other has work.
class TwoStreams {
  public:
    TwoStreams() {
        for (int i = 0; i < 2; ++i) {
            CUDA_CHECK(cudaStreamCreateWithFlags(&stream_[i], cudaStreamNonBlocking));
            CUDA_CHECK(cudaEventCreateWithFlags(&there_[i], cudaEventDisableTiming));
        }
    }
    // Both streams wait for what was launched before.
    void fork() const {
        CUDA_CHECK(cudaEventRecord(there_[0]));
        for (cudaStream_t stream : stream_) CUDA_CHECK(cudaStreamWaitEvent(stream, there_[0]));
    }
    // What is launched afterwards waits for both.
    void join() const {
        for (int i = 0; i < 2; ++i) {
            CUDA_CHECK(cudaEventRecord(there_[i], stream_[i]));
            CUDA_CHECK(cudaStreamWaitEvent(nullptr, there_[i]));
        }
    }
    cudaStream_t of(int piece) const { return stream_[piece % 2]; }

  private:
    cudaStream_t stream_[2];
    cudaEvent_t there_[2];
};

// A power of two. Two pieces fit into L2, and leave room for what is read besides.
inline int elements_of_piece(std::size_t bytes_of_one) {
    int l2_bytes = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, 0));
    return static_cast<int>(std::bit_floor(static_cast<unsigned>(l2_bytes) / 3 / static_cast<unsigned>(bytes_of_one)));
}

// Calls work(begin, end, stream) for each piece of the n elements, to launch all that is to be done with it.
template <class Work>
void in_pieces(int n, int piece, Work work) {
    if (n <= piece) return work(0, n, nullptr);
    static const TwoStreams streams;
    streams.fork();
    for (int k = 0; k < ceil_div(n, piece); ++k) work(k * piece, k * piece + min(piece, n - k * piece), streams.of(k));
    streams.join();
}
