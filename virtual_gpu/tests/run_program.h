// Runs a CUDA program of tests/programs with the virtual GPU's libcudart before any other.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace vgpu::test {

struct Ran {
    int status = -1;  // exit status, or 128 + signal
    std::string out, err, report;
};

Ran run_program(const std::string& name, const std::vector<std::string>& arguments = {},
                const std::vector<std::pair<std::string, std::string>>& environment = {});

inline bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace vgpu::test
