// Types of arrays, which PTX does not have, read from the source text.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace vgpu {

struct Member {
    std::string name;
    std::uint64_t at = 0, bytes = 0;
};

// How an array's bytes are its elements.
struct Layout {
    std::uint64_t bytes = 0;           // of an element; 0: not known
    bool is_class = false;             // of members
    std::vector<Member> members;       // of a class that is known
    std::vector<std::uint64_t> inner;  // elements along each dimension but the first; 0: not known
};

// What templates' parameters stand for: "T" is "int".
using TemplateArguments = std::map<std::string, std::string>;

// The types of a function's parameters: "k(Point const*, int)" has "Point const*" and "int".
std::vector<std::string> parameter_types(const std::string& demangled);

// What the template arguments of "k<int, 256>(int*)" are called in the texts.
TemplateArguments arguments_of(const std::string& demangled, const std::vector<std::string>& texts);

// Of what a pointer such as "Point const*" points to. `texts`: of files, without comments.
Layout layout_of(const std::string& pointer, const std::vector<std::string>& texts);

// Of an array in shared memory, by its declaration; `bytes`: of all of it.
Layout shared_layout(const std::string& name, std::uint64_t bytes, const std::vector<std::string>& texts,
                     const TemplateArguments&);

// An element or member, and where in the array: "s_tile[2][3]", "d_points[2].x", "d_in at index 2" or "byte 20 of
// d_points". `bytes`: of the access, which tell the size of an element that is not known. `is_short`: with brackets.
std::string element_text(const std::string& name, std::int64_t offset, int bytes, const Layout&, bool is_short);
std::int64_t element_index(std::int64_t offset, int bytes, const Layout&);

// How many bytes the index counts; 0: none does, as the size of an element is not known.
std::uint64_t bytes_counted(int bytes, const Layout&);

}  // namespace vgpu
