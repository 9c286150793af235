// Times a task against the library call that a professional would use instead, in one process. Calls alternate, the L2
// cache is overwritten before each of them, and the median of the pairwise ratios counts. GPU only.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "toolbox/basics.h"

namespace peers {

inline double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
    return values[values.size() / 2];
}

// An array in device memory.
template <class T>
struct Array {
    explicit Array(std::size_t count) : count(count) { CUDA_CHECK(cudaMalloc(&data, count * sizeof(T))); }
    Array(const Array&) = delete;
    Array& operator=(const Array&) = delete;
    ~Array() { cudaFree(data); }
    T* data = nullptr;
    std::size_t count;
};

// Temporary memory, handed out anew after each clear().
class Room : public Workspace {
  public:
    explicit Room(std::size_t bytes) : memory_(bytes) {}
    void clear() { used_ = 0; }

  protected:
    void* get_bytes(std::size_t bytes) override {
        char* begin = memory_.data + used_;
        used_ += ceil_div(bytes, std::size_t{256}) * 256;
        if (used_ > memory_.count) throw std::runtime_error("the room for temporary memory is too small");
        return begin;
    }

  private:
    Array<char> memory_;
    std::size_t used_ = 0;
};

// Values without a pattern, small enough for any sum of 2^28 of them to fit an int64.
template <class T>
__global__ void fill(T* d_out, std::size_t n) {
    std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n; i += stride) {
        unsigned x = static_cast<unsigned>(i) * 2654435761u;
        x = (x ^ x >> 15) * 2246822519u;
        x ^= x >> 13;
        d_out[i] = static_cast<T>(static_cast<int>(x % 201) - 100);
    }
}

// Keys and values of 32 bits, all of them without a pattern, and different for each seed.
template <class T>
__global__ void fill_words(T* d_out, std::size_t n, unsigned long long seed) {
    std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n; i += stride) {
        unsigned long long x = (i + 1) * 0x9e3779b97f4a7c15 + seed;
        x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
        x = (x ^ x >> 27) * 0x94d049bb133111eb;
        d_out[i] = static_cast<T>(static_cast<unsigned>(x >> 31));
    }
}

template <class T>
__global__ void count_differences(const T* d_a, const T* d_b, std::size_t n, unsigned long long* d_count) {
    std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n; i += stride) {
        if (d_a[i] != d_b[i]) atomicAdd(d_count, 1ull);
    }
}

// How the outputs of a task and of its peer are compared: `spoil` overwrites the task's before its call, and
// `differences` counts afterwards the elements that are not the peer's.
struct Check {
    std::function<void()> spoil;
    std::function<unsigned long long()> differences;
};

// The same elements in both arrays. They must outlive the check.
template <class T>
Check equal(const Array<T>& out, const Array<T>& expected) {
    auto spoil = [&] { CUDA_CHECK(cudaMemset(out.data, 0xcd, out.count * sizeof(T))); };
    auto differences = [&] {
        Array<unsigned long long> d_count(1);
        unsigned long long count = 0;
        CUDA_CHECK(cudaMemset(d_count.data, 0, sizeof count));
        count_differences<<<1024, 256>>>(out.data, expected.data, out.count, d_count.data);
        CUDA_CHECK(cudaGetLastError());
        CUDA_CHECK(cudaMemcpy(&count, d_count.data, sizeof count, cudaMemcpyDeviceToHost));
        return count;
    };
    return {spoil, differences};
}

// Both of two checks. What they compare must outlive this one.
inline Check both(const Check& one, const Check& other) {
    return {[=] {
                one.spoil();
                other.spoil();
            },
            [=] { return one.differences() + other.differences(); }};
}

