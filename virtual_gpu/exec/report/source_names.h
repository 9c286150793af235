// Names that PTX does not have, read from the source text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace vgpu {

std::string without_comments(const std::string& text);

// Where `word` stands as a whole word; npos: nowhere.
std::size_t find_word(std::string_view text, std::string_view word, std::size_t from = 0);

// The names of a function's parameters. `line`: where its definition begins, as the PTX says. None if the text there
// does not have a function `name` with so many parameters.
std::vector<std::string> parameter_names(const std::vector<std::string>& lines, int line, const std::string& name,
                                         std::size_t count);

// The local arrays that this line indexes: "hist", or "hist or other"; empty: none was found. They have to be declared
// in one of the lines before it.
std::string local_arrays_at(const std::vector<std::string>& lines, int line);

// Whether the statement that begins in this line may access memory; false only if all that it names are variables of
// the function, as in `while (low < high) {`.
bool may_access_memory(const std::vector<std::string>& lines, int line);

}  // namespace vgpu
