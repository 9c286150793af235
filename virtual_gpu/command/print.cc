#include "virtual_gpu/command/print.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string_view>

#include "virtual_gpu/report_json.h"

namespace vgpu::command {
namespace {

constexpr std::size_t kMostShown = 20;

std::string trimmed(const std::string& text) {
    const std::size_t first = text.find_first_not_of(" \t");
    return first == std::string::npos ? "" : text.substr(first);
}

// A kind as people say it: "out of bounds".
std::string shown_kind(Kind kind) {
    if (kind == Kind::host_access) {
        return "device memory used by host code";
    }
    if (kind == Kind::invalid_ptx) {
        return "invalid PTX";
    }
    std::string name = name_of(kind);
    std::ranges::replace(name, '_', ' ');
    return name;
}

// Where a finding is, for editors: "scan.cu:24", or the program if no line is known.
std::string where(const Results& results, const Finding& finding) {
    return finding.place.line != 0 ? shown_path(finding.place.file) + ":" + std::to_string(finding.place.line)
                                   : results.program;
}

std::string seeds_of(const Results& results, const SeenFinding& seen) {
    if (results.seeds.size() == 1) {
        return "";
    }
    if (seen.seeds.size() == results.seeds.size()) {
        return "with every seed";
    }
    const std::string first = std::to_string(seen.seeds.front());
    return "with seed" + std::string(seen.seeds.size() == 1 ? " " : "s ") + list_of(seen.seeds) + " of " +
           std::to_string(results.seeds.size()) + "; again: --seed " + first;
}

// Sources of findings that are newer than the program.
std::set<std::string> edited_files(const Results& results) {
    std::set<std::string> files;
    std::error_code error;
    const auto made = std::filesystem::last_write_time(results.program, error);
    for (const SeenFinding& seen : results.findings) {
        const SourcePlace& place = seen.finding.place;
        if (error || place.line == 0 || !place.text.empty()) {
            continue;
        }
        std::error_code none;
        if (const auto edited = std::filesystem::last_write_time(place.file, none); !none && edited > made) {
            files.insert(place.file);
        }
    }
    return files;
}

std::string text_of(const Results& results, const SeenFinding& seen, std::set<Kind>& explained) {
    const Finding& f = seen.finding;
    std::string text = where(results, f) + ": " + (f.is_note ? "note: " : "") + shown_kind(f.kind) + ": " + f.what;
    if (f.count > 1 && f.threads <= 1) {  // how many threads is in the sentence
        text += " (" + with_commas(f.count) + " times)";
    }
    text += "\n";
    if (!f.place.text.empty()) {
        text += "    " + std::to_string(f.place.line) + " | " + trimmed(f.place.text) + "\n";
    }
    const bool same_place = f.other_place.line == f.place.line && f.other_place.file == f.place.file;
    if (f.other_place.line != 0 && !same_place) {
        const bool same_file = f.other_place.file == f.place.file;
        text += "    " + (same_file ? "" : shown_path(f.other_place.file) + ":") + std::to_string(f.other_place.line) +
                " | " + trimmed(f.other_place.text) + "\n";
    }
    if (!f.launch.what.empty()) {
        text += "    " + f.launch.what + "\n";
    }
    if (const char* why = words_of(f).why; *why != '\0' && explained.insert(f.kind).second) {
        text += std::string("    why it matters: ") + why + "\n";
    }
    if (!f.help.empty()) {
        text += "    what helps: " + f.help + "\n";
    }
    if (const std::string seeds = seeds_of(results, seen); !seeds.empty()) {
        text += "    seen " + seeds + "\n";
    }
    return text;
}

}  // namespace

std::string list_of(const std::vector<std::uint64_t>& numbers) {
    std::string text;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        text += (i == 0 ? "" : i + 1 == numbers.size() ? " and " : ", ") + std::to_string(numbers[i]);
    }
    return text;
}

