// What the trusted side of a lab is made of: tasks as data, inputs from a seed, expected outputs.
// Host C++ only, no CUDA: the same sources go into the runner and into the grader's liboracles.so.
// NAME_cases.cc defines the lab (`lab::Lab scan_lab()`), all but `expect`; NAME_oracle.cc defines `expect`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace lab {  // not `labs`: <cstdlib> declares a function of that name

enum class DType : std::uint8_t { u8, i32, u32, i64, u64, f32, f64 };

template <class T>
constexpr DType dtype_of();
template <>
constexpr DType dtype_of<std::uint8_t>() {
    return DType::u8;
}
template <>
constexpr DType dtype_of<std::int32_t>() {
    return DType::i32;
}
template <>
constexpr DType dtype_of<std::uint32_t>() {
    return DType::u32;
}
template <>
constexpr DType dtype_of<std::int64_t>() {
    return DType::i64;
}
template <>
constexpr DType dtype_of<long long>() {
    return DType::i64;
}
template <>
constexpr DType dtype_of<std::uint64_t>() {
    return DType::u64;
}
template <>
constexpr DType dtype_of<float>() {
    return DType::f32;
}
template <>
constexpr DType dtype_of<double>() {
    return DType::f64;
}

std::size_t size_of(DType);
const char* name_of(DType);  // as numpy spells it: "int32", "float32"

// One array that a task takes or gives.
struct ArraySpec {
    std::string name;
    DType dtype;
    std::size_t count;
    std::size_t shift = 0;  // elements past a 256-byte boundary: a misaligned pointer on purpose
    bool on_host = false;   // lab 1's first task takes host arrays; everything else is device memory
};

// One call of a task: which variant of it, how large, from which seed.
struct Instance {
    std::string task, variant;
    std::int64_t n = 0;
    std::uint64_t seed = 0;
};

struct Shape {
    std::vector<ArraySpec> inputs, outputs;
    double bytes = 0;  // the least that must move through device memory
};

[[noreturn]] void throw_wrong_type(const ArraySpec&, DType asked);

// A view of one array's bytes in host memory.
struct Array {
    ArraySpec spec;
    void* data;
    template <class T>
    std::span<T> as() const;  // throws std::logic_error if T is not the array's type
};

// What an output must be. Integer outputs are compared exactly with `exact`; floating-point ones
// with `value`, and must satisfy |got - value| <= tolerance; a NaN passes only where NaN is expected.
struct Expected {
    std::vector<std::uint64_t> exact;  // integer outputs: the value's bits, sign-extended to 64
    std::vector<double> value;         // floating-point outputs, computed in double or better
    std::vector<double> tolerance;     // floating-point outputs: one per element
};

struct Task {
    std::string name;
    std::string idea;                   // one line, for --list and the map of the ladder
    std::vector<std::string> variants;  // what it is asked for: "sum_int32", "max_float32", ...
    std::int64_t max_n;                 // the largest n of the contract
    std::vector<std::int64_t> sizes;    // public sizes, ascending
    std::int64_t timed_n;               // the size whose time is scored
};

struct Lab {
    int number;
    std::string name;   // "scan"
    std::string title;  // "Scan"
    std::vector<Task> tasks;
    std::function<Shape(const Instance&)> shape;
    std::function<void(const Instance&, std::span<const Array> inputs)> generate;
    // One Expected for each output. Null in the runner, which has no oracle.
    std::function<std::vector<Expected>(const Instance&, std::span<const Array> inputs)> expect;
    // A plain, single-threaded CPU version for --cpu: same arrays as the task.
    std::function<void(const Instance&, std::span<const Array> inputs, std::span<const Array> outputs)> cpu;

    const Task& task(const std::string& name) const;  // throws std::invalid_argument naming the tasks there are
};

template <class T>
std::span<T> Array::as() const {
    if (spec.dtype != dtype_of<T>()) throw_wrong_type(spec, dtype_of<T>());
    return {static_cast<T*>(data), spec.count};
}

}  // namespace lab
