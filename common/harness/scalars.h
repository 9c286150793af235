// Scalars as JSON: {"width":640,"height":480}.
#pragma once

#include <string>

#include "grading/problem.h"
#include "harness/json.h"

namespace lab {

inline std::string scalars_json(const Scalars& scalars) {
    json::Writer writer;
    for (const auto& [name, value] : scalars) writer.add(name, value);
    return writer.text();
}

inline Scalars scalars_of(const json::Value& object) {  // throws json::Error
    Scalars scalars;
    for (const std::string& name : object.keys()) scalars[name] = object[name].integer();
    return scalars;
}

}  // namespace lab
