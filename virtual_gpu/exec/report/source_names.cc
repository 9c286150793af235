#include "virtual_gpu/exec/report/source_names.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace vgpu {
namespace {

constexpr int kLinesOfSignature = 40, kLinesOfFunction = 300;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || (c & 0x80) != 0; }
bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

// The name in "const float* __restrict__ in = nullptr" or "int (&tile)[4]"; empty: none.
std::string name_in(std::string_view declaration) {
    declaration = declaration.substr(0, declaration.find('='));
    while (declaration.ends_with(' ') || declaration.ends_with('\n')) declaration.remove_suffix(1);
    while (declaration.ends_with(']')) {
        declaration = declaration.substr(0, declaration.rfind('['));
        while (declaration.ends_with(' ')) declaration.remove_suffix(1);
    }
    if (declaration.ends_with(')')) declaration.remove_suffix(1);
    std::size_t begin = declaration.size();
    while (begin > 0 && is_word(declaration[begin - 1])) --begin;
    const std::string_view before = declaration.substr(0, begin);
    const bool has_type = std::any_of(before.begin(), before.end(), is_word);
    return has_type ? std::string(declaration.substr(begin)) : "";
}

}  // namespace

std::string without_comments(const std::string& text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text.compare(i, 2, "//") == 0) {
            i = std::min(text.find('\n', i), text.size());
        } else if (text.compare(i, 2, "/*") == 0) {
            i = std::min(text.find("*/", i + 2), text.size() - 2) + 1;
            continue;
        }
        if (i < text.size()) out += text[i];
    }
    return out;
}

std::size_t find_word(std::string_view text, std::string_view word, std::size_t from) {
    for (std::size_t at = text.find(word, from); at != std::string_view::npos; at = text.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) return at;
    }
    return std::string_view::npos;
}

std::vector<std::string> parameter_names(const std::vector<std::string>& lines, int line, const std::string& name,
                                         std::size_t count) {
    if (line < 1 || static_cast<std::size_t>(line) > lines.size() || count == 0) return {};
    std::string text;
    const auto last = std::min(lines.size(), static_cast<std::size_t>(line) + kLinesOfSignature);
    for (auto n = static_cast<std::size_t>(line) - 1; n < last; ++n) text += lines[n] + '\n';
    text = without_comments(text);
    std::size_t at = find_word(text, name);
    if (at == std::string::npos) return {};
    at += name.size();
    while (at < text.size() && is_space(text[at])) ++at;
    if (at == text.size() || text[at] != '(') return {};
    std::vector<std::string> names;
    int depth = 0;
    std::size_t begin = at + 1;
    for (std::size_t i = begin; i < text.size(); ++i) {
        const char c = text[i];
        if (depth == 0 && (c == ',' || c == ')')) {
            names.push_back(name_in(std::string_view(text).substr(begin, i - begin)));
            begin = i + 1;
            if (c == ')') break;
        } else if (c == '(' || c == '<' || c == '[' || c == '{') {
            ++depth;
        } else if (c == ')' || c == '>' || c == ']' || c == '}') {
            --depth;
        }
    }
    return names.size() == count ? names : std::vector<std::string>{};
}

std::string local_arrays_at(const std::vector<std::string>& lines, int line) {
    if (line < 1 || static_cast<std::size_t>(line) > lines.size()) return "";
    const auto own = static_cast<std::size_t>(line) - 1;
    const std::string text = without_comments(lines[own]);
    std::vector<std::string> indexed;
    for (std::size_t at = text.find('['); at != std::string::npos; at = text.find('[', at + 1)) {
        std::size_t end = at, begin = 0;
        while (end > 0 && is_space(text[end - 1])) --end;
        for (begin = end; begin > 0 && is_word(text[begin - 1]);) --begin;
        std::string word = text.substr(begin, end - begin);
        if (!word.empty() && std::find(indexed.begin(), indexed.end(), word) == indexed.end())
            indexed.push_back(std::move(word));
    }
    // A declaration: type, name, bracket.
    const auto declares = [](const std::string& declaration, const std::string& name) {
        for (const char* other : {"__shared__", "__constant__", "extern", "return", "="})
            if (const std::size_t at = declaration.find(other); at < find_word(declaration, name)) return false;
        const std::size_t at = find_word(declaration, name);
        if (at == std::string::npos || at == 0) return false;
        std::size_t end = at + name.size(), before = at;
        while (end < declaration.size() && is_space(declaration[end])) ++end;
        if (end == declaration.size() || declaration[end] != '[') return false;
        while (before > 0 && is_space(declaration[before - 1])) --before;
        const char c = before == 0 ? ';' : declaration[before - 1];
        return c == ',' || c == '>' || (is_word(c) && before != at);
    };
    std::string out;
    for (const std::string& name : indexed)
        for (std::size_t n = own + 1; n-- > 0 && own - n < kLinesOfFunction;)
            if (declares(without_comments(lines[n]), name)) {
                out += (out.empty() ? "" : " or ") + name;
                break;
            }
    return out;
}

}  // namespace vgpu
