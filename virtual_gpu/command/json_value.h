// Reads JSON.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace vgpu::command {

struct JsonValue {
    enum class Type : std::uint8_t { null, boolean, number, text, array, object } type = Type::null;
    bool boolean = false;
    std::string text;  // also of a number, as it was written
    std::vector<JsonValue> items;
    std::map<std::string, JsonValue, std::less<>> members;

    const JsonValue& operator[](std::string_view name) const;  // a null, if there is none
    double real() const;
    std::int64_t integer() const;
    std::uint64_t natural() const;
};

// False: it is not one JSON value.
bool read_json(std::string_view text, JsonValue& out);

}  // namespace vgpu::command
