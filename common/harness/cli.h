// The lab as a program for people.
#pragma once

#include <optional>
#include <string>

#include "harness/inputs.h"
#include "harness/options.h"
#include "harness/runner.h"

namespace lab {

std::string list_text(const Lab& lab);

// What can be told without a device; throws UsageError. Called before a device is chosen, so that a mistake is
// told at once. Gives the call if it comes from files, so that they are read once.
std::optional<Prepared> check_options(const Options&, const Lab&);

// Runs what the options ask for and prints it. Exit status 0: all is well, 1: a task failed; throws UsageError.
int run_program(const Options&, Runner&, std::optional<Prepared>);

}  // namespace lab
