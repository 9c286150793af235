// tex, tld4, txq: textures. Each texel is an access to global memory of its own, with all checks.
#include "virtual_gpu/exec/handlers/texture.h"

#include <cmath>
#include <cstring>

#include "virtual_gpu/exec/handlers/float_ops.h"
#include "virtual_gpu/undefined/shadow.h"

namespace vgpu {

bool read_object(Warp& w, const Instr* i, Mask m, u64 handle, bool as_surface, TextureObject& out) {
    Run& run = *w.run;
    const auto bytes = std::as_writable_bytes(std::span(&out, 1));
    const bool is_there = handle % alignof(TextureObject) == 0 && run.memory.read(handle, bytes) == Status::ok &&
                          out.is_sound() && (out.is_surface != 0) == as_surface;
    if (is_there) return true;
    const char* noun = as_surface ? "surface" : "texture";
    const auto thread = static_cast<u32>(w.number * kLanes + first_lane(m));
    run.reporter.found(w, i, m, Kind::invalid_access,
                       run.reporter.thread_name(*w.block, thread) + " uses a " + noun + " object at " +
                           run.reporter.at(run.reporter.place(w, i)) + " that does not exist",
                       std::string("it is what cudaCreate") + (as_surface ? "Surface" : "Texture") +
                           "Object gave, until it is destroyed");
    run.note_bad(Status::illegal_address);
    return false;
}

bool has_shape(Warp& w, const Instr* i, Mask m, const TextureObject& t, int dimensions, bool layered) {
    if (t.dimensions == dimensions && (t.layers != 0) == layered) return true;
    Run& run = *w.run;
    const auto text = [](int n, bool has_layers) {
        return std::to_string(n) + " dimension" + (n == 1 ? "" : "s") + (has_layers ? " and layers" : "");
    };
    run.reporter.found(w, i, m, Kind::invalid_access,
                       "an object of " + text(t.dimensions, t.layers != 0) + " is used at " +
                           run.reporter.at(run.reporter.place(w, i)) + " as one of " + text(dimensions, layered),
                       "an array without a height has one dimension, one without a depth two");
    run.note_bad(Status::illegal_address);
    return false;
}

Mask same_handle(const Warp& w, Column handles, Mask m, u64& handle) {
    const u64* h = w.col<const u64>(handles);
    handle = h[first_lane(m)];
    Mask same = 0;
    for (int l : lanes(m)) same |= Mask{h[l] == handle} << l;
    return same;
}

namespace {

using ptx::Operand;
using ptx::Type;

enum : std::uint8_t { kIntegers = 1, kDimensions = 6, kLayered = 8, kGathers = 16, kComponent = 96 };  // Instr::small
constexpr int kChannels = 4, kCoordinates = 3;
constexpr double kFar = 1 << 30;

// The texel that a coordinate means after the addressing mode; -1: the border.
s64 addressed(s64 at, s64 size, std::uint8_t mode) {
    if (at >= 0 && at < size) return at;
    switch (mode) {
        case TextureObject::kWrap:
            return ((at % size) + size) % size;
        case TextureObject::kMirror: {
            const s64 in = ((at % (2 * size)) + 2 * size) % (2 * size);
            return in < size ? in : 2 * size - 1 - in;
        }
        case TextureObject::kBorder:
            return -1;
        default:
            return at < 0 ? 0 : size - 1;
    }
}

std::uint8_t mode_of(const TextureObject& t, int axis) {
    if (t.is_buffer != 0) return TextureObject::kBorder;
    const std::uint8_t mode = t.address[axis];
    const bool repeats = mode == TextureObject::kWrap || mode == TextureObject::kMirror;
    return repeats && t.is_normalized == 0 ? std::uint8_t{TextureObject::kClamp} : mode;
}

// The one or two texels along an axis, and the weight of the second in steps of 1/256.
struct Along {
    s64 texel[2] = {};
    int weight = 0;
};
Along along(const TextureObject& t, int axis, double x, bool is_integer, bool pairs) {
    const s64 size = t.extent[axis];
    if (!is_integer && t.is_normalized != 0) x *= static_cast<double>(size);
    if (!(std::fabs(x) < kFar)) x = x > 0 ? kFar : x < 0 ? -kFar : 0;  // NaN: 0
    Along a;
    const double left = pairs ? x - 0.5 : x;
    const double whole = std::floor(left);
    if (pairs) a.weight = int(std::floor((left - whole) * 256 + 0.5));
    for (int k = 0; k < 2; ++k) a.texel[k] = addressed(s64(whole) + k, size, mode_of(t, axis));
    return a;
}

struct Texel {
    u32 bits[kChannels];
};

float fraction_of(u32 value, const TextureObject& t) {
    const double most = t.kind == TextureObject::kSigned ? (u32{1} << (t.bits - 1)) - 1 : (u64{1} << t.bits) - 1;
    return t.kind == TextureObject::kSigned ? float(std::max(-1.0, s32(value) / most)) : float(value / most);
}

bool gives_floats(const TextureObject& t) { return t.kind == TextureObject::kFloat || t.gives_floats != 0; }

Texel decode_texel(const TextureObject& t, const std::uint8_t* from) {
    Texel out{{0, 0, 0, gives_floats(t) ? std::bit_cast<u32>(1.0f) : 1}};
    for (int c = 0; c < t.channels; ++c) {
        u32 raw = 0;
        const int bytes = t.bits / 8;
        std::memcpy(&raw, from + c * bytes, static_cast<std::size_t>(bytes));
        if (t.kind == TextureObject::kSigned && t.bits < 32) {
            const int up = 32 - t.bits;
            raw = u32(s32(raw << up) >> up);
        }
        if (t.kind == TextureObject::kFloat && t.bits == 16) raw = std::bit_cast<u32>(half_to_float(u16(raw)));
        if (t.kind != TextureObject::kFloat && t.gives_floats != 0) raw = std::bit_cast<u32>(fraction_of(raw, t));
        out.bits[c] = raw;
    }
    return out;
}

Texel border_of(const TextureObject& t) {
    Texel out{};
    if (gives_floats(t) && t.is_buffer == 0)
        for (int c = 0; c < kChannels; ++c) out.bits[c] = std::bit_cast<u32>(t.border[c]);
    return out;
}

// One texel for each lane: of those in `at`, the others get the border.
struct Fetch {
    Texel texel[kLanes];
    std::uint8_t undefined[kLanes] = {};  // a bit for each channel
    OriginId origin[kLanes] = {};
    u32 cycles = 0;
};
void fetch(Warp& w, const Instr* i, Mask m, Mask at, const u64 (&address)[kLanes], const TextureObject& t, Fetch& out) {
    Lanes l;
    for (int lane = 0; lane < kLanes; ++lane) l.address[lane] = address[lane];
    const Request r{
        .bytes = static_cast<int>(t.texel_bytes()), .use = Use::read, .order = kReadOnly, .element_bytes = t.bits / 8};
    if (at != 0) resolve_global(w, i, at, l, r);
    for (int lane : lanes(m)) {
        if ((at >> lane & 1) == 0) {
            out.texel[lane] = border_of(t);
            continue;
        }
        const auto* from = l.at(lane, t.texel_bytes());
        out.texel[lane] = decode_texel(t, from);
        if (l.undefined == nullptr) continue;
        for (int b = 0; b < r.bytes; ++b)
            if (l.undefined->bits[lane][b] != 0) {
                out.undefined[lane] |= static_cast<std::uint8_t>(1 << (b / r.element_bytes));
                out.origin[lane] = l.undefined->origin[lane][b / 4];
            }
    }
    out.cycles = std::max(out.cycles, at != 0 ? l.cycles : 0);
}

struct Result {
    Texel value[kLanes];
    std::uint8_t undefined[kLanes] = {};
    OriginId origin[kLanes] = {};
    u32 cycles = 0;
};

void read_texture(Warp& w, const Instr* i, Mask m, const TextureObject& t, Result& out) {
    const std::uint32_t* list = &w.function->lists[i->aux];
    const bool is_integer = (i->small & kIntegers) != 0, gathers = (i->small & kGathers) != 0;
    const bool filters = t.is_filtered != 0 && t.is_buffer == 0 && !is_integer && gives_floats(t);
    const bool pairs = filters || gathers;
    const int dimensions = t.dimensions;
    Along part[kLanes][kCoordinates];
    s64 layer[kLanes] = {};
    for (int lane : lanes(m)) {
        for (int axis = 0; axis < dimensions; ++axis) {
            const Column c = list[kChannels + axis];
            const double x = is_integer ? double(w.col<const s32>(c)[lane]) : double(w.col<const float>(c)[lane]);
            part[lane][axis] = along(t, axis, x, is_integer, pairs);
        }
        if (t.layers != 0)
            layer[lane] = std::clamp<s64>(w.col<const s32>(list[kChannels + kCoordinates])[lane], 0, t.layers - 1);
    }
    const int corners = pairs ? 1 << dimensions : 1;
    // The order of the four texels that are gathered, as corners: bit 0 along x, bit 1 along y.
    constexpr int kGathered[] = {2, 3, 1, 0};
    float sum[kLanes][kChannels] = {};
    for (int n = 0; n < corners; ++n) {
        const int corner = gathers ? kGathered[n] : n;
        alignas(64) u64 address[kLanes] = {};
        Mask inside = 0, has_weight = 0;
        double weight[kLanes];
        for (int lane : lanes(m)) {
            s64 at[kCoordinates] = {0, 0, t.layers != 0 ? layer[lane] : 0};
            bool is_inside = true;
            weight[lane] = 1;
            for (int axis = 0; axis < dimensions; ++axis) {
                const Along& a = part[lane][axis];
                const int second = corner >> axis & 1;
                at[axis] = a.texel[second];
                is_inside &= at[axis] >= 0;
                if (filters) weight[lane] *= (second != 0 ? a.weight : 256 - a.weight) / 256.0;
            }
            if (gathers || weight[lane] != 0) has_weight |= Mask{1} << lane;  // the others are not read
            inside |= Mask{is_inside} << lane;
            address[lane] = t.first + static_cast<u64>(at[0]) * t.texel_bytes() + static_cast<u64>(at[1]) * t.pitch +
                            static_cast<u64>(at[2]) * t.slice;
        }
        Fetch got;
        fetch(w, i, has_weight, has_weight & inside, address, t, got);
        out.cycles = std::max(out.cycles, got.cycles);
        for (int lane : lanes(has_weight)) {
            if (gathers) {
                const int component = (i->small & kComponent) >> 5;
                out.value[lane].bits[n] = got.texel[lane].bits[component];
                if ((got.undefined[lane] >> component & 1) != 0)
                    out.undefined[lane] |= static_cast<std::uint8_t>(1 << n);
            } else {
                if (filters)
                    for (int c = 0; c < kChannels; ++c)
                        sum[lane][c] += float(weight[lane] * std::bit_cast<float>(got.texel[lane].bits[c]));
                else
                    out.value[lane] = got.texel[lane];
                out.undefined[lane] |= got.undefined[lane];
            }
            if (got.origin[lane] != 0) out.origin[lane] = got.origin[lane];
        }
    }
    if (!filters || gathers) return;
    for (int lane : lanes(m))
        for (int c = 0; c < kChannels; ++c) out.value[lane].bits[c] = std::bit_cast<u32>(sum[lane][c]);
}

const Instr* texture(const Instr* i, Warp& w, Mask m) {
    const std::uint32_t* list = &w.function->lists[i->aux];
    const int dimensions = (i->small & kDimensions) >> 1;
    const bool layered = (i->small & kLayered) != 0;
    if (w.shadow) [[unlikely]] {
        for (int axis = 0; axis < dimensions; ++axis)
            decide(w, i, m, list[kChannels + axis], 4, "is a coordinate of the texture");
        if (layered) decide(w, i, m, list[kChannels + kCoordinates], 4, "is the layer of the texture");
    }
    Result result;
    std::memset(result.value, 0xCD, sizeof result.value);
    for (Mask left = m; left != 0;) {
        u64 handle = 0;
        const Mask same = same_handle(w, i->a, left, handle);
        left &= ~same;
        TextureObject t;
        if (read_object(w, i, same, handle, false, t) && has_shape(w, i, same, t, dimensions, layered))
            read_texture(w, i, same, t, result);
    }
    Mask bad = 0;
    RequestBits bits{};
    for (int lane : lanes(m)) {
        for (int c = 0; c < kChannels; ++c) {
            w.col<u32>(list[c])[lane] = result.value[lane].bits[c];
            if ((result.undefined[lane] >> c & 1) == 0) continue;
            bad |= Mask{1} << lane;
            std::memset(&bits.bits[lane][4 * c], 0xFF, 4);
            bits.origin[lane][c] = result.origin[lane];
        }
    }
    if (bad != 0) loaded_undefined(w, m, bits, list, kChannels, 4, 4, false);
    if (w.run->counting)
        for (int c = 0; c < kChannels; ++c) w.ready[list[c] >> 6] = w.now + result.cycles;
    return i + 1;
}

// imm: 0 width, 1 height, 2 depth, 3 layers, 4 levels
const Instr* query(const Instr* i, Warp& w, Mask m) {
    u32* d = w.col<u32>(i->d);
    for (Mask left = m; left != 0;) {
        u64 handle = 0;
        const Mask same = same_handle(w, i->a, left, handle);
        left &= ~same;
        TextureObject t;
        const bool is_there = read_object(w, i, same, handle, i->small != 0, t);
        for (int lane : lanes(same))
            d[lane] = !is_there ? kPoisonWord : i->imm < 3 ? t.extent[i->imm] : i->imm == 3 ? t.layers : 1;
    }
    return i + 1;
}

void decode_query(Decoder& d) {
    const int what = d.has("width")               ? 0
                     : d.has("height")            ? 1
                     : d.has("depth")             ? 2
                     : d.has("array_size")        ? 3
                     : d.has("num_mipmap_levels") ? 4
                                                  : throw Unsupported{};
    std::int64_t offset = 0;
    const Column handle = decode_address(d, d.operand(1), offset);
    Instr& i = d.emit(query, d.result(0, Type::b32), handle);
    i.imm = what;
    i.small = d.in->opcode == Opcode::suq ? 1 : 0;
    d.passes(Rule::load);
}

void tex(Decoder& d) {
    const bool gathers = d.in->opcode == Opcode::tld4;
    const Shape shape = shape_of(d);
    const Type coordinates = d.type(1);
    if (d.operand(0).kind != Operand::Kind::vector || d.operand(0).elements.size() != 4 ||
        (coordinates != Type::f32 && coordinates != Type::s32) || (gathers && (shape.dimensions != 2 || shape.layered)))
        throw Unsupported{};
    Column handle = kNone;
    std::vector<Column> at = coordinates_of(d, d.operand(1), shape, coordinates, handle);
    std::vector<std::uint32_t> list;
    for (std::size_t c = 0; c < 4; ++c) list.push_back(d.result(Decoder::part(d.operand(0), c), Type::b32));
    list.insert(list.end(), at.begin(), at.end());
    Instr& i = d.emit(texture, kNone, handle);
    const int component = d.has("g") ? 1 : d.has("b") ? 2 : d.has("a") ? 3 : 0;
    i.small = static_cast<std::uint8_t>((coordinates == Type::s32 ? kIntegers : 0) | shape.dimensions << 1 |
                                        (shape.layered ? kLayered : 0) | (gathers ? kGathers | component << 5 : 0));
    i.aux = static_cast<std::uint32_t>(d.function.lists.size());
    d.function.lists.insert(d.function.lists.end(), list.begin(), list.end());
    Passing& p = d.passes(Rule::load);
    p.parts = 4;
    p.more = 4;
}

}  // namespace

Shape shape_of(const Decoder& d) {
    for (const auto& [name, shape] : std::initializer_list<std::pair<const char*, Shape>>{
             {"1d", {1, false}}, {"2d", {2, false}}, {"3d", {3, false}}, {"a1d", {1, true}}, {"a2d", {2, true}}})
        if (d.has(name)) return shape;
    throw Unsupported{};  // cubes, and several samples
}

std::vector<Column> coordinates_of(Decoder& d, const Operand& address, Shape shape, Type type, Column& handle) {
    if (address.kind != Operand::Kind::address || address.index < 0 || address.offset != 0 ||
        address.elements.size() != 1)
        throw Unsupported{};
    Operand object;
    object.kind = Operand::Kind::reg;
    object.index = address.index;
    handle = d.value(object, Type::u64);
    std::vector<Column> at(kCoordinates + 1, kNone);
    Operand vector = address.elements[0];
    if (vector.kind != Operand::Kind::vector) {  // one coordinate may stand alone
        Operand alone = std::move(vector);
        vector = {};
        vector.kind = Operand::Kind::vector;
        vector.elements.push_back(std::move(alone));
    }
    const std::size_t first = shape.layered ? 1 : 0;
    if (shape.layered) at[kCoordinates] = d.value(Decoder::part(vector, 0), Type::b32);
    for (std::size_t k = 0; k < static_cast<std::size_t>(shape.dimensions); ++k)
        at[k] = d.value(Decoder::part(vector, first + k), type);
    return at;
}

void add_texture(DecodeTable& t) {
    t[Opcode::tex] = tex;
    t[Opcode::tld4] = tex;
    t[Opcode::txq] = decode_query;
    t[Opcode::suq] = decode_query;
    add_surface(t);
}

}  // namespace vgpu
