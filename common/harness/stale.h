// Is a student's program older than their file? After a failed make, build/lab3 is still the previous one.
#pragma once

#include <filesystem>
#include <string>

namespace lab {

// "scan.cu was changed after lab3 was built; make lab3", or "" if `program` is up to date or either file is missing.
std::string stale_text(const std::filesystem::path& program, const std::filesystem::path& source);

// The same for this very program, if it is build/labN.
std::string stale_text(int lab_number, const std::string& lab_name);

}  // namespace lab
