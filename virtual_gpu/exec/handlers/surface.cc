// suld.b, sust.b: surfaces, whose x is in bytes.
#include <cstring>

#include "virtual_gpu/exec/handlers/texture.h"
#include "virtual_gpu/undefined/shadow.h"

namespace vgpu {
namespace {

using ptx::Operand;
using ptx::Type;

// Instr::small: what happens outside, the shape, log2 of a part's bytes; Instr::imm: parts.
enum : std::uint8_t { kOutside = 3, kDims = 12, kHasLayers = 16, kLogBytes = 96 };
enum : std::uint8_t { kTrap, kToEdge, kZero };
constexpr int kMostParts = 4, kAxes = 3;

int part_bytes(const Instr* i) { return 1 << ((i->small & kLogBytes) >> 5); }

void tell_outside(Warp& w, const Instr* i, int lane, const TextureObject& t, const s64 (&at)[kAxes], bool is_aligned) {
    Run& run = *w.run;
    const auto thread = static_cast<u32>(w.number * kLanes + lane);
    std::string where = "byte " + std::to_string(at[0]), size = std::to_string(t.extent[0] * t.texel_bytes());
    for (int axis = 1; axis < t.dimensions; ++axis) {
        where += (axis == 1 ? " of row " : ", slice ") + std::to_string(at[axis]);
        size += " x " + std::to_string(t.extent[axis]);
    }
    run.reporter.found(w, i, Mask{1} << lane, is_aligned ? Kind::out_of_bounds : Kind::misaligned,
                       run.reporter.thread_name(*w.block, thread) + " accesses " + where + " of a surface of " + size +
                           " at " + run.reporter.at(run.reporter.place(w, i)),
                       "x is in bytes: multiply the index by the size of an element");
    run.note_bad(is_aligned ? Status::illegal_address : Status::misaligned_address);
}

// The addresses of the lanes that access memory.
Mask places(Warp& w, const Instr* i, Mask m, const TextureObject& t, Lanes& l) {
    const std::uint32_t* list = &w.function->lists[i->aux] + kMostParts;
    const s64 bytes = part_bytes(i) * i->imm;
    const int outside = i->small & kOutside;
    Mask good = 0;
    for (int lane : lanes(m)) {
        s64 at[kAxes] = {}, end[kAxes] = {s64{t.extent[0]} * t.texel_bytes() - bytes + 1, t.extent[1], t.extent[2]};
        bool is_inside = true;
        for (int axis = 0; axis < t.dimensions; ++axis) {
            at[axis] = w.col<const s32>(list[axis])[lane];
            is_inside &= at[axis] >= 0 && at[axis] < end[axis];
        }
        s64 layer = 0;
        if (t.layers != 0) {
            layer = w.col<const s32>(list[kAxes])[lane];
            is_inside &= layer >= 0 && layer < t.layers;
        }
        const bool is_aligned = at[0] % bytes == 0;
        if (!is_aligned || (!is_inside && outside == kTrap)) {
            tell_outside(w, i, lane, t, at, is_aligned);
            continue;
        }
        if (!is_inside && outside == kZero) continue;
        for (int axis = 0; axis < t.dimensions; ++axis)
            at[axis] = std::clamp<s64>(at[axis], 0, std::max<s64>(end[axis] - 1, 0));
        layer = std::clamp<s64>(layer, 0, std::max<s64>(s64{t.layers} - 1, 0));
        good |= Mask{1} << lane;
        l.address[lane] = t.first + static_cast<u64>(at[0]) + static_cast<u64>(at[1]) * t.pitch +
                          static_cast<u64>(t.layers != 0 ? layer : at[2]) * t.slice;
    }
    return good;
}

template <class Body>
void each_object(const Instr* i, Warp& w, Mask m, Body&& body) {
    const int dimensions = (i->small & kDims) >> 2;
    const bool layered = (i->small & kHasLayers) != 0;
    if (w.shadow) [[unlikely]]
        for (int axis = 0; axis <= kAxes; ++axis)
            if (const Column c = w.function->lists[i->aux + kMostParts + static_cast<u32>(axis)]; c != kNone)
                decide(w, i, m, c, 4, "is a coordinate of the surface");
    for (Mask left = m; left != 0;) {
        u64 handle = 0;
        const Mask same = same_handle(w, i->a, left, handle);
        left &= ~same;
        TextureObject t;
        if (!read_object(w, i, same, handle, true, t) || !has_shape(w, i, same, t, dimensions, layered)) continue;
        Lanes l;
        std::memset(l.address, 0, sizeof l.address);
        const Mask good = places(w, i, same, t, l);
        body(same, good, l);
    }
}

// A register's column, whatever its width, gets or gives the lowest bytes.
void put(Warp& w, Column c, int wide, int lane, const void* from, int bytes) {
    u64 value = 0;
    std::memcpy(&value, from, static_cast<std::size_t>(bytes));
    std::memcpy(w.col<u8>(c) + lane * wide, &value, static_cast<std::size_t>(wide));
}

const Instr* load_surface(const Instr* i, Warp& w, Mask m) {
    const std::uint32_t* list = &w.function->lists[i->aux];
    const int bytes = part_bytes(i), parts = static_cast<int>(i->imm), wide = std::max(bytes, 2);
    each_object(i, w, m, [&](Mask same, Mask good, Lanes& l) {
        const Request r{.bytes = bytes * parts, .use = Use::read, .element_bytes = bytes};
        if (good != 0) resolve_global(w, i, good, l, r);
        constexpr u8 kZeros[16] = {};
        for (int lane : lanes(same)) {
            const u8* from = (good >> lane & 1) == 0 ? kZeros
                             : l.contiguous
                                 ? l.first + static_cast<std::size_t>(lane) * static_cast<std::size_t>(r.bytes)
                                 : l.host[lane];
            for (int k = 0; k < parts; ++k) put(w, list[k], wide, lane, from + k * bytes, bytes);
        }
        if (l.undefined != nullptr && good != 0)
            loaded_undefined(w, good, *l.undefined, list, parts, bytes, wide, false);
        if (w.run->counting && good != 0)
            for (int k = 0; k < parts; ++k) w.ready[list[k] >> 6] = w.now + l.cycles;
    });
    return i + 1;
}

const Instr* store_surface(const Instr* i, Warp& w, Mask m) {
    const std::uint32_t* list = &w.function->lists[i->aux];
    const int bytes = part_bytes(i), parts = static_cast<int>(i->imm), wide = std::max(bytes, 2);
    each_object(i, w, m, [&](Mask, Mask good, Lanes& l) {
        if (good == 0) return;
        const auto size = static_cast<std::size_t>(bytes * parts);
        u8 values[kLanes * 16];
        for (int lane = 0; lane < kLanes; ++lane)
            for (int k = 0; k < parts; ++k)
                std::memcpy(values + static_cast<std::size_t>(lane) * size + k * bytes,
                            w.col<const u8>(list[k]) + lane * wide, static_cast<std::size_t>(bytes));
        Request r{.bytes = bytes * parts, .use = Use::write, .element_bytes = bytes, .values = values};
        if (w.shadow) [[unlikely]]
            r.undefined = stored_undefined(w, i, good, list, parts, bytes, wide);
        const Mask may = resolve_global(w, i, good, l, r);
        for (int lane : lanes(may)) std::memcpy(l.at(lane, size), values + static_cast<std::size_t>(lane) * size, size);
    });
    return i + 1;
}

void surface(Decoder& d) {
    const bool is_load = d.in->opcode == Opcode::suld;
    const Shape shape = shape_of(d);
    if (!d.has("b") || d.types() != 1) throw Unsupported{};  // sust.p, which converts
    const Type t = d.type();
    const int bytes = size_of(t), parts = d.has("v4") ? 4 : d.has("v2") ? 2 : 1;
    if (bytes > 8 || bytes * parts > 16) throw Unsupported{};
    const Type wide = bytes == 8 ? Type::b64 : bytes == 4 ? Type::b32 : Type::b16;
    const Operand &address = d.operand(is_load ? 1 : 0), &vector = d.operand(is_load ? 0 : 1);
    Column handle = kNone;
    const std::vector<Column> at = coordinates_of(d, address, shape, Type::s32, handle);
    std::vector<std::uint32_t> list(kMostParts, kNone);
    for (std::size_t k = 0; k < static_cast<std::size_t>(parts); ++k) {
        const Operand& one = vector.kind == Operand::Kind::vector ? Decoder::part(vector, k) : vector;
        list[k] = is_load ? d.result(one, wide) : d.value(one, wide);
    }
    list.insert(list.end(), at.begin(), at.end());
    Instr& i = d.emit(is_load ? load_surface : store_surface, kNone, handle);
    const int outside = d.has("clamp") ? kToEdge : d.has("zero") ? kZero : kTrap;
    const int log = bytes == 8 ? 3 : bytes == 4 ? 2 : bytes == 2 ? 1 : 0;
    i.small = static_cast<std::uint8_t>(outside | shape.dimensions << 2 | (shape.layered ? kHasLayers : 0) | log << 5);
    i.imm = parts;
    i.aux = static_cast<std::uint32_t>(d.function.lists.size());
    d.function.lists.insert(d.function.lists.end(), list.begin(), list.end());
    Passing& p = d.passes(is_load ? Rule::load : Rule::store);
    p.parts = static_cast<std::uint8_t>(parts);
    p.more = static_cast<std::uint8_t>(std::max(bytes, 2));
    if (is_load && parts == 1) p.parts = 1, d.function.code.back().d = list[0], p.d = p.more;
}

}  // namespace

void add_surface(DecodeTable& t) {
    t[Opcode::suld] = surface;
    t[Opcode::sust] = surface;
}

}  // namespace vgpu
