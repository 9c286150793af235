// JSON, as much of it as the runner's protocol needs.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lab::json {

struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// A parsed value. Numbers keep their text, so that 64-bit integers stay exact.
class Value {
  public:
    enum class Kind { null, boolean, number, string, array, object };

    Kind kind() const { return kind_; }
    bool is(Kind kind) const { return kind_ == kind; }
    // These throw Error if the value is of another kind or does not fit.
    bool boolean() const;
    std::int64_t integer() const;
    std::uint64_t unsigned_integer() const;
    double number() const;
    const std::string& string() const;
    const std::vector<Value>& array() const;

    // A member of an object; throws Error naming the key, or gives null if there is none.
    const Value& operator[](std::string_view key) const;
    const Value* find(std::string_view key) const;
    const std::vector<std::string>& keys() const;  // of an object

  private:
    friend class Parser;
    Kind kind_ = Kind::null;
    bool boolean_ = false;
    std::string text_;  // of a string, or the digits of a number
    std::vector<Value> elements_;
    std::vector<std::string> keys_;  // of an object, beside elements_
};

Value parse(std::string_view text);  // throws Error with the byte where it went wrong

std::string quote(std::string_view text);  // "a \"b\"", invalid UTF-8 replaced
std::string number(double value);          // null for NaN and infinities, which JSON has not

// Writes an object member by member: Writer().add("n", 3).add("name", "x").text() gives {"n":3,"name":"x"}.
class Writer {
  public:
    Writer& add(std::string_view key, std::string_view value) { return raw(key, quote(value)); }
    Writer& add(std::string_view key, const char* value) { return raw(key, quote(value)); }
    Writer& add(std::string_view key, const std::string& value) { return raw(key, quote(value)); }
    Writer& add(std::string_view key, bool value) { return raw(key, value ? "true" : "false"); }
    Writer& add(std::string_view key, double value) { return raw(key, number(value)); }
    Writer& add(std::string_view key, int value) { return raw(key, std::to_string(value)); }
    Writer& add(std::string_view key, std::int64_t value) { return raw(key, std::to_string(value)); }
    Writer& add(std::string_view key, std::uint64_t value) { return raw(key, std::to_string(value)); }
    Writer& raw(std::string_view key, std::string_view json);  // value is JSON already
    std::string text() const { return "{" + members_ + "}"; }

  private:
    std::string members_;
};

std::string list(const std::vector<std::string>& json);  // [a,b]

}  // namespace lab::json
