// What an address is computed from, as the PTX shows it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "virtual_gpu/ptx/module.h"

namespace vgpu {

struct Allocation;
struct Run;
struct Warp;

// By register: the instructions that set it.
using Definitions = std::unordered_map<int, std::vector<std::size_t>>;
Definitions definitions_of(const ptx::Function&);

// The loads whose values become, by arithmetic alone, the address of this access: from parameters and constants
// `parameters`, else `memory`. And the variables whose addresses it begins with.
struct AddressParts {
    std::vector<std::size_t> memory, parameters;
    std::vector<std::string> symbols;
};
AddressParts parts_of_address(const ptx::Function&, const Definitions&, std::size_t access);

// The array that this access of the running kernel indexes: that of a parameter or a variable, if it is the only one
// that the address can come from. However far an index leads away, this array was meant. nullptr: it is not certain.
const Allocation* array_meant(const Run&, std::size_t access);

// A number in the address of a lane's access that 32 bits do not hold, as it would be with as many as it needs.
struct Overflowed {
    std::int64_t exact = 0;
    bool is_signed = false;
    bool is_alone = false;  // no other number is in the address: it is the index
};
std::optional<Overflowed> overflowed_index(const Warp&, std::size_t access, int lane);

}  // namespace vgpu
