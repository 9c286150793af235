// The lab as a command-line program.
#pragma once

#include <optional>
#include <string>

#include "harness/inputs.h"
#include "harness/options.h"
#include "harness/runner.h"

namespace lab {

std::string list_text(const Lab& lab);

// Checks what can be checked without a device; throws UsageError. Called before a device is chosen, so that a mistake
// is reported at once. Returns the call if it comes from files, so that they are read only once.
std::optional<Prepared> check_options(const Options&, const Lab&);

// Runs what the options ask for and prints it. Returns the exit status: 0 for success, 1 if a task failed; throws
// UsageError.
int run_program(const Options&, const Lab&, Runner&, std::optional<Prepared>);

// For benchmarks: calls each task that is asked for Options::rounds times and prints a line for it: its name, its
// variant or "-", n, and the seconds of each call. Returns 1 if a task failed or gave a wrong result.
int run_rounds(const Options&, const Lab&, Runner&);

}  // namespace lab
