// Pairs of programs: each mistake, and the same program without it. `races NAME bad` and `races NAME good` run them,
// `races all good` every one without a mistake. In the source, `// NAME: KIND` marks the line at which the virtual GPU
// reports the bad one, `// NAME: missed` one that it does not find.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <vector>

#define CHECK(call)                                                                 \
    do {                                                                            \
        const cudaError_t code = (call);                                            \
        if (code != cudaSuccess) {                                                  \
            std::printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorName(code)); \
            std::exit(1);                                                           \
        }                                                                           \
    } while (0)

// An array in device memory.
template <class T>
class Array {
  public:
    explicit Array(int n) : n_(n) { CHECK(cudaMalloc(&data_, sizeof(T) * n)); }
    Array(int n, T value) : Array(std::vector<T>(n, value)) {}
    explicit Array(const std::vector<T>& from) : Array(static_cast<int>(from.size())) {
        CHECK(cudaMemcpy(data_, from.data(), sizeof(T) * from.size(), cudaMemcpyHostToDevice));
    }
    ~Array() { cudaFree(data_); }
    Array(const Array&) = delete;
    Array& operator=(const Array&) = delete;
    operator T*() const { return data_; }

    // Copies the array to the host and prints its sum.
    void print() const {
        std::vector<T> host(n_);
        CHECK(cudaMemcpy(host.data(), data_, sizeof(T) * n_, cudaMemcpyDeviceToHost));
        double sum = 0;
        for (const T& one : host) sum += static_cast<double>(one);
        std::printf("%g\n", sum);
    }

  private:
    T* data_ = nullptr;
    int n_;
};

inline std::vector<int> numbers(int n) {
    std::vector<int> out(n);
    for (int i = 0; i < n; ++i) out[i] = (i * 7919 + 13) % 1009;
    return out;
}

struct Pair {
    const char* name;
    void (*bad)();
    void (*good)();
};
#define PAIR(name) \
    Pair { #name, name < false>, name < true> }

inline int run(std::initializer_list<Pair> pairs, int argc, char** argv) {
    for (const Pair& pair : pairs) {
        if (argc < 3) std::printf("%s\n", pair.name);
        const bool all_good = argc > 2 && std::strcmp(argv[1], "all") == 0;
        if (all_good) pair.good();
        if (all_good || argc < 3 || std::strcmp(argv[1], pair.name) != 0) continue;
        (std::strcmp(argv[2], "good") == 0 ? pair.good : pair.bad)();
        return 0;
    }
    return argc < 3 || std::strcmp(argv[1], "all") == 0 ? 0 : 2;
}
