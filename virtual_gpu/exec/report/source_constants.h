// The values of constants, read from the source text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "virtual_gpu/exec/report/source_types.h"

namespace vgpu {

constexpr int kDeepestType = 8;  // classes in classes, constants of constants

struct TypesIn {  // what names mean
    const std::vector<std::string>& texts;
    const TemplateArguments& arguments;
    int depth = 0;
};

// "2 * kTile + 1"; none: it is not known.
std::optional<std::int64_t> constant_in(std::string_view, const TypesIn&);

std::string trimmed_text(std::string_view);
bool opens(char bracket);
bool closes(char bracket);
// Behind the bracket that closes the one at `at`; the text's end if none does.
std::size_t behind_bracket(std::string_view text, std::size_t at);
// The parts between separators that are in no brackets.
std::vector<std::string> parts_between(std::string_view text, char separator);

}  // namespace vgpu
