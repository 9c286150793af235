// A GPU or the virtual GPU: found out at start, by asking the driver.
#pragma once

#include <string>

namespace lab {

// `wanted`: "" for a GPU if one answers and else the virtual GPU, "gpu" for a GPU and nothing else,
// "virtual" for the virtual GPU, any other word for the virtual GPU with that profile. If it is to be the
// virtual GPU and this process has not got it, the process executes itself again with its libcudart.so
// first (same arguments, same open files). Returns "" or one line that says why it cannot be had.
std::string choose_device(const std::string& wanted, char** argv);

// The folder of this executable, links resolved.
std::string executable_folder();

// `name` beside the executable, else in the build folder it was made in; "" if in neither.
std::string find_beside(const std::string& name);

}  // namespace lab
