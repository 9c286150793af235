// How a call travels as JSON, from the grader to the device process and from there to the runner.
#pragma once

#include <string>

#include "grading/problem.h"
#include "harness/json.h"

namespace lab {

DType dtype_named(const std::string&);     // throws json::Error
Instance instance_of(const json::Value&);  // task, variant, n, seed, scalars
json::Writer& add_instance(json::Writer&, const Instance&);

// A member that may be missing or null.
template <class T>
T or_else(const json::Value& object, const char* key, T fallback) {
    const json::Value* value = object.find(key);
    if (value == nullptr || value->is(json::Value::Kind::null)) return fallback;
    if constexpr (std::is_same_v<T, bool>)
        return value->boolean();
    else if constexpr (std::is_same_v<T, std::string>)
        return value->string();
    else
        return static_cast<T>(value->unsigned_integer());
}

}  // namespace lab
