#include "virtual_gpu/command/json_value.h"

#include <charconv>
#include <cstdlib>

namespace vgpu::command {
namespace {

constexpr int kDeepest = 64;

class Reader {
  public:
    explicit Reader(std::string_view text) : rest_(text) {}

    bool whole(JsonValue& out) {
        const bool read = value(out, 0);
        skip_blanks();
        return read && rest_.empty();
    }

  private:
    void skip_blanks() {
        const std::size_t at = rest_.find_first_not_of(" \t\r\n");
        rest_.remove_prefix(at == std::string_view::npos ? rest_.size() : at);
    }
    bool take(std::string_view word) {
        skip_blanks();
        const bool is_next = rest_.starts_with(word);
        rest_.remove_prefix(is_next ? word.size() : 0);
        return is_next;
    }

    bool value(JsonValue& out, int depth) {
        using Type = JsonValue::Type;
        if (depth > kDeepest) {
            return false;
        }
        if (take("{")) {
            out.type = Type::object;
            return list("}", [&] {
                std::string name;
                return take("\"") && string(name) && take(":") && value(out.members[name], depth + 1);
            });
        }
        if (take("[")) {
            out.type = Type::array;
            return list("]", [&] { return value(out.items.emplace_back(), depth + 1); });
        }
        if (take("\"")) {
            out.type = Type::text;
            return string(out.text);
        }
        if (take("true") || take("false")) {
            out.type = Type::boolean;
            out.boolean = rest_.data()[-2] == 'u';  // the last but one letter of true
            return true;
        }
        if (take("null")) {
            return true;
        }
        const std::size_t end = rest_.find_first_not_of("+-.0123456789eE");
        out.type = Type::number;
        out.text = rest_.substr(0, end);
        rest_.remove_prefix(out.text.size());
        return !out.text.empty();
    }

    template <class Item>
    bool list(std::string_view end, Item&& item) {
        if (take(end)) {
            return true;
        }
        do {
            if (!item()) {
                return false;
            }
        } while (take(","));
        return take(end);
    }

    bool string(std::string& out) {
        for (;;) {
            const std::size_t end = rest_.find_first_of("\"\\");
            if (end == std::string_view::npos) {
                return false;
            }
            out += rest_.substr(0, end);
            const bool ends = rest_[end] == '"';
            rest_.remove_prefix(end + 1);
            if (ends) {
                return true;
            }
            if (!escaped(out)) {
                return false;
            }
        }
    }

    bool escaped(std::string& out) {
        constexpr std::string_view kLetters = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
        if (rest_.empty()) {
            return false;
        }
        const char letter = rest_[0];
        rest_.remove_prefix(1);
        if (const std::size_t at = kLetters.find(letter); at != std::string_view::npos) {
            out += kMeant[at];
            return true;
        }
        unsigned code = 0;
        if (letter != 'u' || rest_.size() < 4 ||
            std::from_chars(rest_.data(), rest_.data() + 4, code, 16).ptr != rest_.data() + 4) {
            return false;
        }
        rest_.remove_prefix(4);
        // The report escapes control characters only; another code would be two or three bytes.
        if (code < 0x80) {
            out += static_cast<char>(code);
        } else if (code < 0x800) {
            out += {static_cast<char>(0xc0 | code >> 6), static_cast<char>(0x80 | (code & 0x3f))};
        } else {
            out += {static_cast<char>(0xe0 | code >> 12), static_cast<char>(0x80 | (code >> 6 & 0x3f)),
                    static_cast<char>(0x80 | (code & 0x3f))};
        }
        return true;
    }

    std::string_view rest_;
};

}  // namespace

const JsonValue& JsonValue::operator[](std::string_view name) const {
    static const JsonValue none;
    const auto found = members.find(name);
    return found != members.end() ? found->second : none;
}

double JsonValue::real() const { return std::strtod(text.c_str(), nullptr); }
std::int64_t JsonValue::integer() const { return std::strtoll(text.c_str(), nullptr, 10); }
std::uint64_t JsonValue::natural() const { return std::strtoull(text.c_str(), nullptr, 10); }

bool read_json(std::string_view text, JsonValue& out) { return Reader(text).whole(out); }

}  // namespace vgpu::command
