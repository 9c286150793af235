// Chooses between a GPU and the virtual GPU at the start, by asking the driver.
#pragma once

#include <string>

namespace lab {

// `wanted`: "" for a GPU if one answers and else the virtual GPU, "gpu" for a GPU and nothing else,
// "virtual" for the virtual GPU, any other word for the virtual GPU with that profile. For the
// virtual GPU, a process that runs without it executes itself again with the virtual GPU's libcudart.so in front
// (same arguments, same open files). Returns "", or one line that says why the device is not available.
std::string choose_device(const std::string& wanted, char** argv);

// The folder of this executable, links resolved.
std::string executable_folder();

// `name` beside the executable, or in the nearest folder above it that has one, such as build/; "" if none has.
std::string find_beside(const std::string& name);

}  // namespace lab
