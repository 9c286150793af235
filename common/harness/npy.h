// Arrays in files: numpy's .npy (format 1.0 to 3.0, one dimension, little-endian) and raw binary.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "grading/files.h"
#include "grading/problem.h"

namespace lab {

struct FileArray {
    DType dtype;
    std::size_t count;
    std::string bytes;
};

DType parse_dtype(const std::string& name);  // "int32"; throws std::invalid_argument, which lists the types

// Reads a file by its extension: .npy carries its type; anything else is raw, of `raw_type`. Throws FileError.
FileArray read_array(const std::string& path, DType raw_type);
// Writes by the extension in the same way. Throws FileError.
void write_array(const std::string& path, DType dtype, std::size_t count, const void* data);

}  // namespace lab