// Seconds on the device, with another array's bytes in the cache. Launches queue up behind the overwriting, so that
// what the host needs for a launch is not in the time.
class Clock {
  public:
    Clock() {
        CUDA_CHECK(cudaEventCreate(&begin_));
        CUDA_CHECK(cudaEventCreate(&end_));
    }
    double seconds(const std::function<void()>& call) {
        CUDA_CHECK(cudaMemsetAsync(other_.data, 1, other_.count));
        CUDA_CHECK(cudaEventRecord(begin_));
        call();
        CUDA_CHECK(cudaEventRecord(end_));
        CUDA_CHECK(cudaEventSynchronize(end_));
        float milliseconds = 0;
        CUDA_CHECK(cudaEventElapsedTime(&milliseconds, begin_, end_));
        return milliseconds * 1e-3;
    }
    double median_seconds(const std::function<void()>& call, int rounds) {
        std::vector<double> times;
        for (int k = 0; k < rounds; ++k) times.push_back(seconds(call));
        return median(times);
    }

  private:
    Array<char> other_{std::size_t{192} << 20};  // larger than any L2 cache
    cudaEvent_t begin_{}, end_{};
};

struct Task {
    std::string name;
    std::function<void()> call;
};

// One problem: n items, of which the solution must read and write `bytes` at least.
struct Problem {
    std::string what;
    std::size_t n;
    double bytes;
    std::function<void()> peer;
    Check check;
};

// Prints a line of CSV for each task: name, what, n, bytes, seconds, the peer's seconds, those of a copy of as many
// bytes, median ratio (peer's time to the task's), elements that differ.
inline void compare(Clock& clock, const Problem& problem, const std::vector<Task>& tasks, int rounds) {
    double copy = 0;
    if (rounds > 0) {
        auto half = static_cast<std::size_t>(problem.bytes / 2);
        Array<char> from(half), to(half);
        CUDA_CHECK(cudaMemset(from.data, 1, half));
        auto call = [&] { CUDA_CHECK(cudaMemcpyAsync(to.data, from.data, half, cudaMemcpyDeviceToDevice)); };
        copy = clock.median_seconds(call, rounds);
    }
    for (const Task& task : tasks) {
        problem.check.spoil();
        clock.seconds(problem.peer);
        clock.seconds(task.call);
        unsigned long long wrong = problem.check.differences();
        if (rounds == 0 && wrong == 0) continue;
        std::vector<double> ours, theirs, ratios;
        for (int k = 0; k < rounds; ++k) {
            theirs.push_back(clock.seconds(problem.peer));
            ours.push_back(clock.seconds(task.call));
            ratios.push_back(theirs.back() / ours.back());
        }
        if (rounds == 0) ours = theirs = ratios = {0};
        std::printf("%s,%s,%zu,%.0f,%.9f,%.9f,%.9f,%.4f,%llu\n", task.name.c_str(), problem.what.c_str(), problem.n,
                    problem.bytes, median(ours), median(theirs), copy, median(ratios), wrong);
        std::fflush(stdout);
    }
}

// What a program of this folder is told: PROGRAM SIZES ROUNDS. SIZES is "20,24,26", powers of two, or "1000 below 22":
// so many random sizes below 2^22. With 0 rounds nothing is timed, and only what is wrong is printed.
struct Options {
    std::vector<int> sizes;
    int rounds;

    Options(int count, char** arguments) : rounds(count > 2 ? std::stoi(arguments[2]) : 15) {
        std::stringstream list(count > 1 ? arguments[1] : "16,20,24,26,28");
        int many = 0, log_most = 0;
        std::string word;
        if (list.str().find("below") != std::string::npos) {
            list >> many >> word >> log_most;
            std::mt19937_64 random(std::random_device{}());
            // As many between 2^10 and 2^11 as between 2^20 and 2^21.
            std::uniform_real_distribution<double> logarithm(0, log_most);
            while (many-- > 0) sizes.push_back(static_cast<int>(std::exp2(logarithm(random))));
        } else {
            for (; std::getline(list, word, ',');) sizes.push_back(1 << std::stoi(word));
        }
    }
};

// The first line that a program prints: the device, and the library that it is compared with.
inline void print_heading(const std::string& library) {
    cudaDeviceProp device{};
    CUDA_CHECK(cudaGetDeviceProperties(&device, 0));
    std::printf("# %s, %s\n", device.name, library.c_str());
}

}  // namespace peers
