// Lab 11's last task, with zeros outside the image, against cuDNN without TF32. If cuDNN is missing, here or where this
// was compiled, the peer is a copy. Built and run by python -m bench.peers.
#include "convolution.h"

#include <dlfcn.h>

#include <cmath>
#include <memory>

#include "peers.h"

#if __has_include(<cudnn.h>)
#include <cudnn.h>
#endif

namespace {

struct Image {
    int side;
    peers::Array<float> pixels{std::size_t(side) * side};
};

#if __has_include(<cudnn.h>)

// Loaded while the program runs, so that it needs nothing to be linked.
void* cudnn_library() {
    static void* library = dlopen("libcudnn.so.9", RTLD_NOW);
    return library;
}

template <class... Parameters, class... Arguments>
void call_cudnn(cudnnStatus_t (*)(Parameters...), const char* name, Arguments... arguments) {
    auto* function = reinterpret_cast<cudnnStatus_t (*)(Parameters...)>(dlsym(cudnn_library(), name));
    if (function(arguments...) != CUDNN_STATUS_SUCCESS) throw std::runtime_error(std::string(name) + " failed");
}
#define CUDNN(name, ...) call_cudnn(static_cast<decltype(&name)>(nullptr), #name, __VA_ARGS__)

// The fastest algorithm that cuDNN finds for one image, one channel and one filter.
std::function<void()> cudnn_call(const Image& in, const Image& out, const float* d_filter, int radius) {
    static cudnnHandle_t cudnn = nullptr;
    if (cudnn == nullptr) CUDNN(cudnnCreate, &cudnn);
    int side = in.side, size = 2 * radius + 1, found = 0;
    cudnnTensorDescriptor_t image;
    cudnnFilterDescriptor_t filter;
    cudnnConvolutionDescriptor_t convolution;
    cudnnConvolutionFwdAlgoPerf_t best;
    CUDNN(cudnnCreateTensorDescriptor, &image);
    CUDNN(cudnnSetTensor4dDescriptor, image, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, 1, side, side);
    CUDNN(cudnnCreateFilterDescriptor, &filter);
    CUDNN(cudnnSetFilter4dDescriptor, filter, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 1, 1, size, size);
    CUDNN(cudnnCreateConvolutionDescriptor, &convolution);
    CUDNN(cudnnSetConvolution2dDescriptor, convolution, radius, radius, 1, 1, 1, 1, CUDNN_CONVOLUTION,
          CUDNN_DATA_FLOAT);
    CUDNN(cudnnSetConvolutionMathType, convolution, CUDNN_FMA_MATH);
    CUDNN(cudnnFindConvolutionForwardAlgorithm, cudnn, image, filter, convolution, image, 1, &found, &best);
    auto temporary = std::make_shared<peers::Array<char>>(best.memory);
    return [=, &in, &out] {
        float one = 1, zero = 0;
        CUDNN(cudnnConvolutionForward, cudnn, &one, image, in.pixels.data, filter, d_filter, convolution, best.algo,
              temporary->data, best.memory, &zero, image, out.pixels.data);
    };
}

#else

void* cudnn_library() { return nullptr; }
std::function<void()> cudnn_call(const Image&, const Image&, const float*, int) { return {}; }

#endif

std::function<void()> copy(const Image& from, const Image& to) {
    return [&] {
        std::size_t bytes = from.pixels.count * sizeof(float);
        CUDA_CHECK(cudaMemcpyAsync(to.pixels.data, from.pixels.data, bytes, cudaMemcpyDeviceToDevice));
    };
}

void measure(peers::Clock& clock, peers::Room& room, int side, int radius, int rounds) {
    Image in{side}, out{side}, peers_out{side}, expected{side};
    int size = 2 * radius + 1;
    peers::Array<float> filter(size * size);
    // Integers small enough for every sum to be exact, so that all tasks must give the same.
    peers::fill<<<1024, 256>>>(in.pixels.data, in.pixels.count);
    peers::fill<<<1, 256>>>(filter.data, filter.count);
    naive(in.pixels.data, expected.pixels.data, side, side, filter.data, radius, Border::zero, room);

    peers::Task task{"register_window", [&] {
                         room.clear();
                         register_window(in.pixels.data, out.pixels.data, side, side, filter.data, radius, Border::zero,
                                         room);
                     }};
    auto peer = cudnn_library() ? cudnn_call(in, peers_out, filter.data, radius) : copy(in, peers_out);
    std::string what = std::to_string(size) + "x" + std::to_string(size);
    peers::Problem problem{what, in.pixels.count, 2.0 * sizeof(float) * in.pixels.count, peer,
                           peers::equal(out.pixels, expected.pixels)};
    peers::compare(clock, problem, {task}, rounds);
}

}  // namespace

// Sizes are counted in pixels, and images are square: an odd size is left out.
int main(int count, char** arguments) {
    peers::Options options(count, arguments);
    peers::print_heading(cudnn_library() ? "cuDNN without TF32" : "a copy, because cuDNN is missing");
    peers::Clock clock;
    peers::Room room(std::size_t{1} << 20);
    for (int n : options.sizes) {
        int side = static_cast<int>(std::sqrt(n));
        for (int radius : {1, 2, 3, 4, 8}) measure(clock, room, side, radius, options.rounds);
    }
}
