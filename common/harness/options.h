// The command line of a lab program.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "grading/problem.h"

namespace lab {

// Bad use of the command line: one line for the user, exit status 2.
struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct Options {
    bool help = false, version = false, list = false, cpu = false, check = false;
    bool copy_bandwidth = false;  // for benchmarks: print bytes per second of a device-to-device copy, and stop
    std::optional<int> rounds;    // for benchmarks: so many timed calls of each task, or with 0 one that is not timed
    std::string task, variant, device;
    bool task_is_chosen = false;  // by the program: the last task that takes the files
    std::optional<std::int64_t> n;
    std::uint64_t seed = 0;  // the usual kind of input, see docs/adding-a-lab.md
    std::uint64_t schedule = 0;
    std::optional<std::string> dtype;
    std::vector<std::string> inputs, outputs;
    Scalars scalars;           // the lab's own settings
    std::optional<int> serve;  // the socket to the device process
};

// These include the lab's own settings. parse_options throws UsageError.
Options parse_options(const std::vector<std::string>& arguments, const std::vector<Setting>& settings);
std::string help_text(const std::string& program, const std::string& lab_title, const Lab& lab);

}  // namespace lab
