// ld st ldu prefetch and their like.
#include <cstring>

#include "virtual_gpu/exec/handlers/ops.h"
#include "virtual_gpu/exec/machine/access.h"
#include "virtual_gpu/undefined/shadow.h"

namespace vgpu {
namespace {

using ptx::Operand;
using ptx::Type;

enum class In : std::uint8_t { global, constant, shared, local, generic, param };  // Instr::space
enum : std::uint8_t { kStrong = 1, kHasUnused = 2 };                               // Instr::small, with Order

// Chosen when it runs: a handler for each space would take twenty seconds to compile.
Mask resolve(Warp& w, const Instr* i, Mask m, Lanes& l, const Request& r) {
    constexpr decltype(&resolve_global) kBySpace[] = {resolve_global, resolve_constant, resolve_shared,
                                                      resolve_local,  resolve_generic,  resolve_param};
    return kBySpace[i->space](w, i, m, l, r);
}

inline void addresses(const Instr* i, const Warp& w, Lanes& out) {
    const u64* a = w.col<const u64>(i->a);
    const u64 offset = static_cast<u64>(i->imm);
    VGPU_LANES out.address[l] = a[l] + offset;
}

inline void result_after(Warp& w, Column d, u32 cycles) {
    if (w.run->counting) w.ready[d >> 6] = w.now + cycles;
}

// Where the values of padding do not count (used_bytes_mask): the side table's next entry.
inline std::uint32_t unused_bytes(const Instr* i, const Warp& w, int n) {
    return (i->small & kHasUnused) != 0 ? w.function->lists[i->aux + static_cast<u32>(n)] : 0;
}

template <class Memory, class Register>
const Instr* load1(const Instr* i, Warp& w, Mask m) {
    Lanes l;
    addresses(i, w, l);
    Request r{.bytes = sizeof(Memory), .use = Use::read, .strong = (i->small & kStrong) != 0, .order = i->small};
    if (r.strong) w.since_chosen.strong = true;
    resolve(w, i, m, l, r);
    Register* d = w.col<Register>(i->d);
    if (l.contiguous) {
        if constexpr (sizeof(Memory) == sizeof(Register)) {
            std::memcpy(d, l.first, sizeof(Register) * kLanes);
        } else {
            Memory v[kLanes];
            std::memcpy(v, l.first, sizeof v);
            VGPU_LANES d[l] = Register(v[l]);
        }
    } else if (l.has_all_hosts) {
        Memory v[kLanes];
        for (int lane = 0; lane < kLanes; ++lane) std::memcpy(&v[lane], l.host[lane], sizeof(Memory));
        VGPU_LANES d[l] = (m >> l & 1) != 0 ? Register(v[l]) : d[l];
    } else {
        for (int lane : lanes(m)) {
            Memory v;
            std::memcpy(&v, l.host[lane], sizeof v);
            d[lane] = Register(v);
        }
    }
    if (l.undefined) [[unlikely]]
        loaded_undefined(w, m, *l.undefined, &i->d, 1, sizeof(Memory), sizeof(Register), std::is_signed_v<Memory>);
    result_after(w, i->d, l.cycles);
    return i + 1;
}

// `kParts` registers a lane; their columns are in the side table.
template <class Memory, class Register, int kParts>
const Instr* load_vector(const Instr* i, Warp& w, Mask m) {
    Lanes l;
    addresses(i, w, l);
    Request r{.bytes = sizeof(Memory) * kParts,
              .use = Use::read,
              .strong = (i->small & kStrong) != 0,
              .order = i->small,
              .element_bytes = sizeof(Memory),
              .unused_bytes = unused_bytes(i, w, kParts)};
    if (r.strong) w.since_chosen.strong = true;
    resolve(w, i, m, l, r);
    const std::uint32_t* list = &w.function->lists[i->aux];
    Register* d[kParts];
    for (int k = 0; k < kParts; ++k) {
        d[k] = w.col<Register>(list[k]);
        result_after(w, list[k], l.cycles);
    }
    for (int lane : lanes(m)) {
        Memory v[kParts];
        std::memcpy(v, l.at(lane, sizeof v), sizeof v);
        for (int k = 0; k < kParts; ++k) d[k][lane] = Register(v[k]);
    }
    if (l.undefined) [[unlikely]]
        loaded_undefined(w, m, *l.undefined, list, kParts, sizeof(Memory), sizeof(Register), std::is_signed_v<Memory>);
    return i + 1;
}

void write_out(const Lanes& l, Mask good, const void* values, std::size_t bytes) {
    const auto* from = static_cast<const std::uint8_t*>(values);
    if (l.contiguous) {
        std::memcpy(l.first, from, bytes * kLanes);
        return;
    }
    switch (bytes) {
        case 4:
            for (int lane : lanes(good)) std::memcpy(l.host[lane], from + lane * 4, 4);
            break;
        case 8:
            for (int lane : lanes(good)) std::memcpy(l.host[lane], from + lane * 8, 8);
            break;
        default:
            for (int lane : lanes(good))
                std::memcpy(l.host[lane], from + static_cast<std::size_t>(lane) * bytes, bytes);
    }
}

template <class Memory, class Register>
const Instr* store1(const Instr* i, Warp& w, Mask m) {
    Lanes l;
    addresses(i, w, l);
    const Register* b = w.col<const Register>(i->b);
    Memory cut[kLanes];
    const void* values = b;
    if constexpr (sizeof(Memory) != sizeof(Register)) {
        for (int lane = 0; lane < kLanes; ++lane) cut[lane] = Memory(b[lane]);
        values = cut;
    }
    Request r{.bytes = sizeof(Memory),
              .use = Use::write,
              .strong = (i->small & kStrong) != 0,
              .order = i->small,
              .values = values};
    if (w.shadow) [[unlikely]]
        r.undefined = stored_undefined(w, i, m, &i->b, 1, sizeof(Memory), sizeof(Register));
    const Mask good = resolve(w, i, m, l, r);
    write_out(l, good, values, sizeof(Memory));
    return i + 1;
}

template <class Memory, class Register, int kParts>
const Instr* store_vector(const Instr* i, Warp& w, Mask m) {
    Lanes l;
    addresses(i, w, l);
    const std::uint32_t* list = &w.function->lists[i->aux];
    Memory values[kLanes][kParts];
    for (int k = 0; k < kParts; ++k) {
        const Register* b = w.col<const Register>(list[k]);
        for (int lane = 0; lane < kLanes; ++lane) values[lane][k] = Memory(b[lane]);
    }
    Request r{.bytes = sizeof(Memory) * kParts,
              .use = Use::write,
              .strong = (i->small & kStrong) != 0,
              .order = i->small,
              .element_bytes = sizeof(Memory),
              .values = values};
    if (w.shadow) [[unlikely]]
        r.undefined = stored_undefined(w, i, m, list, kParts, sizeof(Memory), sizeof(Register));
    const Mask good = resolve(w, i, m, l, r);
    write_out(l, good, values, sizeof(Memory) * kParts);
    return i + 1;
}

// ---- parameters ----
// A kernel's: the same for all lanes. imm: offset; small: bytes in memory; the rest as Register.
template <class Memory, class Register>
const Instr* load_kernel_param(const Instr* i, Warp& w, Mask m) {
    Memory v;
    std::memcpy(&v, w.run->setup.params.data() + i->imm, sizeof v);
    Register* d = w.col<Register>(i->d);
    const Register value = Register(v);
    VGPU_LANES d[l] = (m >> l & 1) != 0 ? value : d[l];
    return i + 1;
}
// A function's, or a temporary of a call: in the frame, lane by lane.
template <class Memory, class Register>
const Instr* load_frame_param(const Instr* i, Warp& w, Mask m) {
    Register* d = w.col<Register>(i->d);
    const std::size_t stride = w.function->param_bytes;
    for (int l : lanes(m)) {
        Memory v;
        std::memcpy(&v, w.frame->params + static_cast<std::size_t>(l) * stride + i->imm, sizeof v);
        d[l] = Register(v);
    }
    if (w.shadow) [[unlikely]]
        param_loaded(w, i, m);
    return i + 1;
}
template <class Memory, class Register>
const Instr* store_frame_param(const Instr* i, Warp& w, Mask m) {
    const Register* b = w.col<const Register>(i->b);
    const std::size_t stride = w.function->param_bytes;
    for (int l : lanes(m)) {
        const Memory v = Memory(b[l]);
        std::memcpy(w.frame->params + static_cast<std::size_t>(l) * stride + i->imm, &v, sizeof v);
    }
    if (w.shadow) [[unlikely]]
        param_stored(w, i, m);
    return i + 1;
}

// ---- decoding ----
// Calls f(memory value, register value): floats and b-types move as unsigned bits.
template <class F>
void with_types(Type t, int register_bytes, F f) {
    const bool s = is_signed_type(t);
    const auto by_register = [&](auto memory) {
        if (register_bytes == 2) {
            if constexpr (sizeof(memory) <= 2) return f(memory, u16{});
        } else if (register_bytes == 4) {
            if constexpr (sizeof(memory) <= 4) return f(memory, u32{});
        } else if (register_bytes == 8) {
            return f(memory, u64{});
        }
        throw Unsupported{};
    };
    switch (size_of(t)) {
        case 1:
            return s ? by_register(s8{}) : by_register(u8{});
        case 2:
            return s ? by_register(s16{}) : by_register(u16{});
        case 4:
            return s ? by_register(s32{}) : by_register(u32{});
        case 8:
            return by_register(u64{});
        default:
            throw Unsupported{};
    }
}

std::uint8_t strength(const Decoder& d) {
    const bool is_strong = ptx::is_strong(*d.in) || d.counts_as_atomic();
    return static_cast<std::uint8_t>((is_strong ? kStrong : 0) | decode_order(d));
}

In space_of(const Decoder& d) {
    if (d.has("global")) return In::global;
    if (d.has("const")) return In::constant;
    if (d.has("shared") || d.has("shared::cta")) return In::shared;
    if (d.has("local")) return In::local;
    if (d.has("param") || d.has("param::entry") || d.has("param::func")) return In::param;
    if (d.has("shared::cluster")) throw Unsupported{};
    return In::generic;
}

int parts_of(const Decoder& d) { return d.has("v8") ? 8 : d.has("v4") ? 4 : d.has("v2") ? 2 : 1; }

// A value of 128 bits is a vector of two halves, in a register of two columns.
struct Value {
    Type type;
    int parts;
    bool is_wide;
};
Value value_of(const Decoder& d) {
    const Type t = d.type();
    const int parts = parts_of(d);
    if (t != Type::b128) return {t, parts, false};
    if (parts != 1) throw Unsupported{};
    return {Type::b64, 2, true};
}

int register_bytes(const Decoder& d, const Operand& op, Type t, bool is_wide) {
    if (is_wide) return 8;
    return op.kind == Operand::Kind::reg ? d.register_bytes(op.index) : std::max(2, size_of(t));
}

}  // namespace

std::uint8_t decode_order(const Decoder& d) {
    const bool both = d.has("acq_rel");
    return static_cast<std::uint8_t>((d.has("acquire") || both ? kAcquires : 0) |
                                     (d.has("release") || both ? kReleases : 0) | (d.has("cta") ? kOfBlock : 0) |
                                     (d.has("nc") ? kReadOnly : 0));
}

// The address operand as a 64-bit column and an offset.
Column decode_address(Decoder& d, const Operand& op, std::int64_t& offset) {
    if (op.kind != Operand::Kind::address || !op.elements.empty()) throw Unsupported{};
    offset = op.offset;
    if (op.index >= 0) {
        Operand reg;
        reg.kind = Operand::Kind::reg;
        reg.index = op.index;
        return d.value(reg, Type::u64);
    }
    std::uint64_t at = 0;
    if (op.name.empty()) return d.constant(0, 8);
    if (d.symbol_address(op.name, op.generic || space_of(d) == In::generic, at)) return d.constant(at, 8);
    if (d.local_offset(op.name, at)) {
        const Column c = d.temporary(8);
        Operand symbol;
        d.emit_hidden(local_address_handler(), c).imm = static_cast<s64>(at);
        return c;
    }
    throw Unsupported{};
}

namespace {

// No instruction reads or writes beside its parameter: what lies there is this process's own.
void stay_inside(const ParamPlace& p, std::int64_t offset, std::int64_t bytes) {
    if (offset < 0 || bytes > p.bytes || offset > static_cast<std::int64_t>(p.bytes) - bytes) throw Unsupported{};
}

void loads(Passing& p, In in, std::uint8_t flags, std::size_t bytes, bool is_signed) {
    if ((flags & kStrong) == 0)
        p.in = in == In::global    ? LoadsFrom::global
               : in == In::shared  ? LoadsFrom::shared
               : in == In::generic ? LoadsFrom::generic
                                   : LoadsFrom::elsewhere;
    p.in_memory = static_cast<std::uint8_t>(bytes);
    p.moved = is_signed ? 2 : 1;
}

void ld(Decoder& d) {
    const auto [t, parts, is_wide] = value_of(d);
    const In in = space_of(d);
    const Operand& from = d.operand(1);
    const Operand& to = d.operand(0);
    const auto part = [&, count = parts, whole = is_wide](int k) -> const Operand& {
        return count == 1 || whole ? to : Decoder::part(to, static_cast<std::size_t>(k));
    };
    const auto register_of = [&, whole = is_wide](int k) {
        return whole ? d.half_column(part(k).index, k) : d.register_column(part(k).index);
    };
    ParamPlace p;
    if (in == In::param && from.index < 0) {
        const bool kernel = d.kernel_param(from.name, p);
        if (!kernel && !d.param_place(from.name, p)) throw Unsupported{};
        stay_inside(p, from.offset, std::int64_t{parts} * size_of(t));
        for (int k = 0; k < parts; ++k) {
            const int bytes = register_bytes(d, part(k), t, is_wide);
            with_types(t, bytes, [&, element = t](auto memory, auto reg) {
                using M = decltype(memory);
                using R = decltype(reg);
                const Column c = part(k).kind == Operand::Kind::reg ? register_of(k) : d.temporary(bytes);
                d.emit(kernel ? load_kernel_param<M, R> : load_frame_param<M, R>, c, kNone, kNone, kNone, kConstantLoad)
                    .imm = static_cast<s64>(p.offset) + from.offset + k * size_of(element);
                Passing& passing = d.passes(kernel ? Rule::any : Rule::load_param);
                passing.more = sizeof(M);
                passing.moved = std::is_signed_v<M>;
            });
        }
        return;
    }
    std::int64_t offset = 0;
    const Column a = decode_address(d, from, offset);
    const std::uint8_t flags = strength(d);
    int bytes = 0;
    for (int k = 0; k < parts; ++k) bytes = std::max(bytes, register_bytes(d, part(k), t, is_wide));
    with_types(t, bytes, [&, parts = parts, t = t, is_wide = is_wide](auto memory, auto reg) {
        using M = decltype(memory);
        using R = decltype(reg);
        const auto column = [&](int k) {
            if (part(k).kind == Operand::Kind::sink) return d.temporary(bytes);
            if (register_bytes(d, part(k), t, is_wide) != bytes) throw Unsupported{};
            return register_of(k);
        };
        if (parts == 1) {
            Instr& i = d.emit(load1<M, R>, column(0), a);
            i.imm = offset;
            i.space = static_cast<std::uint8_t>(in);
            const u64 generic = static_cast<u64>(offset) + (in == In::shared ? kSharedWindow : 0);
            const bool is_late = d.check_late(sizeof(M), a, static_cast<s64>(generic), flags);
            i.small = static_cast<std::uint8_t>(flags | (is_late ? kCheckedLate : 0) |
                                                (d.takes_volatile_data() ? kTakesData : 0));
            i.hidden = in == In::constant && from.index < 0;
            loads(d.passes(Rule::load), in, flags, sizeof(M), std::is_signed_v<M>);
            return;
        }
        std::vector<std::uint32_t> list;
        for (int k = 0; k < parts; ++k) list.push_back(column(k));
        const std::uint32_t unused = d.in->unused_bytes;
        Handler h = nullptr;
        if constexpr (sizeof(M) >= 8)
            h = parts == 2 ? load_vector<M, R, 2> : nullptr;
        else
            h = parts == 2 ? load_vector<M, R, 2> : parts == 4 ? load_vector<M, R, 4> : nullptr;
        if (!h) throw Unsupported{};
        Instr& i = d.emit(h, kNone, a);
        i.imm = offset;
        i.space = static_cast<std::uint8_t>(in);
        i.small = static_cast<std::uint8_t>(flags | (unused != 0 ? kHasUnused : 0) |
                                            (d.takes_volatile_data() ? kTakesData : 0));
        Passing& passing = d.passes(Rule::load);
        passing.parts = static_cast<std::uint8_t>(parts);
        passing.more = static_cast<std::uint8_t>(bytes);
        loads(passing, in, flags, sizeof(M), std::is_signed_v<M>);
        i.aux = static_cast<std::uint32_t>(d.function.lists.size());
        d.function.lists.insert(d.function.lists.end(), list.begin(), list.end());
        d.function.lists.push_back(unused);
    });
}

void st(Decoder& d) {
    const auto [t, parts, is_wide] = value_of(d);
    const In in = space_of(d);
    const Operand &to = d.operand(0), &from = d.operand(1);
    const auto part = [&, count = parts, whole = is_wide](int k) -> const Operand& {
        return count == 1 || whole ? from : Decoder::part(from, static_cast<std::size_t>(k));
    };
    int bytes = 0;
    for (int k = 0; k < parts; ++k) bytes = std::max(bytes, register_bytes(d, part(k), t, is_wide));
    const Type wide = bytes == 8 ? Type::b64 : bytes == 4 ? Type::b32 : Type::b16;
    // An immediate is of the type stored; a register may be wider.
    const auto column = [&, t = t, is_wide = is_wide](int k) {
        const Operand& op = part(k);
        if (is_wide) return d.half_column(op.index, k);
        return op.kind == Operand::Kind::imm ? d.constant(d.immediate_bits(op, t), bytes) : d.value(op, wide);
    };
    ParamPlace p;
    if (in == In::param) {
        if (to.index >= 0 || !d.param_place(to.name, p)) throw Unsupported{};
        stay_inside(p, to.offset, std::int64_t{parts} * size_of(t));
        for (int k = 0; k < parts; ++k)
            with_types(t, bytes, [&, t = t](auto memory, auto reg) {
                const Column b = column(k);
                d.emit(store_frame_param<decltype(memory), decltype(reg)>, kNone, kNone, b).imm =
                    static_cast<s64>(p.offset) + to.offset + k * size_of(t);
                d.passes(Rule::store_param).more = sizeof(memory);
            });
        return;
    }
    std::int64_t offset = 0;
    const Column a = decode_address(d, to, offset);
    std::vector<std::uint32_t> list;
    for (int k = 0; k < parts; ++k) list.push_back(column(k));
    with_types(t, bytes, [&, parts = parts](auto memory, auto reg) {
        using M = std::make_unsigned_t<decltype(memory)>;
        using R = decltype(reg);
        Handler h = nullptr;
        if (parts == 1)
            h = store1<M, R>;
        else if constexpr (sizeof(M) >= 8)
            h = parts == 2 ? store_vector<M, R, 2> : nullptr;
        else
            h = parts == 2 ? store_vector<M, R, 2> : parts == 4 ? store_vector<M, R, 4> : nullptr;
        if (!h) throw Unsupported{};
        Instr& i = d.emit(h, kNone, a, list[0], list.size() > 1 ? list[1] : kNone);
        i.imm = offset;
        i.space = static_cast<std::uint8_t>(in);
        i.small = strength(d);
        d.passes(Rule::store);
        i.aux = static_cast<std::uint32_t>(d.function.lists.size());
        d.function.lists.insert(d.function.lists.end(), list.begin(), list.end());
    });
}

const Instr* nothing(const Instr* i, Warp&, Mask) { return i + 1; }
const Instr* no_policy(const Instr* i, Warp& w, Mask m) {
    u64* d = w.col<u64>(i->d);
    for (int l : lanes(m)) d[l] = 0;
    return i + 1;
}

}  // namespace

void add_memory(DecodeTable& t) {
    t[Opcode::ld] = ld;
    t[Opcode::ldu] = ld;
    t[Opcode::st] = st;
    for (const Opcode hint : {Opcode::prefetch, Opcode::prefetchu, Opcode::discard, Opcode::applypriority})
        t[hint] = [](Decoder& d) { d.emit(nothing, kNone); };
    // A policy only says what caches should keep.
    t[Opcode::createpolicy] = [](Decoder& d) {
        d.emit(no_policy, d.result(0, Type::b64));
        d.passes(Rule::any);
    };
}

}  // namespace vgpu
