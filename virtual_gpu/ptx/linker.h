// Joins PTX texts that belong to one module, as nvlink would.
#pragma once

#include <span>
#include <string>

#include "virtual_gpu/ptx/module.h"
#include "virtual_gpu/ptx/verify/verify.h"

namespace vgpu::ptx {

// An extern is bound to a visible, weak or common definition; of several weak ones, to the first. A static name that
// occurs in several programs is renamed ("table@1") in all but the first. Externs that remain are `extern .shared`
// arrays and the functions that the interpreter supplies (vprintf, __assertfail, malloc, free, cudaCDP2...). False:
// `error` names the symbol that is missing or defined twice.
bool link(std::vector<Program> programs, Program& linked, ParseError& error);

// parse() of every text, verify() and link(). With several texts, the error's message says which one.
bool load(std::span<const std::string> texts, Program& linked, ParseError& error, const VerifyOptions& = {});

}  // namespace vgpu::ptx
