// CUDA's errors in words.
#pragma once

namespace vgpu {

struct ErrorText {
    int code;
    const char* name;  // "cudaErrorInvalidValue"
    const char* text;
};

// Null: CUDA has no such error.
inline const ErrorText* known_error(int code) {
    static constexpr ErrorText kErrors[] = {
#define X(code, name, text) {code, #name, text},
#include "virtual_gpu/error_table.inc"
#undef X
    };
    for (const ErrorText& error : kErrors)
        if (error.code == code) return &error;
    return nullptr;
}

inline const char* error_name(int code) {
    const ErrorText* error = known_error(code);
    return error != nullptr ? error->name : "unrecognized error code";
}
inline const char* error_text(int code) {
    const ErrorText* error = known_error(code);
    return error != nullptr ? error->text : "unrecognized error code";
}

}  // namespace vgpu
