// Characters of a PTX text to words and numbers. Errors are thrown as ScanError and caught in parse().
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "virtual_gpu/ptx/module.h"

namespace vgpu::ptx {

struct ScanError : std::runtime_error {
    ScanError(const std::string& message, int at, bool missing = false)
        : std::runtime_error(message), line(at), is_missing(missing) {}
    int line;
    bool is_missing;  // right, but not implemented here
};

struct Constant {
    std::uint64_t bits = 0;  // an integer, or the bits of a float
    bool is_float = false, is_unsigned = false;
    int float_width = 0;
};

class Scanner {
  public:
    explicit Scanner(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

    // All of these first skip white space and comments.
    bool at_end();
    char peek();        // 0 at the end
    bool accept(char);  // takes it if it is next
    void expect(char, const char* where);
    bool at_name();  // a letter, _, $ or %
    bool at_number();
    std::string_view name(const char* what);
    std::string_view directive();  // ".align"; "" if there is none
    bool accept_directive(std::string_view);
    std::string_view quoted();
    Constant constant();  // constant expression
    std::int64_t integer(const char* what);
    int small_number(const char* what);  // digits only: 9.10 is two of them
    bool accept_label_colon();           // ':' but not '::'

    std::string_view modifier();  // directly after an opcode: ".global", ".shared::cta"; without the dot, "" if none
    char next_char() const { return at_ < end_ ? *at_ : '\0'; }  // no skipping
    void skip_braces();                                          // from after '{' to after its '}'

    int line() const { return line_; }
    [[noreturn]] void fail(const std::string& message) const { throw ScanError(message, line_); }
    [[noreturn]] void lacks(const std::string& feature) const { throw ScanError(feature, line_, true); }
    // "unexpected 'x'": what stands here, for messages
    std::string here();

  private:
    void skip();
    Constant number();
    Constant primary(int depth);
    Constant binary(int level, int depth);
    Constant ternary(int depth);
    bool operator_at(int level, std::string_view& op);

    const char* at_;
    const char* end_;
    int line_ = 1;
};

}  // namespace vgpu::ptx
