// The command line of virtual-gpu.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vgpu::command {

struct Arguments {
    enum class What : std::uint8_t { run, build, help, version } what = What::run;
    std::vector<std::string> command;  // the program and its arguments
    std::vector<std::uint64_t> seeds;  // to run with, at least one; none: as the environment says
    std::string json, sarif;           // files to write; empty: none
    std::string profile;
    bool counters = false, notes = false, leaks = false, checks = true, anyway = false;
};

// False: `error` says what is wrong.
bool read_arguments(const std::vector<std::string>& words, Arguments& out, std::string& error);

extern const char* const kHelp;

}  // namespace vgpu::command
