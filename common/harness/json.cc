#include "harness/json.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace lab::json {

class Parser {
  public:
    explicit Parser(std::string_view text) : text_(text) {}

    Value document() {
        Value value = parse_value(0);
        skip_space();
        if (at_ != text_.size()) fail("something follows the value");
        return value;
    }

  private:
    static constexpr int kMaxDepth = 64;  // no message is deeper, and recursion must not overflow the stack

    [[noreturn]] void fail(const std::string& what) const {
        throw Error("JSON, byte " + std::to_string(at_) + ": " + what);
    }
    void skip_space() {
        while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
    }
    char peek() {
        skip_space();
        if (at_ == text_.size()) fail("it ends too early");
        return text_[at_];
    }
    bool take(char c) {
        if (peek() != c) return false;
        ++at_;
        return true;
    }
    void expect(char c) {
        if (!take(c)) fail(std::string("expected ") + c);
    }
    void word(std::string_view w) {
        if (text_.substr(at_, w.size()) != w) fail("unknown word");
        at_ += w.size();
    }

    Value parse_value(int depth) {
        if (depth > kMaxDepth) fail("nested too deep");
        Value v;
        switch (peek()) {
            case '{':
                v.kind_ = Value::Kind::object;
                ++at_;
                if (take('}')) break;
                do {
                    if (peek() != '"') fail("expected a key");
                    v.keys_.push_back(parse_string());
                    expect(':');
                    v.elements_.push_back(parse_value(depth + 1));
                } while (take(','));
                expect('}');
                break;
            case '[':
                v.kind_ = Value::Kind::array;
                ++at_;
                if (take(']')) break;
                do v.elements_.push_back(parse_value(depth + 1));
                while (take(','));
                expect(']');
                break;
            case '"':
                v.kind_ = Value::Kind::string;
                v.text_ = parse_string();
                break;
            case 't':
            case 'f':
                v.kind_ = Value::Kind::boolean;
                v.boolean_ = text_[at_] == 't';
                word(v.boolean_ ? "true" : "false");
                break;
            case 'n':
                word("null");
                break;
            default: {
                const std::size_t begin = at_;
                while (at_ < text_.size() &&
                       std::string_view("+-.0123456789eE").find(text_[at_]) != std::string_view::npos)
                    ++at_;
                if (begin == at_) fail("expected a value");
                v.kind_ = Value::Kind::number;
                v.text_ = text_.substr(begin, at_ - begin);
            }
        }
        return v;
    }

    unsigned hex4() {
        unsigned code = 0;
        if (at_ + 4 > text_.size()) fail("\\u needs four digits");
        const auto [end, error] = std::from_chars(&text_[at_], &text_[at_] + 4, code, 16);
        if (error != std::errc() || end != &text_[at_] + 4) fail("\\u needs four digits");
        at_ += 4;
        return code;
    }

    static void append_utf8(std::string& out, unsigned code) {
        if (code < 0x80) {
            out += static_cast<char>(code);
        } else if (code < 0x800) {
            out += static_cast<char>(0xc0 | code >> 6);
            out += static_cast<char>(0x80 | (code & 0x3f));
        } else if (code < 0x10000) {
            out += static_cast<char>(0xe0 | code >> 12);
            out += static_cast<char>(0x80 | (code >> 6 & 0x3f));
            out += static_cast<char>(0x80 | (code & 0x3f));
        } else {
            out += static_cast<char>(0xf0 | code >> 18);
            out += static_cast<char>(0x80 | (code >> 12 & 0x3f));
            out += static_cast<char>(0x80 | (code >> 6 & 0x3f));
            out += static_cast<char>(0x80 | (code & 0x3f));
        }
    }

