// The types of a lab's trusted side: tasks as data, inputs from a seed, expected outputs.
// Host C++ only, no CUDA: the same sources go into the runner and into the library that the grader asks.
// cases.cc defines the lab (`lab::Lab scan_lab()`) except for `expect`, which oracle.cc defines.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "grading/half.h"

namespace lab {  // not `labs`: <cstdlib> declares a function of that name

enum class DType : std::uint8_t { u8, i32, u32, i64, u64, f16, f32, f64 };  // f16: of inputs only

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
constexpr DType dtype_of<Half>() {
    return DType::f16;
}
template <>
constexpr DType dtype_of<float>() {
    return DType::f32;
}
template <>
constexpr DType dtype_of<double>() {
    return DType::f64;
}

[[noreturn]] void throw_unknown_dtype();

// Calls f with a zero of the element type that `dtype` names; not of f16, with which C++ does not compute.
template <class F>
auto with_type(DType dtype, F f) {
    switch (dtype) {
        case DType::u8:
            return f(std::uint8_t{});
        case DType::i32:
            return f(std::int32_t{});
        case DType::u32:
            return f(std::uint32_t{});
        case DType::i64:
            return f(std::int64_t{});
        case DType::u64:
            return f(std::uint64_t{});
        case DType::f16:
            break;
        case DType::f32:
            return f(float{});
        case DType::f64:
            return f(double{});
    }
    throw_unknown_dtype();
}

std::size_t size_of(DType);
const char* name_of(DType);  // as numpy spells it: "int32", "float32"

// One array that a task takes or gives.
struct ArraySpec {
    std::string name;
    DType dtype;
    std::size_t count;
    std::size_t shift = 0;        // elements past a 256-byte boundary, to misalign the pointer on purpose
    bool on_host = false;         // lab 1's first task takes host arrays; everything else is device memory
    std::string length_in = {};   // outputs of variable size: the output whose only element is the length
    std::size_t length_unit = 1;  // elements that one of that length takes: 6 where it counts triangles
    std::size_t columns = 0;      // of a matrix or an image, row by row; 0: the array is neither
};

// The largest whole number whose square is at most n >= 0: the side of the largest square matrix of n elements.
std::int64_t root_of(std::int64_t n);

// Integers that a task takes besides n: width, height, bins, ...
using Scalars = std::map<std::string, std::int64_t>;

// One call of a task: which variant of it, how large, from which seed.
struct Instance {
    std::string task, variant;
    std::int64_t n = 0;
    std::uint64_t seed = 0;
    Scalars scalars = {};
    std::int64_t scalar(const std::string& name) const;  // throws std::logic_error if there is none
    // The scalar of this name, which becomes `value` if there is none yet.
    std::int64_t& fill_in(const std::string& name, std::int64_t value) {
        return scalars.emplace(name, value).first->second;
    }
};

// ---- Variants ----
// People, tests and the protocol name a variant: "sum_int32". Cases and oracles read its fields. Each lab has one table
// of them, grading/variants.h, whose rows are a struct of the lab's own: a name, the element type, the operator, and
// whatever else tells one variant from another.
//
//     enum class Op { sum, max, min };
//     struct Variant {
//         const char* name;
//         lab::DType dtype;
//         Op op;
//     };
//     inline constexpr Variant kVariants[] = {{"sum_int32", lab::DType::i32, Op::sum}, ...};
//     inline const Variant& variant_of(const lab::Instance& call) { return lab::variant_in(kVariants, call); }

[[noreturn]] void throw_unknown_variant(const std::string& name);  // std::invalid_argument

// The row of a lab's table that the call names; throws std::invalid_argument if there is none.
template <class Variant, std::size_t N>
const Variant& variant_in(const Variant (&table)[N], const Instance& call) {
    for (const Variant& variant : table)
        if (call.variant == variant.name) return variant;
    throw_unknown_variant(call.variant);
}

// All names of a table, for Task::variants.
template <class Variant, std::size_t N>
std::vector<std::string> names_of(const Variant (&table)[N]) {
    std::vector<std::string> names;
    for (const Variant& variant : table) names.push_back(variant.name);
    return names;
}

// For a lab whose variants are the words of one of its settings, as --border clamp: makes both say the same. The
// setting wins if the call names both; the first word is taken if it names none.
void choose_by_variant(Instance& call, const std::string& setting, const std::vector<std::string>& words);

struct Shape {
    std::vector<ArraySpec> inputs, outputs;
    double bytes = 0;  // that must move through device memory at least

