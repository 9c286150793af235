// Looks at a program before it runs: whether the virtual GPU can run it, and if not, the one thing to do about it.
#pragma once

#include <string>
#include <vector>

namespace vgpu::command {

struct Inspection {
    std::string problem;               // why it cannot run here; empty: as far as can be seen, it can
    std::string help;                  // what to do about it
    bool not_found = false;            // the problem is that there is no such program
    std::vector<std::string> remarks;  // it runs, but
    bool has_static_runtime = false;   // CUDA's runtime is in the program, and can be replaced there
    bool chooses_runtime = false;  // its own folders for libraries come before the environment's: preload the runtime
};

// The file that the shell would run for this word; empty: there is none.
std::string find_program(const std::string& word);

// `capability`: of the modelled device, 90 for 9.0.
Inspection inspect(const std::string& word, const std::string& path, int capability);

}  // namespace vgpu::command