std::string folded(const std::string& text, std::size_t width) {
    constexpr std::size_t kHang = 4;
    const auto characters = [](std::string_view part) {  // of UTF-8, each byte that begins one
        return static_cast<std::size_t>(
            std::ranges::count_if(part, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
    };
    std::string out, indentation;
    std::size_t used = 0;
    for (std::size_t at = 0; at < text.size();) {
        if (used == 0) {
            indentation = std::string(std::min(text.find_first_not_of(' ', at), text.size()) - at + kHang, ' ');
        }
        const std::size_t word = std::min(text.find_first_not_of(' ', at), text.size());
        const std::size_t end = std::min(text.find_first_of(" \n", word), text.size());
        const std::size_t length = characters(std::string_view(text).substr(at, end - at));
        if (width != 0 && used > indentation.size() && used + length > width) {
            out += "\n" + indentation + text.substr(word, end - word);
            used = indentation.size() + length - (word - at);
        } else {
            out += text.substr(at, end - at);
            used += length;
        }
        at = end;
        if (at < text.size() && text[at] == '\n') {
            out += text[at++];
            used = 0;
        }
    }
    return out;
}

std::size_t terminal_width() {
    winsize size{};
    if (isatty(STDERR_FILENO) == 0) {
        return 0;
    }
    const char* columns = std::getenv("COLUMNS");
    const std::size_t asked = columns != nullptr ? std::strtoul(columns, nullptr, 10) : 0;
    return asked != 0 ? asked : ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

std::string shown_path(const std::string& file) {
    std::error_code error;
    const std::filesystem::path here = std::filesystem::current_path(error), path(file);
    if (error || !path.is_absolute()) {
        return file;
    }
    const std::string relative = path.lexically_relative(here).string();
    return relative.empty() || relative.starts_with("..") ? file : relative;
}

std::string findings_text(const Results& results, bool notes) {
    std::string text;
    std::set<Kind> explained;
    std::size_t defects = 0, hidden = 0;
    bool has_lines = true;
    for (const SeenFinding& seen : results.findings) {
        defects += seen.finding.is_note ? 0 : 1;
        if (seen.finding.is_note && !notes) {
            continue;
        }
        has_lines = has_lines && seen.finding.place.line != 0;
        if (defects > kMostShown) {
            ++hidden;
        } else {
            text += text_of(results, seen, explained);
        }
    }
    const std::string me = "virtual-gpu: ";
    if (hidden > 0) {
        text += me + std::to_string(hidden) + " more: --json FILE has all\n";
    }
    if (!has_lines) {
        text += me + "findings have their lines if the program is compiled with nvcc -lineinfo -g\n";
    }
    for (const std::string& file : edited_files(results)) {
        text += me + shown_path(file) + " was edited after the program was made: its lines are not quoted\n";
    }
    const std::size_t all_notes = results.notes();
    text += me + (defects == 0 ? "no findings" : counted(defects, "finding"));
    if (all_notes > 0) {
        text += " and " + counted(all_notes, "note") +
                (notes ? "" : " (--notes shows " + std::string(all_notes == 1 ? "it" : "them") + ")");
    }
    if (results.seeds.size() > 1) {
        text += " with " + counted(results.seeds.size(), "seed");
    }
    return text + "\n";
}

std::string results_json(const Results& results) {
    Json json;
    json.open('{');
    json.number("version", 1);
    json.field("program", results.program);
    json.key("command");
    json.open('[');
    for (const std::string& word : results.command) {
        json.text(word);
    }
    json.close(']');
    json.key("seeds");
    json.open('[');
    for (const std::uint64_t seed : results.seeds) {
        json.element(seed);
    }
    json.close(']');
    json.key("statuses");
    json.open('[');
    for (const int status : results.statuses) {
        json.element(status);
    }
    json.close(']');
    json.field("seconds", results.seconds);
    json.key("findings");
    json.open('[');
    for (const SeenFinding& seen : results.findings) {
        write(json, seen.finding, &seen.seeds);
    }
    json.close(']');
    json.key("kernels");
    json.open('[');
    for (const KernelReport& kernel : results.kernels) {
        write(json, kernel);
    }
    json.close(']');
    json.close('}');
    return json.take() + "\n";
}

}  // namespace vgpu::command