    void move_each_array_once() {  // sets bytes: every input is read once, every output written once
        bytes = 0;
        for (const auto& arrays : {inputs, outputs})
            for (const ArraySpec& array : arrays) bytes += static_cast<double>(array.count * size_of(array.dtype));
    }
};

[[noreturn]] void throw_wrong_type(const ArraySpec&, DType asked);

// A view of one array's bytes in host memory.
struct Array {
    ArraySpec spec;
    void* data;
    template <class T>
    std::span<T> as() const;  // throws std::logic_error if T is not the array's type
};

// The bits of an element, as Expected::exact has them: those of an integer are sign-extended.
template <class T>
std::uint64_t bits_of(T value) {
    if constexpr (std::is_same_v<T, float>)
        return std::bit_cast<std::uint32_t>(value);
    else if constexpr (std::is_same_v<T, double>)
        return std::bit_cast<std::uint64_t>(value);
    else
        return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
}

// What an output must be. Integer outputs are compared exactly with `exact`, and so are floating-point ones that are
// copies of inputs: then -0 is not +0, and one NaN is not another. Computed floating-point outputs are compared with
// `value`, and must satisfy |got - value| <= tolerance; a NaN passes only where NaN is expected.
struct Expected {
    std::vector<std::uint64_t> exact = {};  // of integers and copies: bits_of() each element
    std::vector<double> value = {};         // of computed floating-point outputs, in double or better
    std::vector<double> tolerance = {};     // one for each value
    // Outputs of variable size: the vectors hold only the first elements. The others may hold anything (ignored) or
    // must be unchanged (untouched).
    enum class Rest : std::uint8_t { none, ignored, untouched };
    Rest rest = Rest::none;
    // Integer outputs: elements of the same group may come in any order, as the values of equal keys do in a sort
    // that need not be stable. Group numbers ascend; kFixed marks an element that must be in its place. Empty: all
    // elements must.
    static constexpr std::int64_t kFixed = -1;
    std::vector<std::int64_t> group = {};
};

// What an oracle returns, one Expected for each output: moved, where braces would copy arrays of 2^24 elements.
template <class... Each>
std::vector<Expected> outputs(Each... each) {
    std::vector<Expected> all;
    (all.push_back(std::move(each)), ...);
    return all;
}

struct Task {
    std::string name;
    std::string idea;                   // one line, for --list and the map of the ladder
    std::vector<std::string> variants;  // names: "sum_int32", "max_float32", ...
    std::int64_t max_n;                 // the largest n that the contract allows
    std::vector<std::int64_t> sizes;    // public sizes, ascending
    std::int64_t timed_n;               // the size whose time is scored
};

// A command-line option of one lab, --bins 256 or --border clamp. Its value becomes the scalar of that name; a word
// becomes its index in `words`.
struct Setting {
    std::string name;                     // "bins"
    std::string help;                     // "how many bins; default 256"
    std::int64_t least = 0, most = 0;     // numbers: the range
    std::vector<std::string> words = {};  // words: the choices
};

// The contents of a file: the call to make, and the bytes of each input that shape(instance) lists.
struct Problem {
    Instance instance;
    std::vector<std::vector<std::byte>> inputs;
};

// A lab's own file formats (images, text, matrices), for --input and --output; every lab also reads and writes .npy,
// .bin and .raw. Both functions throw FileError (files.h).
struct Files {
    std::string kind;  // for --help: "an image: PGM, PPM or PNG"
    // Reads all inputs from one file. `asked` has the task, the seed and the settings of the command line; the reader
    // sets n and the scalars that the file determines.
    std::function<Problem(const Instance& asked, const std::string& path)> read;
    // Writes the result, in the format that the path's extension names.
    std::function<void(const Instance&, std::span<const Array> inputs, std::span<const Array> outputs,
                       const std::string& path)>
        write;
    // The task to run on such a file if the command line names none. Null: the last one.
    std::function<std::string(const std::string& path)> task = {};
};

struct Lab {
    int number;
    std::string name;   // "scan"
    std::string title;  // "Scan"
    std::vector<Task> tasks;
    // Fills in the scalars that the call does not have yet, from n and the seed; seed 0 gives the usual ones. Throws
    // std::invalid_argument, one line, if the scalars contradict each other. Null: the lab has no scalars.
    std::function<void(Instance&)> choose;
    // The functions below get an Instance with all its scalars.
    std::function<Shape(const Instance&)> shape;
    std::function<void(const Instance&, std::span<const Array> inputs)> generate;
    // One Expected for each output. Null in the runner, which has no oracle.
    std::function<std::vector<Expected>(const Instance&, std::span<const Array> inputs)> expect;
    // A plain, single-threaded CPU version for --cpu: same arrays as the task.
    std::function<void(const Instance&, std::span<const Array> inputs, std::span<const Array> outputs)> cpu;

    // Optional, for people: settings, files, and the call's input and output in words.
    std::vector<Setting> settings;
    // For arrays read from files, whose names they have: sets n and the scalars that the arrays determine. Throws
    // std::invalid_argument, one line, if they do not fit together. Null: shapes are linear in n, so that the length
    // of the first array determines n.
    std::function<void(Instance&, std::span<const Array> given)> from_arrays;
    Files files;
    std::function<std::string(const Instance&)> input_text;  // "640 x 480 pixels, 256 bins"; else "1,000 int32"
    std::function<std::string(const Instance&, std::span<const Array> inputs, std::span<const Array> outputs)>
        output_text;  // "1,234 words"; else the sum of the first output

    Instance complete(Instance) const;                // with all its scalars
    const Task& task(const std::string& name) const;  // throws std::invalid_argument, which lists the tasks
};

// Numbers as bytes, for a Problem.
template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& numbers) {
    std::vector<std::byte> bytes(numbers.size() * sizeof(T));
    if (!bytes.empty()) std::memcpy(bytes.data(), numbers.data(), bytes.size());
    return bytes;
}

template <class T>
std::span<T> Array::as() const {
    if (spec.dtype != dtype_of<T>()) throw_wrong_type(spec, dtype_of<T>());
    return {static_cast<T*>(data), spec.count};
}

}  // namespace lab
