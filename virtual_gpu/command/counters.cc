// The table of a kernel's lines, with the columns of `./grader explain`.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>

#include "virtual_gpu/command/print.h"

namespace vgpu::command {
namespace {

constexpr int kGutter = 70;  // columns before the line's number

using Place = std::pair<std::string, int>;

struct Line {
    std::string text;
    Counters counters;
};

std::string right(const std::string& text, std::size_t width) {
    return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

std::string one_digit(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f", value);
    return text;
}

std::string seconds(double value) {
    char text[32];
    const bool micro = value < 1e-3, milli = value < 1;
    std::snprintf(text, sizeof text, "%.3g %s",
                  value * (micro   ? 1e6
                           : milli ? 1e3
                                   : 1),
                  micro   ? "µs"
                  : milli ? "ms"
                          : "s");
    return text;
}

std::string gutter(const Counters& c, std::uint64_t all) {
    const std::uint64_t sectors = c.load_sectors + c.store_sectors;
    // Fewer than ideal, where lanes read the same.
    const std::uint64_t ideal = std::min(sectors, c.ideal_load_sectors + c.ideal_store_sectors);
    const auto some = static_cast<double>(c.instructions);
    return right(c.instructions > 0 ? one_digit(100 * some / static_cast<double>(all)) + " %" : "", 8) + " " +
           right(c.instructions > 0 ? one_digit(static_cast<double>(c.lanes) / some) : "", 6) + " " +
           right(sectors > 0 ? with_commas(c.global_loads + c.global_stores) : "", 10) + " " +
           right(sectors > 0 ? with_commas(sectors) + "/" + with_commas(ideal) : "", 20) + " " +
           right(
               c.shared_wavefronts > 0 ? with_commas(c.shared_wavefronts) + "/" + with_commas(c.ideal_wavefronts) : "",
               20);
}

std::string remarks(const Counters& c) {
    const std::string indent(kGutter, ' ');
    std::string text;
    if (c.atomics > 0) {
        text += indent + "^ " + with_commas(c.atomic_lanes) + " atomics, up to " +
                counted(c.most_lanes_on_one_address, "lane") + " of a warp at one address\n";
    }
    if (c.local_sectors > 0) {
        text += indent + "^ " + with_commas(c.local_sectors) + " sectors of local memory\n";
    }
    return text;
}

std::string table(const std::vector<const KernelReport*>& launches, const Results& results) {
    const KernelReport& first = *launches.front();
    std::uint64_t count = 0, all = 0;
    double time = 0;
    std::map<Place, Line> lines;
    for (const KernelReport* kernel : launches) {
        count += kernel->launches;
        time += kernel->seconds;
        all += kernel->total.instructions;
        for (const LineCounters& one : kernel->lines) {
            Line& line = lines[{one.place.file, one.place.line}];
            line.text = one.place.text;
            line.counters.add(one.counters);
        }
    }
    for (const SeenFinding& seen : results.findings) {
        const Finding& f = seen.finding;
        if (f.kernel == first.name && f.place.line != 0) {
            lines[{f.place.file, f.place.line}].text = f.place.text;
        }
    }
    const auto size = [](const Index3& index) { return std::uint64_t{index[0]} * index[1] * index[2]; };
    std::string text = first.name + "  " + (count > 1 ? with_commas(count) + " launches, " : "") +
                       with_commas(size(first.grid)) + " x " + with_commas(size(first.block)) + " threads, " +
                       seconds(time) + " modelled" +
                       (first.limited_by.empty() ? "" : ", limited by " + first.limited_by) +
                       (first.registers > 0 ? ", " + std::to_string(first.registers) + " registers" : "") + "\n";
    if (lines.empty()) {
        return text + "  no lines: compile with nvcc -lineinfo\n";
    }
    text += "   share  lanes   requests        sectors/ideal     wavefronts/ideal   line\n";
    std::string file;
    for (const auto& [place, line] : lines) {
        if (place.first != file) {
            file = place.first;
            text += "  " + shown_path(file) + "\n";
        }
        text += gutter(line.counters, std::max<std::uint64_t>(all, 1)) + " " + right(std::to_string(place.second), 5) +
                "  " + line.text + "\n" + remarks(line.counters);
        for (const SeenFinding& seen : results.findings) {
            const Finding& f = seen.finding;
            if (f.kernel == first.name && f.place.file == place.first && f.place.line == place.second) {
                text += std::string(kGutter, ' ') + "^ " + (f.is_note ? "note: " : "") + title_of(f) + "\n";
            }
        }
    }
    return text;
}

}  // namespace

std::string counters_text(const Results& results) {
    std::vector<std::pair<std::string, std::vector<const KernelReport*>>> by_name;
    for (const KernelReport& kernel : results.kernels) {
        auto found = std::ranges::find(by_name, kernel.name, [](const auto& one) { return one.first; });
        if (found == by_name.end()) {
            found = by_name.insert(found, {kernel.name, {}});
        }
        found->second.push_back(&kernel);
    }
    std::string text;
    for (const auto& [name, launches] : by_name) {
        text += table(launches, results) + "\n";
    }
    return text +
           "  share: of the kernel's warp instructions; lanes: active lanes of 32, on average\n"
           "  requests: a warp's accesses to global memory\n"
           "  sectors: of 32 bytes in global memory; wavefronts: passes through shared memory; actual / ideal: equal "
           "is best\n";
}

}  // namespace vgpu::command
