// Whole files, numbers in text, and errors in either, for a lab's readers and writers of files.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <vector>

#include "grading/problem.h"

namespace lab {

// One line that begins with the file's name and says what is wrong. The program then ends with status 2.
struct FileError : std::runtime_error {
    FileError(const std::string& path, const std::string& what) : std::runtime_error(path + ": " + what) {}
    FileError(const std::string& path, std::int64_t line, const std::string& what)
        : FileError(path, "line " + std::to_string(line) + ": " + what) {}
};

std::string read_file(const std::string& path);                    // its bytes; throws FileError
void write_file(const std::string& path, std::string_view bytes);  // throws FileError

bool ends_in(const std::string& path, std::string_view ending);  // ".PNG" is ".png"

// ---- Numbers in a text ----

std::string quoted(std::string_view word);  // 'word', for a message: at most 24 bytes of it, ? for the unprintable

// Parses a whole word as a number. Returns what std::from_chars does: std::errc(), invalid_argument for no number, or
// result_out_of_range for one that T cannot hold. A + may come before a digit or a point. A number too small for a
// floating-point type becomes 0; inf and nan are numbers.
template <class T>
std::errc parse_number(std::string_view word, T& number) {
    if (word.size() > 1 && word[0] == '+' && (word[1] == '.' || (word[1] >= '0' && word[1] <= '9')))
        word.remove_prefix(1);
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error == std::errc::invalid_argument || end != word.data() + word.size()) return std::errc::invalid_argument;
    if constexpr (std::is_floating_point_v<T>) {
        if (error == std::errc::result_out_of_range) {  // too large, or too small? The locale is "C": nobody sets one
            const double rounded = std::strtod(std::string(word).c_str(), nullptr);
            if (std::fabs(rounded) > 1) return error;
            number = static_cast<T>(rounded);
            return {};
        }
    }
    return error;
}

// Why a word is not a number of this type, for an error of parse_number().
std::string why_no_number(std::string_view word, std::errc error, DType type);

// Removes the first word from `rest`. Blanks, commas and semicolons separate words. False if there is no word.
bool take_word(std::string_view& rest, std::string_view& word);

// Calls each(line, numbers) for every line with numbers in it; lines are counted from 1, # begins a comment. Throws
// FileError if a word is not a number; `larger` says what to do if one is too large.
template <class T, class Each>
void read_lines_of_numbers(const std::string& path, Each each, const std::string& larger = "") {
    const std::string text = read_file(path);
    std::vector<T> numbers;
    std::int64_t line = 1;
    for (std::size_t at = 0, end = 0; at < text.size(); at = end + 1, ++line) {
        end = std::min(text.find('\n', at), text.size());
        std::string_view rest = std::string_view(text).substr(at, end - at), word;
        rest = rest.substr(0, rest.find('#'));
        for (numbers.clear(); take_word(rest, word);) {
            const std::errc error = parse_number(word, numbers.emplace_back());
            if (error == std::errc()) continue;
            const std::string help = error == std::errc::result_out_of_range ? larger : "";
            throw FileError(path, line, why_no_number(word, error, dtype_of<T>()) + help);
        }
        if (!numbers.empty()) each(line, std::span<const T>(numbers));
    }
}

// All numbers of a file, without regard to lines.
template <class T>
std::vector<T> read_numbers(const std::string& path, const std::string& larger = "") {
    std::vector<T> all;
    const auto add = [&](std::int64_t, std::span<const T> line) { all.insert(all.end(), line.begin(), line.end()); };
    read_lines_of_numbers<T>(path, add, larger);
    return all;
}

}  // namespace lab
