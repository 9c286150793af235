#include "grading/files.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace lab {

std::string read_file(const std::string& path) {
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) throw FileError(path, "is a folder");
    std::ifstream in(path, std::ios::binary | std::ios::ate);
    if (!in) throw FileError(path, std::string("cannot be read: ") + std::strerror(errno));
    const std::streamoff size = in.tellg();
    if (size < 0) throw FileError(path, "cannot be read: it has no size");
    std::string bytes(static_cast<std::size_t>(size), '\0');
    in.seekg(0);
    if (size > 0 && !in.read(bytes.data(), size)) throw FileError(path, "cannot be read to its end");
    return bytes;
}

void write_file(const std::string& path, std::string_view bytes) {
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    if (out) out.write(bytes.data(), static_cast<std::streamsize>(bytes.size())).flush();
    if (!out) throw FileError(path, std::string("cannot be written: ") + std::strerror(errno));
}

bool ends_in(const std::string& path, std::string_view ending) {
    const auto same = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
    return path.size() >= ending.size() && std::equal(ending.rbegin(), ending.rend(), path.rbegin(), same);
}

std::string quoted(std::string_view word) {
    std::string text = "'";
    for (const char c : word.substr(0, 24)) text += c >= ' ' && c <= '~' ? c : '?';
    return text + (word.size() > 24 ? "...'" : "'");
}

std::string why_no_number(std::string_view word, std::errc error, DType type) {
    if (error == std::errc::result_out_of_range) return quoted(word) + " is too large for " + name_of(type);
    return quoted(word) + (type == DType::f32 || type == DType::f64 ? " is not a number" : " is not a whole number");
}

bool take_word(std::string_view& rest, std::string_view& word) {
    constexpr std::string_view kBetween = " \t\r\v\f,;";
    rest.remove_prefix(std::min(rest.find_first_not_of(kBetween), rest.size()));
    word = rest.substr(0, rest.find_first_of(kBetween));
    rest.remove_prefix(word.size());
    return !word.empty();
}

}  // namespace lab
