// What textures and surfaces have in common.
#pragma once

#include <vector>

#include "virtual_gpu/exec/handlers/ops.h"
#include "virtual_gpu/exec/machine/access.h"
#include "virtual_gpu/memory/texture.h"

namespace vgpu {

struct Shape {
    int dimensions = 1;
    bool layered = false;
};
Shape shape_of(const Decoder&);
// The handle's column, and those of x, y, z and the layer (kNone: there is none) of an operand [handle, {...}].
std::vector<Column> coordinates_of(Decoder&, const ptx::Operand&, Shape, ptx::Type, Column& handle);

// The object that a handle means. False: it means none, and there is a finding.
bool read_object(Warp&, const Instr*, Mask, std::uint64_t handle, bool as_surface, TextureObject& out);
bool has_shape(Warp&, const Instr*, Mask, const TextureObject&, int dimensions, bool layered);
// The lanes with the handle of the first one.
Mask same_handle(const Warp&, Column handles, Mask, std::uint64_t& handle);

void add_surface(DecodeTable&);

}  // namespace vgpu
