#include "virtual_gpu/ptx/scanner.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

namespace vgpu::ptx {
namespace {

constexpr int kDeepest = 200;  // nesting of constant expressions and braces

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool starts_name(char c) { return is_letter(c) || c == '_' || c == '$' || c == '%'; }
bool in_name(char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '$'; }
int hex_digit(char c) {
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// C's levels, loosest first; longer operators before their prefixes.
constexpr std::array<std::array<std::string_view, 4>, 10> kOperators = {{{"||"},
                                                                         {"&&"},
                                                                         {"|"},
                                                                         {"^"},
                                                                         {"&"},
                                                                         {"==", "!="},
                                                                         {"<=", ">=", "<", ">"},
                                                                         {"<<", ">>"},
                                                                         {"+", "-"},
                                                                         {"*", "/", "%"}}};

std::uint64_t apply(std::string_view op, Constant a, Constant b, const Scanner& scanner) {
    const auto x = a.bits, y = b.bits;
    const auto sx = static_cast<std::int64_t>(x), sy = static_cast<std::int64_t>(y);
    const bool u = a.is_unsigned || b.is_unsigned;
    if (op == "||") return x || y;
    if (op == "&&") return x && y;
    if (op == "|") return x | y;
    if (op == "^") return x ^ y;
    if (op == "&") return x & y;
    if (op == "==") return x == y;
    if (op == "!=") return x != y;
    if (op == "<=") return u ? x <= y : sx <= sy;
    if (op == ">=") return u ? x >= y : sx >= sy;
    if (op == "<") return u ? x < y : sx < sy;
    if (op == ">") return u ? x > y : sx > sy;
    if (op == "<<") return y < 64 ? x << y : 0;
    if (op == ">>") return a.is_unsigned ? (y < 64 ? x >> y : 0) : static_cast<std::uint64_t>(sx >> (y < 64 ? y : 63));
    if (op == "+") return x + y;
    if (op == "-") return x - y;
    if (op == "*") return x * y;
    if (y == 0) scanner.fail("division by zero in a constant expression");
    if (u) return op == "/" ? x / y : x % y;
    if (sy == -1) return op == "/" ? 0 - x : 0;  // avoids the overflow of INT64_MIN / -1
    return static_cast<std::uint64_t>(op == "/" ? sx / sy : sx % sy);
}

}  // namespace

void Scanner::skip() {
    while (at_ < end_) {
        const char c = *at_;
        if (c == '\n') {
            ++line_;
            ++at_;
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\0') {
            ++at_;
        } else if (c == '/' && at_ + 1 < end_ && at_[1] == '/') {
            while (at_ < end_ && *at_ != '\n') ++at_;
        } else if (c == '/' && at_ + 1 < end_ && at_[1] == '*') {
            const int start = line_;
            at_ += 2;
            while (at_ + 1 < end_ && !(at_[0] == '*' && at_[1] == '/')) line_ += *at_++ == '\n';
            if (at_ + 1 >= end_) throw ScanError("comment without an end", start);
            at_ += 2;
        } else {
            return;
        }
    }
}

bool Scanner::at_end() {
    skip();
    return at_ == end_;
}

char Scanner::peek() {
    skip();
    return next_char();
}

bool Scanner::accept(char c) {
    if (peek() != c || at_ == end_) return false;
    ++at_;
    return true;
}

std::string Scanner::here() {
    if (at_end()) return "the end of the text";
    const char* stop = at_;
    while (stop < end_ && stop - at_ < 40 && *stop != '\n' && *stop != ';') ++stop;
    return "'" + std::string(at_, stop) + "'";
}

void Scanner::expect(char c, const char* where) {
    if (!accept(c)) fail(std::string("expected '") + c + "' " + where + ", found " + here());
}

bool Scanner::at_name() { return starts_name(peek()); }
bool Scanner::at_number() {
    const char c = peek();
    return is_digit(c) || c == '-' || c == '+' || c == '(' || c == '~' || c == '!';
}

std::string_view Scanner::name(const char* what) {
    if (!at_name()) fail(std::string("expected ") + what + ", found " + here());
    const char* from = at_++;
    while (at_ < end_ && in_name(*at_)) ++at_;
    return {from, static_cast<std::size_t>(at_ - from)};
}

std::string_view Scanner::directive() {
    if (peek() != '.') return {};
    const char* stop = at_ + 1;
    while (stop < end_ && in_name(*stop)) ++stop;
    const std::string_view word(at_, static_cast<std::size_t>(stop - at_));
    at_ = stop;
    return word;
}

bool Scanner::accept_directive(std::string_view wanted) {
    skip();
    const char* before = at_;
    if (directive() == wanted) return true;
    at_ = before;
    return false;
}

std::string_view Scanner::modifier() {
    if (next_char() != '.') return {};
    const char* from = ++at_;
    while (at_ < end_ && (in_name(*at_) || (*at_ == ':' && at_ + 1 < end_ && (at_[1] == ':' || at_[-1] == ':')))) ++at_;
    if (at_ == from) fail("a '.' with nothing after it");
    return {from, static_cast<std::size_t>(at_ - from)};
}

std::string_view Scanner::quoted() {
    expect('"', "before a string");
    const char* from = at_;
    while (at_ < end_ && *at_ != '"' && *at_ != '\n') ++at_;
    if (at_ == end_ || *at_ != '"') fail("string without an end");
    return {from, static_cast<std::size_t>(at_++ - from)};
}

bool Scanner::accept_label_colon() {
    if (peek() != ':' || (at_ + 1 < end_ && at_[1] == ':')) return false;
    ++at_;
    return true;
}

void Scanner::skip_braces() {
    for (int depth = 1; depth > 0;) {
        if (at_end()) fail("'{' without '}'");
        if (*at_ == '"') {
            quoted();
            continue;
        }
        depth += (*at_ == '{') - (*at_ == '}');
        ++at_;
    }
}

Constant Scanner::number() {
    Constant value;
    const char* from = at_;
    const char second = at_ + 1 < end_ ? at_[1] : '\0';
    if (*at_ == '0' && (second == 'f' || second == 'F' || second == 'd' || second == 'D')) {
        value.is_float = true;
        value.float_width = second == 'f' || second == 'F' ? 32 : 64;
        at_ += 2;
        const char* digits = at_;
        while (at_ < end_ && hex_digit(*at_) >= 0)
            value.bits = value.bits << 4 | static_cast<unsigned>(hex_digit(*at_++));
        if (at_ - digits != value.float_width / 4)
            fail("a float in hexadecimal needs " + std::to_string(value.float_width / 4) + " digits");
        return value;
    }
    // A decimal float has a point or an exponent.
    const char* scan = at_;
    while (scan < end_ && is_digit(*scan)) ++scan;
    if (scan < end_ && (*scan == '.' || *scan == 'e' || *scan == 'E') && !(second == 'x' || second == 'X')) {
        while (scan < end_ && (is_digit(*scan) || *scan == '.' || *scan == 'e' || *scan == 'E' ||
                               ((*scan == '-' || *scan == '+') && (scan[-1] == 'e' || scan[-1] == 'E'))))
            ++scan;
        const std::string digits(at_, scan);
        char* stop = nullptr;
        const double parsed = std::strtod(digits.c_str(), &stop);
        if (*stop != '\0') fail("not a number: '" + digits + "'");
        at_ = scan;
        value.is_float = true;
        value.float_width = 64;
        std::memcpy(&value.bits, &parsed, sizeof parsed);
        return value;
    }
    unsigned base = 10;
    if (*at_ == '0' && (second == 'x' || second == 'X')) base = 16;
    if (*at_ == '0' && (second == 'b' || second == 'B')) base = 2;
    if (base != 10)
        at_ += 2;
    else if (*at_ == '0')
        base = 8;
    const char* digits = at_;
    for (; at_ < end_; ++at_) {
        const int digit = hex_digit(*at_);
        if (digit < 0 || static_cast<unsigned>(digit) >= base) break;
        if (value.bits > (~std::uint64_t{0} - static_cast<unsigned>(digit)) / base) fail("number of more than 64 bits");
        value.bits = value.bits * base + static_cast<unsigned>(digit);
    }
    if (at_ == digits) fail("not a number: '" + std::string(from, std::min(end_, from + 10)) + "'");
    if (at_ < end_ && (*at_ == 'U' || *at_ == 'u')) {
        value.is_unsigned = true;
        ++at_;
    }
    if (value.bits >> 63) value.is_unsigned = true;
    if (at_ < end_ && in_name(*at_)) fail("not a number: '" + std::string(from, at_ + 1) + "'");
    return value;
}

Constant Scanner::primary(int depth) {
    if (depth > kDeepest) fail("constant expression nested too deeply");
    if (accept('(')) {
        if (accept_directive(".s64") || accept_directive(".u64")) {
            const bool is_unsigned = at_[-3] == 'u';
            expect(')', "after a cast");
            Constant value = primary(depth + 1);
            value.is_unsigned = is_unsigned;
            return value;
        }
        const Constant value = ternary(depth + 1);
        expect(')', "in a constant expression");
        return value;
    }
    if (accept('-')) {
        Constant value = primary(depth + 1);
        value.bits = !value.is_float ? 0 - value.bits : value.bits ^ (std::uint64_t{1} << (value.float_width - 1));
        value.is_unsigned = false;
        return value;
    }
    if (accept('+')) return primary(depth + 1);
    for (const char op : {'~', '!'}) {
        if (!accept(op)) continue;
        Constant value = primary(depth + 1);
        if (value.is_float) fail("a float where an integer is needed");
        value.bits = op == '~' ? ~value.bits : value.bits == 0;
        return value;
    }
    if (!is_digit(peek())) fail("expected a number, found " + here());
    return number();
}

bool Scanner::operator_at(int level, std::string_view& op) {
    skip();
    constexpr std::string_view kFirst = "+-*/%&|^<>=!";  // of all operators: most numbers are no expressions
    if (at_ == end_ || kFirst.find(*at_) == std::string_view::npos) return false;
    const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
    for (const std::string_view candidate : kOperators[static_cast<std::size_t>(level)]) {
        if (candidate.empty() || !rest.starts_with(candidate)) continue;
        // "<" is not "<<", "|" is not "||", and "%r1" after a constant would be a register
        const char after = rest.size() > candidate.size() ? rest[candidate.size()] : '\0';
        if (candidate.size() == 1 && std::strchr("<>|&", candidate[0]) && after == candidate[0]) continue;
        op = candidate;
        at_ += candidate.size();
        return true;
    }
    return false;
}

Constant Scanner::binary(int level, int depth) {
    if (level == static_cast<int>(kOperators.size())) return primary(depth);
    Constant left = binary(level + 1, depth);
    std::string_view op;
    while (operator_at(level, op)) {
        const Constant right = binary(level + 1, depth);
        if (left.is_float || right.is_float) fail("arithmetic on float constants is not supported");
        left.bits = apply(op, left, right, *this);
        left.is_unsigned = left.is_unsigned || right.is_unsigned;
    }
    return left;
}

Constant Scanner::ternary(int depth) {
    const Constant condition = binary(0, depth);
    if (!accept('?')) return condition;
    const Constant yes = ternary(depth + 1);
    expect(':', "in a constant expression");
    const Constant no = ternary(depth + 1);
    return condition.bits ? yes : no;
}

Constant Scanner::constant() { return ternary(0); }

std::int64_t Scanner::integer(const char* what) {
    if (!at_number()) fail(std::string("expected ") + what + ", found " + here());
    const Constant value = constant();
    if (value.is_float) fail(std::string("expected ") + what + ", found a float");
    return static_cast<std::int64_t>(value.bits);
}

int Scanner::small_number(const char* what) {
    int value = 0;
    if (!is_digit(peek())) fail(std::string("expected ") + what + ", found " + here());
    for (; at_ < end_ && is_digit(*at_); ++at_) value = std::min(value * 10 + (*at_ - '0'), 100000000);
    return value;
}

}  // namespace vgpu::ptx
