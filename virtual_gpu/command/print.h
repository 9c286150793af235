// How people and programs read what was found.
#pragma once

#include <string>

#include "virtual_gpu/command/results.h"

namespace vgpu::command {

// For people, each finding as "file:line: kind: sentence" with its source line and what helps; then one line for all.
// `notes`: what is no defect is printed, too.
std::string findings_text(const Results& results, bool notes);
std::string counters_text(const Results& results);  // a table for each kernel: its lines
std::string results_json(const Results& results);   // virtual_gpu/README.md
std::string results_sarif(const Results& results);  // SARIF 2.1.0

// "4", "0 and 3", "0, 2 and 5".
std::string list_of(const std::vector<std::uint64_t>& numbers);
// The text in rows of at most so many characters: broken at spaces, what goes on is indented. 0: as it is.
std::string folded(const std::string& text, std::size_t width);
// Characters in a row of the terminal that standard error is; 0: it is none.
std::size_t terminal_width();
// A source file as seen from the working folder, if it is below it.
std::string shown_path(const std::string& file);

}  // namespace vgpu::command
