#include "virtual_gpu/exec/report/source_types.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>

#include "virtual_gpu/exec/report/source_constants.h"
#include "virtual_gpu/exec/report/source_names.h"

namespace vgpu {
namespace {

std::string without_words(std::string type, std::initializer_list<std::string_view> words) {
    for (const std::string_view word : words)
        for (std::size_t at; (at = find_word(type, word)) != std::string::npos;) type.erase(at, word.size());
    std::string out;
    for (const char c : trimmed_text(type))
        if (std::isspace(static_cast<unsigned char>(c)) == 0 || (!out.empty() && out.back() != ' '))
            out += std::isspace(static_cast<unsigned char>(c)) != 0 ? ' ' : c;
    return out;
}

// ---- Types ----

std::uint64_t align_up(std::uint64_t at, std::uint64_t to) { return to == 0 ? at : (at + to - 1) / to * to; }

struct SourceType {
    Layout layout;
    std::uint64_t alignment = 0;
};

std::uint64_t bytes_of_number(std::string type) {
    if (type.ends_with("_t")) type.resize(type.size() - 2);
    static const std::map<std::string, std::uint64_t, std::less<>> kBytes = {{"char", 1},
                                                                             {"signed char", 1},
                                                                             {"unsigned char", 1},
                                                                             {"bool", 1},
                                                                             {"int8", 1},
                                                                             {"uint8", 1},
                                                                             {"short", 2},
                                                                             {"unsigned short", 2},
                                                                             {"int16", 2},
                                                                             {"uint16", 2},
                                                                             {"__half", 2},
                                                                             {"half", 2},
                                                                             {"__nv_bfloat16", 2},
                                                                             {"int", 4},
                                                                             {"unsigned int", 4},
                                                                             {"unsigned", 4},
                                                                             {"float", 4},
                                                                             {"int32", 4},
                                                                             {"uint32", 4},
                                                                             {"__half2", 4},
                                                                             {"half2", 4},
                                                                             {"long", 8},
                                                                             {"unsigned long", 8},
                                                                             {"long long", 8},
                                                                             {"double", 8},
                                                                             {"long long int", 8},
                                                                             {"unsigned long long", 8},
                                                                             {"int64", 8},
                                                                             {"uint64", 8},
                                                                             {"size", 8},
                                                                             {"long unsigned int", 8},
                                                                             {"unsigned long long int", 8}};
    const auto found = kBytes.find(type);
    return found == kBytes.end() ? 0 : found->second;
}

// int2, float4: a number's name, then how many.
std::optional<SourceType> vector_type(const std::string& name) {
    if (name.size() < 4 || name.back() < '2' || name.back() > '4') return std::nullopt;
    std::string number = name.substr(0, name.size() - 1);
    const bool is_long = number == "longlong" || number == "ulonglong" || number == "long" || number == "ulong";
    if (!is_long && number.starts_with('u')) number.erase(0, 1);
    for (const char* one : {"char", "short", "int", "float", "double"})
        if (is_long || number == one) {
            const std::uint64_t bytes = is_long ? 8 : bytes_of_number(number);
            const auto count = static_cast<std::uint64_t>(name.back() - '0');
            SourceType type;
            type.layout.bytes = bytes * count;
            type.layout.is_class = true;
            for (std::uint64_t m = 0; m < count; ++m)
                type.layout.members.push_back({std::string(1, "xyzw"[m]), m * bytes, bytes});
            type.alignment = std::min<std::uint64_t>(count == 3 ? bytes : bytes * count, 16);
            return type;
        }
    return std::nullopt;
}

SourceType type_of(const std::string& name, const TypesIn& where);

// What stands in the class's braces, and its alignment.
std::optional<SourceType> members_of(std::string_view body, const TypesIn& where) {
    SourceType type;
    type.layout.is_class = true;
    std::uint64_t at = 0;
    while (!(body = body.substr(std::min(body.find_first_not_of(" \t\r\n;"), body.size()))).empty()) {
        const std::size_t end = std::min(body.find_first_of(";{("), body.size());
        const std::string_view first = body.substr(0, end);
        const bool is_function =
            end < body.size() && body[end] == '(' && first.find("alignas") == std::string_view::npos;
        const bool is_other = find_word(first, "using") == 0 || find_word(first, "static") != std::string_view::npos ||
                              first.find("enum") != std::string_view::npos ||
                              first.find("struct") != std::string_view::npos;
        if (is_function || is_other) {  // to the end of its body or its semicolon
            std::size_t past = std::min(body.find_first_of(";{", end), body.size());
            if (past < body.size() && body[past] == '{') past = behind_bracket(body, past);
            body = body.substr(std::min(past + (past < body.size() && body[past] == ';' ? 1 : 0), body.size()));
            continue;
        }
        const std::string_view whole = body.substr(0, std::min(body.find(';'), body.size()));
        body = body.substr(whole.size());
        const std::vector<std::string> declared = parts_between(whole, ',');
        if (declared.empty()) continue;
        std::string type_name;
        for (std::size_t n = 0; n < declared.size(); ++n) {
            std::string one = declared[n].substr(0, declared[n].find_first_of("={"));
            const std::size_t bracket = one.find('[');
            std::uint64_t count = 1;
            for (std::size_t b = bracket; b < one.size() && one[b] == '['; b = behind_bracket(one, b)) {
                const auto size =
                    constant_in(std::string_view(one).substr(b + 1, behind_bracket(one, b) - b - 2), where);
                if (!size || *size <= 0) return std::nullopt;
                count *= static_cast<std::uint64_t>(*size);
            }
            one = trimmed_text(one.substr(0, bracket));
            std::size_t begin = one.size();
            while (begin > 0 &&
                   (std::isalnum(static_cast<unsigned char>(one[begin - 1])) != 0 || one[begin - 1] == '_'))
                --begin;
            if (n == 0) type_name = trimmed_text(one.substr(0, begin));
            if (begin == one.size() || type_name.empty()) return std::nullopt;
            const SourceType its =
                type_of(n > 0 && begin > 0 ? type_name + " " + one.substr(0, begin) : type_name, where);
            if (its.layout.bytes == 0) return std::nullopt;
            at = align_up(at, its.alignment);
            type.layout.members.push_back({one.substr(begin), at, its.layout.bytes * count});
            at += its.layout.bytes * count;
            type.alignment = std::max(type.alignment, its.alignment);
        }
    }
    type.layout.bytes = at;
    return type;
}

// The names in "template <class T, int kWidth = 4>" that ends before `at`; none if no such thing stands there.
std::vector<std::string> template_names(std::string_view text, std::size_t at) {
    while (at > 0 && std::isspace(static_cast<unsigned char>(text[at - 1])) != 0) --at;
    if (at == 0 || text[at - 1] != '>') return {};
    const std::size_t begin = text.rfind("template", at);
    const std::size_t open = begin == std::string_view::npos ? begin : text.find('<', begin);
    if (open == std::string_view::npos || behind_bracket(text, open) != at) return {};
    std::vector<std::string> names;
    for (std::string one : parts_between(text.substr(open + 1, at - open - 2), ',')) {
        one = trimmed_text(one.substr(0, one.find('=')));
        const std::size_t last = one.find_last_of(" .");
        names.push_back(last == std::string::npos ? one : one.substr(last + 1));
    }
    return names;
}

TemplateArguments paired(const std::vector<std::string>& names, const std::vector<std::string>& values) {
    TemplateArguments out;
    for (std::size_t n = 0; n < std::min(names.size(), values.size()); ++n) {
        std::string value = values[n];
        if (value.starts_with('(')) value.erase(0, behind_bracket(value, 0));  // "(int)256"
        out[names[n]] = value;
    }
    return out;
}

std::optional<SourceType> class_in(std::string_view text, const std::string& name,
                                   const std::vector<std::string>& values, const TypesIn& where) {
    for (std::size_t at = 0; (at = find_word(text, name, at)) != std::string_view::npos; at += name.size()) {
        std::size_t open = at + name.size();
        while (open < text.size() && std::isspace(static_cast<unsigned char>(text[open])) != 0) ++open;
        if (open == text.size() || text[open] != '{') continue;
        const std::size_t last = at == 0 ? std::string_view::npos : text.find_last_of(";{}>", at - 1);
        const std::size_t begin = last == std::string_view::npos ? 0 : last + 1;
        const std::string_view head = text.substr(begin, at - begin);
        if (find_word(head, "struct") == std::string_view::npos && find_word(head, "class") == std::string_view::npos)
            continue;
        const TemplateArguments arguments = paired(template_names(text, begin), values);
        const TypesIn inside{where.texts, arguments, where.depth + 1};
        auto type = members_of(text.substr(open + 1, behind_bracket(text, open) - open - 2), inside);
        if (!type) return std::nullopt;
        for (const char* word : {"alignas", "__align__"})
            if (const std::size_t with = head.find(word); with != std::string_view::npos) {
                const std::size_t from = head.find('(', with);
                if (from == std::string_view::npos) return std::nullopt;
                const auto bytes = constant_in(head.substr(from + 1, behind_bracket(head, from) - from - 2), inside);
                if (!bytes || *bytes <= 0) return std::nullopt;
                type->alignment = std::max(type->alignment, static_cast<std::uint64_t>(*bytes));
            }
        type->layout.bytes = align_up(type->layout.bytes, type->alignment);
        return type;
    }
    return std::nullopt;
}

SourceType type_of(const std::string& written, const TypesIn& where) {
    std::string name = without_words(written, {"const", "volatile", "__restrict__", "struct", "typename", "mutable"});
    if (name.ends_with('*')) return {{8, false, {}, {}}, 8};
    if (const auto argument = where.arguments.find(name); argument != where.arguments.end()) name = argument->second;
    if (const std::uint64_t bytes = bytes_of_number(name.starts_with("std::") ? name.substr(5) : name); bytes != 0)
        return {{bytes, false, {}, {}}, bytes};
    if (const auto vector = vector_type(name)) return *vector;
    SourceType unknown;
    unknown.layout.is_class = true;
    if (where.depth > kDeepestType) return unknown;
    std::vector<std::string> values;
    if (const std::size_t open = name.find('<'); open != std::string::npos) {
        values = parts_between(std::string_view(name).substr(open + 1, behind_bracket(name, open) - open - 2), ',');
        for (std::string& value : values)
            if (const auto known = where.arguments.find(value); known != where.arguments.end()) value = known->second;
        name.resize(open);
    }
    if (const std::size_t colon = name.rfind("::"); colon != std::string::npos) name.erase(0, colon + 2);
    for (const std::string& text : where.texts)
        if (const auto found = class_in(text, name, values, where)) return *found;
    return unknown;
}

// "k" and what stands in its brackets: template arguments or parameters.
std::size_t bracket_of(const std::string& demangled, char bracket) {
    int depth = 0;
    const std::string plain = "(anonymous namespace)";
    std::size_t at = 0;
    if (const std::size_t unnamed = demangled.find(plain); unnamed != std::string::npos) at = unnamed + plain.size();
    for (; at < demangled.size(); ++at) {
        if (depth == 0 && demangled[at] == bracket) return at;
        if (bracket == '<' && depth == 0 && demangled[at] == '(') break;
        if (opens(demangled[at])) ++depth;
        if (closes(demangled[at])) --depth;
    }
    return std::string::npos;
}

}  // namespace

std::vector<std::string> parameter_types(const std::string& demangled) {
    const std::size_t open = bracket_of(demangled, '(');
    if (open == std::string::npos) return {};
    return parts_between(std::string_view(demangled).substr(open + 1, behind_bracket(demangled, open) - open - 2), ',');
}

TemplateArguments arguments_of(const std::string& demangled, const std::vector<std::string>& texts) {
    const std::size_t open = bracket_of(demangled, '<');
    if (open == std::string::npos) return {};
    const auto values =
        parts_between(std::string_view(demangled).substr(open + 1, behind_bracket(demangled, open) - open - 2), ',');
    std::size_t begin = open;
    while (begin > 0 &&
           (std::isalnum(static_cast<unsigned char>(demangled[begin - 1])) != 0 || demangled[begin - 1] == '_'))
        --begin;
    const std::string name = demangled.substr(begin, open - begin);
    for (const std::string& text : texts)
        for (std::size_t at = 0; (at = find_word(text, name, at)) != std::string::npos; at += name.size()) {
            const std::size_t from = text.rfind("__global__", at);
            if (from == std::string::npos || text.find_first_of(";{}", from) < at) continue;
            if (const auto names = template_names(text, from); !names.empty()) return paired(names, values);
        }
    return {};
}

Layout layout_of(const std::string& pointer, const std::vector<std::string>& texts) {
    std::string type = without_words(pointer, {"const", "volatile", "__restrict__"});
    if (!type.ends_with('*')) return {};
    type.pop_back();
    return type_of(type, {texts, {}}).layout;
}

Layout shared_layout(const std::string& name, std::uint64_t bytes, const std::vector<std::string>& texts,
                     const TemplateArguments& arguments) {
    constexpr std::string_view kShared = "__shared__";
    const TypesIn where{texts, arguments};
    for (const std::string& text : texts)
        for (std::size_t at = 0; (at = find_word(text, kShared, at)) != std::string::npos; at += kShared.size()) {
            const std::string_view whole = std::string_view(text).substr(at, text.find(';', at) - at);
            const std::size_t own = find_word(whole, name);
            if (own == std::string_view::npos || whole.find('{') < own) continue;
            std::string declared(whole.substr(kShared.size(), own - kShared.size()));
            declared = declared.substr(0, declared.find('['));  // of several, those before it
            for (const char* word : {"alignas", "__align__"})
                if (const std::size_t with = declared.find(word); with != std::string::npos)
                    if (const std::size_t open = declared.find('(', with); open != std::string::npos)
                        declared.erase(with, behind_bracket(declared, open) - with);
            declared = declared.substr(0, declared.find(','));
            const bool is_first = whole.substr(0, own).find_first_of("[,") == std::string_view::npos;
            if (!is_first) {  // the type, and the name of another
                const std::size_t last = trimmed_text(declared).find_last_of(" *&");
                if (last != std::string::npos) declared = trimmed_text(declared).substr(0, last);
            }
            Layout layout = type_of(without_words(declared, {"extern", "static"}), where).layout;
            const std::string_view sizes = whole.substr(own + name.size());
            std::size_t bracket = sizes.find_first_not_of(" \n");
            int dimensions = 0;
            std::vector<std::uint64_t> all;
            for (; bracket < sizes.size() && sizes[bracket] == '['; bracket = behind_bracket(sizes, bracket)) {
                const auto size =
                    constant_in(sizes.substr(bracket + 1, behind_bracket(sizes, bracket) - bracket - 2), where);
                all.push_back(size && *size > 0 ? static_cast<std::uint64_t>(*size) : 0);
                ++dimensions;
            }
            std::uint64_t count = 1;
            for (const std::uint64_t size : all) count *= size;
            if (layout.bytes == 0 && count != 0 && bytes % count == 0) layout.bytes = bytes / count;
            if (layout.bytes == 0) layout.is_class = false;  // a template's T, as likely as not
            if (dimensions < 2) return layout;
            // One size that is not known follows from the others and the whole.
            if (std::ranges::count(all, 0u) == 1 && layout.bytes != 0) {
                std::uint64_t known = layout.bytes;
                for (const std::uint64_t size : all) known *= std::max<std::uint64_t>(size, 1);
                if (bytes % known == 0) *std::ranges::find(all, 0u) = bytes / known;
            }
            std::uint64_t product = layout.bytes;
            for (const std::uint64_t size : all) product *= size;
            layout.inner.assign(all.begin() + 1, all.end());
            if (product != bytes) std::ranges::fill(layout.inner, 0u);
            return layout;
        }
    return {};
}

std::uint64_t bytes_counted(int bytes, const Layout& layout) {
    const auto own = static_cast<std::uint64_t>(bytes);
    if (layout.is_class) return layout.bytes;
    return layout.inner.empty() || layout.bytes == 0 ? own : layout.bytes;
}

std::int64_t element_index(std::int64_t offset, int bytes, const Layout& layout) {
    const auto each = static_cast<std::int64_t>(bytes_counted(bytes, layout));
    if (each == 0) return offset;
    return offset >= 0 ? offset / each : -((-offset + each - 1) / each);
}

std::string element_text(const std::string& name, std::int64_t offset, int bytes, const Layout& layout, bool is_short) {
    const auto each = static_cast<std::int64_t>(bytes_counted(bytes, layout));
    const bool is_word = std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
    if (each == 0) return "byte " + std::to_string(offset) + " of " + name;
    const std::int64_t index = element_index(offset, bytes, layout);
    std::string member;
    for (const Member& m : layout.members) {
        const std::int64_t in = offset - index * each - static_cast<std::int64_t>(m.at);
        if (in >= 0 && in + bytes <= static_cast<std::int64_t>(m.bytes)) member = m.name;
    }
    if (!layout.inner.empty()) {
        std::string brackets;
        std::int64_t rest = index;
        for (auto size = layout.inner.rbegin(); size != layout.inner.rend(); ++size) {
            const auto along = static_cast<std::int64_t>(*size);
            if (along == 0) return "element " + std::to_string(index) + " of " + name;
            const std::int64_t outer = rest >= 0 ? rest / along : -((-rest + along - 1) / along);
            brackets.insert(0, "[" + std::to_string(rest - outer * along) + "]");
            rest = outer;
        }
        return name + "[" + std::to_string(rest) + "]" + brackets + (member.empty() ? "" : "." + member);
    }
    if (is_word && (is_short || layout.is_class))
        return name + "[" + std::to_string(index) + "]" + (member.empty() ? "" : "." + member);
    if (is_short) return name + "[" + std::to_string(index) + "]";
    return name + " at index " + std::to_string(index) + (member.empty() ? "" : ", member " + member);
}

}  // namespace vgpu
