// Style: modern host C++: RAII wrappers, unique_ptr with a deleter, vector, string streams, threads, exceptions.
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "square.h"

namespace gpu {

void check(cudaError_t error, const std::string& what) {
    if (error == cudaSuccess) return;
    std::ostringstream text;
    text << what << " failed: " << cudaGetErrorString(error);
    throw std::runtime_error(text.str());
}

struct Deleter {
    void operator()(void* pointer) const noexcept { cudaFree(pointer); }
};

template <class T>
using Array = std::unique_ptr<T[], Deleter>;

template <class T>
Array<T> make(std::size_t count) {
    void* pointer = nullptr;
    check(cudaMalloc(&pointer, count * sizeof(T)), "cudaMalloc");
    return Array<T>(static_cast<T*>(pointer));
}

class Stream {
  public:
    Stream() { check(cudaStreamCreateWithFlags(&handle_, cudaStreamNonBlocking), "cudaStreamCreate"); }
    ~Stream() { cudaStreamDestroy(handle_); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    operator cudaStream_t() const { return handle_; }
    void wait() const { check(cudaStreamSynchronize(handle_), "a stream's work"); }

  private:
    cudaStream_t handle_{};
};

}  // namespace gpu

__global__ void square(float* x, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] *= x[i];
}

void one_block(const float* h_in, float* h_out, int n) {
    auto d_x = gpu::make<float>(n);
    gpu::check(cudaMemcpy(d_x.get(), h_in, n * sizeof(float), cudaMemcpyHostToDevice), "copy to the device");
    square<<<1, 128>>>(d_x.get(), n);
    gpu::check(cudaGetLastError(), "square");
    gpu::check(cudaMemcpy(h_out, d_x.get(), n * sizeof(float), cudaMemcpyDeviceToHost), "copy from the device");
}

__global__ void square_range(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * in[i];
}

// A host thread for each quarter, each with a stream of its own; what goes wrong in a thread is thrown after the join.
void grid(const float* d_in, float* d_out, int n) {
    constexpr int kParts = 4;
    gpu::check(cudaDeviceSynchronize(), "earlier work");
    std::vector<std::thread> threads;
    std::vector<std::exception_ptr> errors(kParts);
    for (int part = 0; part < kParts; ++part) {
        threads.emplace_back([=, &errors] {
            try {
                int first = static_cast<int>(static_cast<long long>(n) * part / kParts);
                int count = static_cast<int>(static_cast<long long>(n) * (part + 1) / kParts) - first;
                if (count == 0) return;
                gpu::Stream stream;
                square_range<<<ceil_div(count, 256), 256, 0, stream>>>(d_in + first, d_out + first, count);
                gpu::check(cudaGetLastError(), "square_range");
                stream.wait();
            } catch (...) {
                errors[part] = std::current_exception();
            }
        });
    }
    for (auto& thread : threads) thread.join();
    for (auto& error : errors) {
        if (error) std::rethrow_exception(error);
    }
}
