// Runs a program with the virtual GPU in place of CUDA's runtime, and takes its reports.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "virtual_gpu/command/arguments.h"
#include "virtual_gpu/command/inspect.h"
#include "virtual_gpu/command/results.h"

namespace vgpu::command {

// The folder of the virtual GPU's libraries: beside this program, as it is built, or ../lib, as it is installed.
// Empty: `error` says what is missing.
std::string library_folder(std::string& error);

// Runs the program once for each seed. False: it could not be started; `error` says why.
bool run_all(const Arguments& arguments, const Inspection& inspection, const std::string& path,
             const std::string& libraries, Results& results, std::string& error);

}  // namespace vgpu::command
