// Whole files, and what is wrong with one. For the readers and writers of a lab's own kind of file.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace lab {

// What is wrong with a file, in one line that begins with its name. A command line that names it ends with status 2.
struct FileError : std::runtime_error {
    FileError(const std::string& path, const std::string& what) : std::runtime_error(path + ": " + what) {}
};

std::string read_file(const std::string& path);                    // its bytes; throws FileError
void write_file(const std::string& path, std::string_view bytes);  // throws FileError

bool ends_in(const std::string& path, std::string_view ending);  // ".PNG" is ".png"

}  // namespace lab
