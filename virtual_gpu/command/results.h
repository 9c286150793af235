// What runs of a program have found: reports of its processes, merged over seeds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "virtual_gpu/report.h"

namespace vgpu::command {

// One report of the library (to_json); false: it is none.
bool read_report(const std::string& json, Report& out);

struct SeenFinding {
    Finding finding;
    std::vector<std::uint64_t> seeds;  // that saw it
};

struct Results {
    std::string program;
    std::vector<std::string> command;  // the program and its arguments
    std::vector<std::uint64_t> seeds;  // that ran
    std::vector<int> statuses;         // of each: exit status, or 128 and the signal
    std::vector<SeenFinding> findings;
    std::vector<KernelReport> kernels;  // of the first seed
    double seconds = 0;                 // modelled, of the first seed
    bool used_device = false;           // some process made a report

    // What one process has reported in the run with this seed, which is the last of `seeds`.
    void add(const Report& report);
    bool has_defects() const;
    std::size_t notes() const;
    // 1 with findings; otherwise the first status of a run that is not 0.
    int exit_status() const;
};

// The words for a kind, from findings.inc.
struct KindWords {
    const char *title = "", *why = "";
};
KindWords words_of(const Finding& finding);
// In a title, {space} and {access} are the finding's; or general words, without one.
std::string title_of(const Finding& finding);
std::string general_title(Kind kind);

// The names of all kinds, in the order of the enumeration.
std::vector<std::string> kind_names();

}  // namespace vgpu::command
