#include "virtual_gpu/exec/report/source_constants.h"

#include <cctype>
#include <cstdlib>
#include <string_view>

#include "virtual_gpu/exec/report/source_names.h"

namespace vgpu {

bool opens(char c) { return c == '(' || c == '<' || c == '[' || c == '{'; }
bool closes(char c) { return c == ')' || c == '>' || c == ']' || c == '}'; }

std::string trimmed_text(std::string_view text) {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
    return std::string(text);
}

// The parts between separators that are in no brackets.
std::vector<std::string> parts_between(std::string_view text, char separator) {
    std::vector<std::string> parts;
    std::size_t begin = 0;
    int depth = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        if (i == text.size() || (depth == 0 && text[i] == separator)) {
            parts.push_back(trimmed_text(text.substr(begin, i - begin)));
            begin = i + 1;
        } else if (opens(text[i])) {
            ++depth;
        } else if (closes(text[i])) {
            --depth;
        }
    }
    return parts.size() == 1 && parts[0].empty() ? std::vector<std::string>{} : parts;
}

// Behind the bracket that closes the one at `at`; the text's end if none does.
std::size_t behind_bracket(std::string_view text, std::size_t at) {
    const char open = text[at], close = open == '(' ? ')' : open == '<' ? '>' : open == '[' ? ']' : '}';
    int depth = 0;
    for (; at < text.size(); ++at) {
        depth += text[at] == open ? 1 : text[at] == close ? -1 : 0;
        if (depth == 0) return at + 1;
    }
    return at;
}

namespace {

constexpr std::uint64_t kLargestConstant = std::uint64_t{1} << 40;

class ConstantIn {
  public:
    ConstantIn(std::string_view text, const TypesIn& where) : text_(text), where_(where) {}
    std::optional<std::int64_t> value() {
        const std::int64_t found = sum();
        skip();
        return fails_ || at_ != text_.size() ? std::nullopt : std::optional(found);
    }

  private:
    void skip() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    }
    bool takes(char c) {
        skip();
        return at_ < text_.size() && text_[at_] == c && ++at_ != 0;
    }
    std::int64_t sum() {
        std::int64_t left = product();
        for (;;)
            if (takes('+'))
                left += product();
            else if (takes('-'))
                left -= product();
            else
                return left;
    }
    std::int64_t product() {
        std::int64_t left = one();
        for (;;)
            if (takes('*')) {
                left *= one();
            } else if (takes('/')) {
                const std::int64_t right = one();
                fails_ |= right == 0;
                left = right != 0 ? left / right : 0;
            } else {
                fails_ |= std::abs(left) > static_cast<std::int64_t>(kLargestConstant);
                return fails_ ? 0 : left;
            }
    }
    std::int64_t one() {
        if (takes('(')) {
            const std::int64_t inside = sum();
            fails_ |= !takes(')');
            return inside;
        }
        skip();
        const std::size_t begin = at_;
        const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
        while (at_ < text_.size() && (is_part(text_[at_]) || text_[at_] == '\'')) ++at_;
        std::string word(text_.substr(begin, at_ - begin));
        std::erase(word, '\'');
        if (word.empty()) return fails_ = true, 0;
        if (std::isdigit(static_cast<unsigned char>(word[0])) == 0) return named(word);
        char* end = nullptr;
        const long long number = std::strtoll(word.c_str(), &end, 0);
        fails_ |= std::string_view(end).find_first_not_of("uUlL") != std::string_view::npos;
        return number;
    }
    std::int64_t named(const std::string& name) {
        const TypesIn deeper{where_.texts, where_.arguments, where_.depth + 1};
        std::optional<std::int64_t> found;
        if (const auto argument = where_.arguments.find(name); argument != where_.arguments.end())
            found = ConstantIn(argument->second, deeper).value();
        else if (where_.depth < kDeepestType)
            for (const std::string& text : where_.texts)
                if ((found = defined(text, name, deeper))) break;
        fails_ |= !found;
        return found.value_or(0);
    }
    // The value in "constexpr int kTile = 32;".
    static std::optional<std::int64_t> defined(std::string_view text, const std::string& name, const TypesIn& where) {
        for (std::size_t at = 0; (at = find_word(text, name, at)) != std::string_view::npos; at += name.size()) {
            std::size_t is = at + name.size();
            while (is < text.size() && std::isspace(static_cast<unsigned char>(text[is])) != 0) ++is;
            if (is + 1 >= text.size() || text[is] != '=' || text[is + 1] == '=') continue;
            const std::size_t last = at == 0 ? std::string_view::npos : text.find_last_of(";{}", at - 1);
            const std::size_t begin = last == std::string_view::npos ? 0 : last + 1;
            const std::string_view before = text.substr(begin, at - begin);
            if (before.find("const") == std::string_view::npos) continue;
            const std::string_view rest = text.substr(is + 1);
            return ConstantIn(parts_between(rest.substr(0, rest.find(';')), ',').at(0), where).value();
        }
        return std::nullopt;
    }

    std::string_view text_;
    const TypesIn& where_;
    std::size_t at_ = 0;
    bool fails_ = false;
};

}  // namespace

std::optional<std::int64_t> constant_in(std::string_view text, const TypesIn& where) {
    return ConstantIn(text, where).value();
}

}  // namespace vgpu
