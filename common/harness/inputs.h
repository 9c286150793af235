// The inputs of a call: from --n and --seed, from arrays in files, or from a file in the lab's own format.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "grading/problem.h"
#include "harness/options.h"

namespace lab {

// Arrays of one call in host memory.
struct HostArrays {
    std::vector<std::vector<std::byte>> storage;
    std::vector<Array> arrays;
    explicit HostArrays(const std::vector<ArraySpec>& specs, std::byte fill = {});
    HostArrays(HostArrays&&) = default;  // moving a vector keeps its elements in place, so the views stay valid
    HostArrays& operator=(HostArrays&&) = default;
};

// A call ready to be made.
struct Prepared {
    Instance instance;
    Shape shape;
    HostArrays inputs;
};

bool is_array_file(const std::string& path);  // .npy, .bin, .raw, which every lab reads and writes

std::string task_for_files(const Options&, const Lab&);  // the last, so the fastest, that takes as many inputs
// The last task before this one that takes the same arrays, and so the same files; nullptr if there is none.
const Task* task_before(const Lab&, const Task&);
std::string variant_of(const Options&, const Task&);        // the one asked for, or the first
void need_size(const Task&, std::int64_t n);                // throws UsageError
std::string joined(const std::vector<std::string>& words);  // "a, b, c"

// These throw UsageError, FileError, or std::invalid_argument if scalars contradict each other.
Instance instance_of(const Options&, const Lab&, const Task&);  // ignores files
Prepared prepare(const Options&, const Lab&, const Task&);

}  // namespace lab
