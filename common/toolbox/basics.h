// What every lab's .cu file may use. Include it through the lab's contract, such as scan.h.
// It includes neither <string> nor <stdexcept>: they would double the time that a lab takes to compile.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdio>
#include <exception>
#include <limits>
#include <source_location>
#include <type_traits>

// ---- Errors ----

// A CUDA call failed. The code tells "out of memory" from a crash.
class CudaError : public std::exception {
  public:
    CudaError(cudaError_t code, const char* call, const char* file, int line) : code(code) {
        std::snprintf(text_, sizeof text_, "%s:%d: %s: %s: %s", file, line, call, cudaGetErrorName(code),
                      cudaGetErrorString(code));
    }
    const char* what() const noexcept override { return text_; }

    cudaError_t code;

  private:
    char text_[1024];
};

// Throws CudaError if a runtime call failed, or if a kernel did: CUDA_CHECK(cudaGetLastError()).
#define CUDA_CHECK(call) cuda_check((call), #call, __FILE__, __LINE__)

inline void cuda_check(cudaError_t code, const char* call, const char* file, int line) {
    if (code != cudaSuccess) throw CudaError(code, call, file, line);
}

// Thrown by todo(): the task has not been started. This is not a failure; the verdict is SKIP.
struct NotStarted : std::exception {
    NotStarted(const char* number, std::source_location where) : number(number), where(where) {}
    const char* what() const noexcept override { return "not started"; }

    const char* number;  // of the TODO, a literal
    std::source_location where;
};

// Marks a task as not started, until you take the line out.
inline void todo(const char* number, std::source_location where = std::source_location::current()) {
    throw NotStarted(number, where);
}

// ---- Arithmetic ----

// a / b rounded up, for a >= 0 and b > 0: how many blocks of b cover a elements.
template <class T>
__host__ __device__ constexpr T ceil_div(T a, T b) {
    return a / b + (a % b != 0);
}

// The ends of a type's range, as constants: std::numeric_limits' functions are for the host only.
template <class T>
inline constexpr T kLeast = std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                                 : std::numeric_limits<T>::lowest();
template <class T>
inline constexpr T kGreatest = std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity()
                                                                    : std::numeric_limits<T>::max();

// Associative operators with an identity, for scans and reductions that take any operator.
template <class T>
struct Sum {
    using type = T;
    __host__ __device__ static constexpr T identity() { return T{0}; }
    // Integers wrap around, as the device's add does; in C++ only unsigned ones may.
    __host__ __device__ constexpr T operator()(T a, T b) const {
        if constexpr (std::is_integral_v<T>) {
            using Unsigned = std::make_unsigned_t<T>;
            return static_cast<T>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
        } else {
            return a + b;
        }
    }
};

template <class T>
struct Max {
    using type = T;
    __host__ __device__ static constexpr T identity() { return kLeast<T>; }
    __host__ __device__ constexpr T operator()(T a, T b) const { return a < b ? b : a; }
};

template <class T>
struct Min {
    using type = T;
    __host__ __device__ static constexpr T identity() { return kGreatest<T>; }
    __host__ __device__ constexpr T operator()(T a, T b) const { return b < a ? b : a; }
};

// ---- Temporary device memory ----

// Device memory that was allocated before the clock started. Each get() returns a new array, 256-byte aligned, full of
// garbage, and yours until the task returns. Call it once for memory that several launches share, and outside of
// loops: inside one, every iteration would get another array.
class Workspace {
  public:
    template <class T>
    T* get(std::size_t count) {
        return static_cast<T*>(get_bytes(count * sizeof(T)));
    }

  protected:
    virtual void* get_bytes(std::size_t bytes) = 0;
    ~Workspace() = default;
};
