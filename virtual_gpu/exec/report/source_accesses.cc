// Whether a line of source can access memory at all. The compiler's line numbers say where the statement of an
// instruction begins; but an instruction that it has moved out of a loop or a branch often stands, without a line of
// its own, behind one of another statement, and seems to belong to that.
#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "virtual_gpu/exec/report/source_names.h"

namespace vgpu {
namespace {

constexpr std::size_t kLinesToDeclaration = 300;

constexpr std::array<std::string_view, 30> kWords = {
    "if",     "else", "while", "for",    "do",        "switch", "case",    "default",  "break",   "continue",
    "return", "true", "false", "const",  "constexpr", "auto",   "int",     "unsigned", "long",    "short",
    "char",   "bool", "float", "double", "size_t",    "signed", "int32_t", "uint32_t", "int64_t", "uint64_t"};
constexpr std::array<std::string_view, 4> kNotCalls = {"if", "while", "for", "switch"};
constexpr std::array<std::string_view, 5> kNotOnStack = {"__shared__", "__device__", "__constant__", "__managed__",
                                                         "extern"};

bool is_in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || (c & 0x80) != 0; }

template <class Words>
bool has(const Words& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
    return text;
}

std::string_view code_of(const std::string& line) { return trimmed(std::string_view(line).substr(0, line.find("//"))); }

// "low" of "int low = 0": is it declared here, and does it live in a register? `text` has it at `at`.
enum class Found { nothing, plain, elsewhere };
Found declaration_at(std::string_view text, std::size_t at, std::string_view name) {
    const std::string_view before = trimmed(text.substr(0, at)), behind = trimmed(text.substr(at + name.size()));
    if (before.empty()) return Found::nothing;
    const char last = before.back();
    if (last == '&' && !before.ends_with("&&")) return Found::elsewhere;  // a reference
    std::size_t begin = before.size();
    while (begin > 0 && is_in_word(before[begin - 1])) --begin;
    const std::string_view word = before.substr(begin);
    if (word == "define") return Found::elsewhere;
    const bool is_template = last == '>' && before.find('<') != std::string_view::npos;
    const bool is_declared = is_template || last == ',' || (!word.empty() && word != "return" && word != "case");
    const bool ends = behind.empty() || std::string_view("=,;){:").find(behind.front()) != std::string_view::npos;
    if (!is_declared || !ends) return Found::nothing;
    for (const std::string_view one : kNotOnStack)
        if (text.find(one) != std::string_view::npos) return Found::elsewhere;
    return Found::plain;
}

bool lives_in_register(const std::vector<std::string>& lines, std::size_t line, std::string_view name) {
    for (std::size_t n = line; n > 0 && line - n < kLinesToDeclaration; --n) {
        const std::string_view text = code_of(lines[n - 1]);
        for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
            const std::size_t end = at + name.size();
            if ((at > 0 && is_in_word(text[at - 1])) || (end < text.size() && is_in_word(text[end]))) continue;
            const Found found = declaration_at(text, at, name);
            if (found != Found::nothing) return found == Found::plain;
        }
    }
    return false;
}

}  // namespace

bool may_access_memory(const std::vector<std::string>& lines, int number) {
    if (number < 1 || static_cast<std::size_t>(number) > lines.size()) return true;
    const auto line = static_cast<std::size_t>(number);
    const std::string_view text = code_of(lines[line - 1]);
    // The rest of a statement that ends on another line may access it.
    const bool is_whole = text.ends_with('{') || text.ends_with(';') || text.ends_with(')') || text.ends_with('}') ||
                          text == "do" || text == "else";
    if (!is_whole || std::ranges::count(text, '(') != std::ranges::count(text, ')')) return true;
    if (text.find_first_of("[*\\\"'#") != std::string_view::npos || text.find("->") != std::string_view::npos)
        return true;
    for (std::size_t at = 0; at < text.size();) {
        if (!is_in_word(text[at])) {
            if (text[at] == '.' || (text[at] == ':' && text.substr(at).starts_with("::"))) return true;
            ++at;
            continue;
        }
        const std::size_t begin = at;
        const bool is_number = std::isdigit(static_cast<unsigned char>(text[at])) != 0;
        while (at < text.size() && (is_in_word(text[at]) || (is_number && text[at] == '.'))) ++at;
        const std::string_view word = text.substr(begin, at - begin), behind = trimmed(text.substr(at));
        if (is_number) continue;
        if ((word == "threadIdx" || word == "blockIdx" || word == "blockDim" || word == "gridDim") &&
            behind.starts_with('.')) {
            at += 2;
            continue;
        }
        if (behind.starts_with('(') && !has(kNotCalls, word)) return true;
        if (!has(kWords, word) && !lives_in_register(lines, line, word)) return true;
    }
    return false;
}

}  // namespace vgpu