    std::string parse_string() {
        std::string out;
        for (++at_;; ++at_) {
            if (at_ >= text_.size()) fail("a string without an end");
            char c = text_[at_];
            if (c == '"') break;
            if (c != '\\') {
                out += c;
                continue;
            }
            if (++at_ >= text_.size()) fail("a string without an end");
            c = text_[at_];
            const std::size_t known = std::string_view("\"\\/bfnrt").find(c);
            if (known != std::string_view::npos) {
                out += "\"\\/\b\f\n\r\t"[known];
            } else if (c == 'u') {
                ++at_;
                unsigned code = hex4();
                if (code >= 0xd800 && code < 0xdc00 && text_.substr(at_, 2) == "\\u") {  // a surrogate pair
                    at_ += 2;
                    code = 0x10000 + ((code & 0x3ff) << 10) + (hex4() & 0x3ff);
                }
                append_utf8(out, code);
                --at_;
            } else {
                fail("unknown escape");
            }
        }
        ++at_;
        return out;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

Value parse(std::string_view text) { return Parser(text).document(); }

namespace {

template <class T>
T whole(const Value& value, const std::string& text) {
    T result{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result);
    if (!value.is(Value::Kind::number) || error != std::errc() || end != text.data() + text.size())
        throw Error("JSON: \"" + text + "\" is not a whole number in range");
    return result;
}

void need(bool ok, const char* what) {
    if (!ok) throw Error(std::string("JSON: expected ") + what);
}

// The bytes of one well-formed UTF-8 sequence at `at`, or 0.
std::size_t utf8_length(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
    const unsigned first = byte(at);
    const std::size_t length = first < 0x80                    ? 1
                               : first >= 0xc2 && first < 0xe0 ? 2
                               : first >= 0xe0 && first < 0xf0 ? 3
                               : first >= 0xf0 && first < 0xf5 ? 4
                                                               : 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(at + i) & 0xc0) != 0x80) return 0;
    if (first == 0xe0 && byte(at + 1) < 0xa0) return 0;   // overlong
    if (first == 0xed && byte(at + 1) >= 0xa0) return 0;  // surrogates
    if (first == 0xf0 && byte(at + 1) < 0x90) return 0;
    if (first == 0xf4 && byte(at + 1) >= 0x90) return 0;
    return length;
}

}  // namespace

bool Value::boolean() const { return need(is(Kind::boolean), "true or false"), boolean_; }
std::int64_t Value::integer() const { return whole<std::int64_t>(*this, text_); }
std::uint64_t Value::unsigned_integer() const { return whole<std::uint64_t>(*this, text_); }
const std::string& Value::string() const { return need(is(Kind::string), "a string"), text_; }
const std::vector<Value>& Value::array() const { return need(is(Kind::array), "an array"), elements_; }

double Value::number() const {
    need(is(Kind::number), "a number");
    double result = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), result);
    need(error == std::errc() && end == text_.data() + text_.size(), "a number");
    return result;
}

const std::vector<std::string>& Value::keys() const { return need(is(Kind::object), "an object"), keys_; }

const Value* Value::find(std::string_view key) const {
    for (std::size_t i = 0; i < keys_.size(); ++i)
        if (keys_[i] == key) return &elements_[i];
    return nullptr;
}

const Value& Value::operator[](std::string_view key) const {
    if (const Value* value = find(key)) return *value;
    throw Error("JSON: no \"" + std::string(key) + "\"");
}

std::string quote(std::string_view text) {
    std::string out = "\"";
    for (std::size_t i = 0; i < text.size();) {
        const char c = text[i];
        const std::size_t length = utf8_length(text, i);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (c == '\n') {
            out += "\\n";
        } else if (length == 1 && static_cast<unsigned char>(c) < 0x20) {
            char escape[8];
            std::snprintf(escape, sizeof escape, "\\u%04x", c);
            out += escape;
        } else if (length == 0) {
            out += "\xef\xbf\xbd";  // the replacement character
        } else {
            out += text.substr(i, length);
        }
        i += length == 0 ? 1 : length;
    }
    return out + '"';
}

std::string number(double value) {
    if (!std::isfinite(value)) return "null";
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, value).ptr;
    return {text, end};
}

Writer& Writer::raw(std::string_view key, std::string_view json) {
    if (!members_.empty()) members_ += ',';
    members_ += quote(key) + ":";
    members_ += json;
    return *this;
}

std::string list(const std::vector<std::string>& json) {
    std::string out = "[";
    for (const std::string& item : json) out += (out.size() > 1 ? "," : "") + item;
    return out + "]";
}

}  // namespace lab::json
