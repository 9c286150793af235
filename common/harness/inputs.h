// What a call of the program is made from: --n and --seed, arrays in files, or a file of the lab's own kind.
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
    HostArrays(HostArrays&&) = default;  // a vector that moves takes its elements along, so the views stay right
    HostArrays& operator=(HostArrays&&) = default;
};

// A call ready to be made.
struct Prepared {
    Instance instance;
    Shape shape;
    HostArrays inputs;
};

bool is_array_file(const std::string& path);  // .npy, .bin, .raw, which every lab reads and writes

std::string task_for_files(const Options&, const Lab&);  // the last, hence fastest, that takes as many inputs
// The last task before this one that takes the same arrays, so the same files; nullptr: there is none.
const Task* task_before(const Lab&, const Task&);
std::string variant_of(const Options&, const Task&);        // the one asked for, or the first
void need_size(const Task&, std::int64_t n);                // throws UsageError
std::string joined(const std::vector<std::string>& words);  // "a, b, c"

// These throw UsageError, FileError, or std::invalid_argument where scalars do not go together.
Instance instance_of(const Options&, const Lab&, const Task&);  // without regard to files
Prepared prepare(const Options&, const Lab&, const Task&);

}  // namespace lab
