#include "virtual_gpu/exec/report/names.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "virtual_gpu/exec/report/source_names.h"

namespace vgpu {
namespace {

// When the program was made; none: not known.
std::optional<std::filesystem::file_time_type>& made_at() {
    static std::optional<std::filesystem::file_time_type> time;
    return time;
}

std::vector<std::string> read_lines(const std::string& file) {
    constexpr std::uintmax_t kMostBytes = 4 << 20;
    static constexpr std::string_view kEndings[] = {".cu", ".h", ".cuh", ".hpp", ".inl", ".cc", ".cpp"};
    const std::filesystem::path path = file;
    const auto ending = path.extension().string();
    std::error_code error;
    std::vector<std::string> lines;
    if (std::find(std::begin(kEndings), std::end(kEndings), ending) == std::end(kEndings) ||
        !std::filesystem::is_regular_file(path, error) || std::filesystem::file_size(path, error) > kMostBytes)
        return lines;
    const auto edited_at = std::filesystem::last_write_time(path, error);
    if (const auto& made = made_at(); made && !error && edited_at > *made) return lines;
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);) lines.push_back(std::move(line));
    return lines;
}

}  // namespace

std::string demangled(const std::string& symbol) {
    // A kernel in an unnamed namespace, in linked device code: __nv_static_35__..._file_cu_...__ZN46_...
    const std::size_t own = symbol.starts_with("__nv_static_") ? symbol.find("__Z") : std::string::npos;
    std::string name = own == std::string::npos ? symbol : symbol.substr(own + 1);
    // nvcc numbers variables that it has made out of one, as of a template's: _ZZ6kernelIiEvPT_E3sum_$_0.
    if (const std::size_t at = name.rfind("_$_");
        at != std::string::npos && name.find_first_not_of("0123456789", at + 3) == std::string::npos)
        name.resize(at);
    if (!name.starts_with("_Z")) return name;  // else an extern "C" name such as s would be read as a type
    int status = 0;
    char* text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
    std::string out = status == 0 ? text : name;
    std::free(text);
    return out;
}

std::string short_name(const std::string& symbol) { return short_name_of(demangled(symbol)); }

std::string short_name_of(std::string name) {
    int depth = 0;
    std::size_t start = 0;
    for (std::size_t i = 0; i < name.size(); ++i) {
        if (name[i] == '(' || name[i] == '<') ++depth;
        if (name[i] == ')' || name[i] == '>') --depth;
        if (depth == 0 && name[i] == ':' && i + 1 < name.size() && name[i + 1] == ':') start = i + 2;
    }
    name = name.substr(start);
    if (const std::size_t end = name.find_first_of("(<"); end != std::string::npos && end > 0) name.resize(end);
    if (const std::size_t space = name.rfind(' '); space != std::string::npos) name = name.substr(space + 1);
    // A vgpu linker's or nvcc's suffix.
    if (const std::size_t at = name.find('@'); at != std::string::npos) name.resize(at);
    return name;
}

void sources_are_of(const std::string& program) {
    std::error_code error;
    const auto time = std::filesystem::last_write_time(program, error);
    if (!error) made_at() = std::max(made_at().value_or(time), time);
}

const std::vector<std::string>& source_lines(const std::string& file) {
    using Known =
        std::map<std::pair<std::string, std::optional<std::filesystem::file_time_type>>, std::vector<std::string>>;
    static std::mutex mutex;
    static auto* known = new Known;
    const std::lock_guard lock(mutex);
    const auto [entry, is_new] = known->try_emplace({file, made_at()});
    if (is_new) entry->second = read_lines(file);
    return entry->second;
}

namespace {

void add_text(const std::filesystem::path& file, std::vector<std::filesystem::path>& seen,
              std::vector<std::string>& texts) {
    constexpr std::size_t kMostFiles = 40;
    if (seen.size() >= kMostFiles || std::find(seen.begin(), seen.end(), file) != seen.end()) return;
    const std::vector<std::string>& lines = source_lines(file.string());
    if (lines.empty()) return;
    seen.push_back(file);
    std::string text;
    for (const std::string& line : lines) text += line + '\n';
    texts.push_back(without_comments(text));
    const char* named = std::getenv("VGPU_HEADERS");
    for (const std::string& line : lines) {
        const std::size_t begin = line.find('"'), end = begin == std::string::npos ? begin : line.find('"', begin + 1);
        if (!line.starts_with("#include") || end == std::string::npos) continue;
        const std::string name = line.substr(begin + 1, end - begin - 1);
        add_text(file.parent_path() / name, seen, texts);
        std::stringstream folders(named != nullptr ? named : "");
        for (std::string folder; std::getline(folders, folder, ':');)
            add_text(std::filesystem::path(folder) / name, seen, texts);
    }
}

}  // namespace

std::vector<std::string> texts_with_headers(const std::string& file) {
    std::vector<std::filesystem::path> seen;
    std::vector<std::string> texts;
    add_text(file, seen, texts);
    return texts;
}

}  // namespace vgpu
