// The types of PTX, by name.
#include <array>
#include <string_view>
#include <utility>

#include "virtual_gpu/ptx/module.h"

namespace vgpu::ptx {
namespace {

struct TypeName {
    std::string_view name;
    Type type;
    int bytes;
};
constexpr std::array<TypeName, 22> kTypes = {
    {{"none", Type::none, 0},   {"pred", Type::pred, 1}, {"b8", Type::b8, 1},         {"b16", Type::b16, 2},
     {"b32", Type::b32, 4},     {"b64", Type::b64, 8},   {"b128", Type::b128, 16},    {"u8", Type::u8, 1},
     {"u16", Type::u16, 2},     {"u32", Type::u32, 4},   {"u64", Type::u64, 8},       {"s8", Type::s8, 1},
     {"s16", Type::s16, 2},     {"s32", Type::s32, 4},   {"s64", Type::s64, 8},       {"f16", Type::f16, 2},
     {"f16x2", Type::f16x2, 4}, {"bf16", Type::bf16, 2}, {"bf16x2", Type::bf16x2, 4}, {"f32", Type::f32, 4},
     {"f64", Type::f64, 8},     {"", Type::none, 0}}};

}  // namespace

int size_of(Type type) { return kTypes[static_cast<std::size_t>(type)].bytes; }

Type type_named(std::string_view name) {
    if (!name.empty() && name.front() == '.') name.remove_prefix(1);
    for (const TypeName& entry : kTypes)
        if (entry.name == name && entry.type != Type::none) return entry.type;
    return Type::none;
}

std::string_view name_of(Type type) { return kTypes[static_cast<std::size_t>(type)].name; }

}  // namespace vgpu::ptx
