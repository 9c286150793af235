// mov with packing and unpacking, special registers, cvta, isspacep.
#include <cstring>

#include "virtual_gpu/exec/handlers/ops.h"

namespace vgpu {
namespace {

using ptx::Operand;
using ptx::Type;

struct Same {
    template <class T>
    static T f(T x) {
        return x;
    }
};

const Instr* move_predicate(const Instr* i, Warp& w, Mask m) {
    Mask* d = w.col<Mask>(i->d);
    *d = (*d & ~m) | (w.predicate(i->a) & m);
    return i + 1;
}

Handler copy_handler(int bytes) {
    return bytes == 8 ? op1<Same, u64, u64> : bytes == 4 ? op1<Same, u32, u32> : op1<Same, u16, u16>;
}

// Parts of `kPart` type in a whole.
template <class Whole, class Part>
const Instr* pack(const Instr* i, Warp& w, Mask m) {
    constexpr int kParts = sizeof(Whole) / sizeof(Part);
    const std::uint32_t* list = &w.function->lists[i->aux];
    Whole* d = w.col<Whole>(i->d);
    const Part* from[kParts];
    for (int k = 0; k < kParts; ++k) from[k] = w.col<const Part>(list[k]);
    for (int l : lanes(m)) {
        Whole r = 0;
        for (int k = 0; k < kParts; ++k) r |= Whole(from[k][l]) << (8 * sizeof(Part) * static_cast<unsigned>(k));
        d[l] = r;
    }
    return i + 1;
}
template <class Whole, class Part>
const Instr* unpack(const Instr* i, Warp& w, Mask m) {
    constexpr int kParts = sizeof(Whole) / sizeof(Part);
    const std::uint32_t* list = &w.function->lists[i->aux];
    alignas(64) Whole a[kLanes];
    std::memcpy(a, w.col<const Whole>(i->a), sizeof a);
    for (int k = 0; k < kParts; ++k) {
        Part* d = w.col<Part>(list[k]);
        const unsigned shift = 8 * sizeof(Part) * static_cast<unsigned>(k);
        if (m == kAllLanes) {
            VGPU_LANES d[l] = Part(a[l] >> shift);
        } else {
            VGPU_LANES d[l] = (m >> l & 1) != 0 ? Part(a[l] >> shift) : d[l];
        }
        if (w.run->counting) w.ready[list[k] >> 6] = w.now + w.run->setup.latency[kAlu];
    }
    return i + 1;
}

Type part_type(int bytes) { return bytes == 8 ? Type::b64 : bytes == 4 ? Type::b32 : Type::b16; }

void move_vector(Decoder& d, Type t) {
    const Operand &to = d.operand(0), &from = d.operand(1);
    const bool packs = from.kind == Operand::Kind::vector;
    const auto& parts = packs ? from.elements : to.elements;
    const int whole = size_of(t), part = whole / static_cast<int>(parts.size());
    std::vector<std::uint32_t> list;
    for (const Operand& p : parts) list.push_back(packs ? d.value(p, part_type(part)) : d.result(p, part_type(part)));
    Handler h = nullptr;
    if (whole == 8 && part == 4) h = packs ? pack<u64, u32> : unpack<u64, u32>;
    if (whole == 8 && part == 2) h = packs ? pack<u64, u16> : unpack<u64, u16>;
    if (whole == 4 && part == 2) h = packs ? pack<u32, u16> : unpack<u32, u16>;
    if (!h) throw Unsupported{};
    const auto place = static_cast<std::uint32_t>(d.function.lists.size());
    d.function.lists.insert(d.function.lists.end(), list.begin(), list.end());
    if (packs) {
        d.emit(h, d.result(to, t), list[0], list.size() > 1 ? list[1] : kNone, list.size() > 2 ? list[2] : kNone).aux =
            place;
        d.passes(Rule::pack);
    } else {
        const Column a = d.value(from, t);
        d.emit(h, kNone, a).aux = place;
        d.passes(Rule::unpack);
    }
    Passing& p = d.function.passing.back();
    p.parts = static_cast<std::uint8_t>(list.size());
    p.more = static_cast<std::uint8_t>(part);
}

// 128 bits: two columns at each end, whichever way they are written.
void move_wide(Decoder& d) {
    const auto halves_of = [&](const Operand& op, bool is_result) -> std::pair<Column, Column> {
        if (op.kind == Operand::Kind::reg) return {d.half_column(op.index, 0), d.half_column(op.index, 1)};
        if (op.kind != Operand::Kind::vector || op.elements.size() != 2) throw Unsupported{};
        const auto half = [&](std::size_t k) {
            return is_result ? d.result(Decoder::part(op, k), Type::b64) : d.value(Decoder::part(op, k), Type::b64);
        };
        return {half(0), half(1)};
    };
    const auto from = halves_of(d.operand(1), false), to = halves_of(d.operand(0), true);
    // {a, b} may be what the other end is made of, in another order.
    const Column kept = d.temporary(8);
    d.emit(copy_handler(8), kept, from.second);
    d.passes(Rule::bit_xor);
    d.emit(copy_handler(8), to.first, from.first);
    d.passes(Rule::bit_xor);
    d.emit(copy_handler(8), to.second, kept);
    d.passes(Rule::bit_xor);
}
// {x, y, z, w}: the halves of the halves.
void move_wide_quarters(Decoder& d) {
    const bool packs = d.operand(1).kind == Operand::Kind::vector;
    const Operand &whole = d.operand(packs ? 0 : 1), &parts = d.operand(packs ? 1 : 0);
    std::vector<std::uint32_t> list;
    for (std::size_t k = 0; k < 4; ++k)
        list.push_back(packs ? d.value(Decoder::part(parts, k), Type::b32)
                             : d.result(Decoder::part(parts, k), Type::b32));
    for (std::size_t half = 0; half < 2; ++half) {
        const Column column = d.half_column(whole.index, static_cast<int>(half));
        const auto place = static_cast<std::uint32_t>(d.function.lists.size());
        d.function.lists.insert(d.function.lists.end(), {list[2 * half], list[2 * half + 1]});
        if (packs)
            d.emit(pack<u64, u32>, column, list[2 * half], list[2 * half + 1]).aux = place;
        else
            d.emit(unpack<u64, u32>, kNone, column).aux = place;
        Passing& p = d.passes(packs ? Rule::pack : Rule::unpack);
        p.parts = 2;
        p.more = 4;
    }
}

// Address of a .local variable: the frame's place on the stack is known at run time only.
template <class T>
const Instr* local_address(const Instr* i, Warp& w, Mask m) {
    T* d = w.col<T>(i->d);
    const T value = T(w.frame->local_base + static_cast<u64>(i->imm));
    VGPU_LANES d[l] = (m >> l & 1) != 0 ? value : d[l];
    return i + 1;
}

void mov(Decoder& d) {
    const Type t = d.type();
    const Operand &to = d.operand(0), &from = d.operand(1);
    if (t == Type::b128) {
        const bool has_quarters = to.elements.size() == 4 || from.elements.size() == 4;
        return has_quarters ? move_wide_quarters(d) : move_wide(d);
    }
    if (to.kind == Operand::Kind::vector || from.kind == Operand::Kind::vector) return move_vector(d, t);
    if (t == Type::pred) {
        const Column a = d.predicate(from);
        d.emit(move_predicate, d.result_predicate(to), a);
        d.passes(Rule::bit_xor);
        return;
    }
    if (std::uint64_t at = 0; from.kind == Operand::Kind::special && from.name == kReservedShared) {
        d.symbol_address(from.name, false, at);
        d.emit(copy_handler(size_of(t)), d.result(to, t), d.constant(at, size_of(t)));
        return;
    }
    if (from.kind == Operand::Kind::special) {
        Type own{};
        const Handler h = special_handler(from.name, own);
        if (!h) throw Unsupported{};
        d.emit(h, d.result(to, own));
        return;
    }
    if (from.kind == Operand::Kind::symbol) {
        std::uint64_t offset = 0;
        ParamPlace p;
        if (d.local_offset(from.name, offset)) {
            const bool wide = size_of(t) == 8;
            d.emit(wide ? local_address<u64> : local_address<u32>, d.result(to, t)).imm =
                static_cast<s64>(offset + static_cast<u64>(from.offset));
            return;
        }
        if (d.kernel_param(from.name, p)) {
            const Column c = d.constant(kParamWindow + p.offset + static_cast<u64>(from.offset), size_of(t));
            d.emit(copy_handler(size_of(t)), d.result(to, t), c);
            return;
        }
    }
    const Column a = d.value(from, t);
    d.emit(copy_handler(size_of(t)), d.result(to, t), a);
    d.passes(Rule::bit_xor);
}

// ---- special registers ----
const Instr* fill32(const Instr* i, Warp& w, Mask m, u32 value) {
    u32* d = w.col<u32>(i->d);
    VGPU_LANES d[l] = (m >> l & 1) != 0 ? value : d[l];
    return i + 1;
}
const Instr* fill64(const Instr* i, Warp& w, Mask m, u64 value) {
    u64* d = w.col<u64>(i->d);
    VGPU_LANES d[l] = (m >> l & 1) != 0 ? value : d[l];
    return i + 1;
}
template <int kDim>
const Instr* read_tid(const Instr* i, Warp& w, Mask m) {
    u32* d = w.col<u32>(i->d);
    const u32* from = w.tid[kDim];
    VGPU_LANES d[l] = (m >> l & 1) != 0 ? from[l] : d[l];
    return i + 1;
}
template <int kDim>
const Instr* read_ntid(const Instr* i, Warp& w, Mask m) {
    return fill32(i, w, m, w.run->grid.launch.block[kDim]);
}
template <int kDim>
const Instr* read_ctaid(const Instr* i, Warp& w, Mask m) {
    return fill32(i, w, m, w.block->index[kDim]);
}
template <int kDim>
const Instr* read_nctaid(const Instr* i, Warp& w, Mask m) {
    return fill32(i, w, m, w.run->grid.launch.grid[kDim]);
}
template <int kWhich>
const Instr* read_lanes(const Instr* i, Warp& w, Mask m) {
    u32* d = w.col<u32>(i->d);
    for (int l : lanes(m)) {
        const u32 bit = u32{1} << l;
        d[l] = kWhich == 0   ? u32(l)
               : kWhich == 1 ? bit
               : kWhich == 2 ? bit - 1
               : kWhich == 3 ? (bit - 1) | bit
               : kWhich == 4 ? ~(bit - 1)
                             : ~((bit - 1) | bit);
    }
    return i + 1;
}
// Time goes on with the steps of the whole launch, so that waiting for it ends.
u64 clock_now(Warp& w) {
    Progress& progress = w.run->progress;
    if (w.function->waits_for_clock) {
        w.since_chosen.timed = true;
        progress.timed = progress.steps;
    }
    return progress.steps + progress.skipped + w.now;
}
u64 nanoseconds(Warp& w) {
    return clock_now(w) * 1'000'000 /
           static_cast<u64>(w.run->options.clock_khz > 0 ? w.run->options.clock_khz : 1'000'000);
}
template <int kWhich>
const Instr* read_other(const Instr* i, Warp& w, Mask m) {
    const Run& run = *w.run;
    const auto sms = static_cast<u64>(run.options.sm_count > 0 ? run.options.sm_count : 1);
    switch (kWhich) {
        case 0:
            return fill32(i, w, m, static_cast<u32>(w.number));
        case 1:
            return fill32(i, w, m, run.setup.warps_per_block);
        case 2:
            return fill32(i, w, m, u32(w.block->linear % sms));
        case 3:
            return fill32(i, w, m, u32(sms));
        case 4:
            return fill32(i, w, m, u32(clock_now(w)));
        case 5:
            return fill32(i, w, m, u32(clock_now(w) >> 32));
        case 6:
            return fill32(i, w, m, run.grid.launch.shared_bytes);
        case 7:
            return fill32(i, w, m, run.setup.shared.bytes);
        case 8:
            return fill32(i, w, m, u32(run.setup.grid_workspace >> 32));
        case 9:
            return fill32(i, w, m, u32(run.setup.grid_workspace));
        case 10:
            return fill32(i, w, m, 0);
        case 11:
            return fill32(i, w, m, u32(nanoseconds(w)));
        case 12:
            return fill32(i, w, m, u32(nanoseconds(w) >> 32));
        case 13:
            return fill32(i, w, m, 1);
        default:
            return fill32(i, w, m, 32);
    }
}
const Instr* read_clock64(const Instr* i, Warp& w, Mask m) { return fill64(i, w, m, clock_now(w)); }
const Instr* read_globaltimer(const Instr* i, Warp& w, Mask m) { return fill64(i, w, m, nanoseconds(w)); }
const Instr* read_gridid(const Instr* i, Warp& w, Mask m) { return fill64(i, w, m, w.run->setup.launch_number); }

// ---- address spaces ----
struct ToGeneric {
    static u64 f(u64 a, u64 b) { return a + b; }
};
struct FromGeneric {
    static u64 f(u64 a, u64 b) { return a - b; }
};

const Instr* to_local_window(const Instr* i, Warp& w, Mask m) {
    const u64* a = w.col<const u64>(i->a);
    u64* d = w.col<u64>(i->d);
    for (int l : lanes(m)) d[l] = w.local_window(l) + a[l];
    return i + 1;
}

const Instr* from_local_window(const Instr* i, Warp& w, Mask m) {
    const u64* a = w.col<const u64>(i->a);
    u64* d = w.col<u64>(i->d);
    for (int l : lanes(m)) d[l] = local_offset(a[l]);
    return i + 1;
}

std::uint64_t window_of(const Decoder& d) {
    if (d.has("shared") || d.has("shared::cta")) return kSharedWindow;
    if (d.has("global") || d.has("const") || d.has("param")) return 0;
    throw Unsupported{};
}

void cvta(Decoder& d) {
    if (d.has("shared::cluster")) throw Unsupported{};
    const Type t = d.type();
    if (size_of(t) != 8) throw Unsupported{};
    const bool local = d.has("local");
    const Column window = d.constant(local ? 0 : window_of(d), 8);
    const Operand& from = d.operand(1);
    Column a;
    std::uint64_t offset = 0;
    ParamPlace p;
    if (from.kind == Operand::Kind::symbol && d.local_offset(from.name, offset)) {
        a = d.temporary(8);
        d.emit_hidden(local_address<u64>, a).imm = static_cast<s64>(offset + static_cast<u64>(from.offset));
    } else if (from.kind == Operand::Kind::symbol && d.kernel_param(from.name, p)) {
        a = d.constant(kParamWindow + p.offset + static_cast<u64>(from.offset), 8);
    } else {
        a = d.value(from, t);
    }
    const Handler handler = local         ? (d.has("to") ? from_local_window : to_local_window)
                            : d.has("to") ? op2<FromGeneric, u64, u64>
                                          : op2<ToGeneric, u64, u64>;
    d.emit(handler, d.result(0, t), a, window);
    d.passes(Rule::upward);
}

const Instr* isspacep(const Instr* i, Warp& w, Mask m) {
    const u64* a = w.col<const u64>(i->a);
    Mask r = 0;
    for (int l : lanes(m)) {
        const bool shared = a[l] - kSharedWindow < kWindowBytes, local = is_local(a[l]);
        const bool param = a[l] - kParamWindow < kWindowBytes;
        const Allocation* at = !shared && !local && !param ? w.run->memory.find(a[l]) : nullptr;
        const bool constant = at && at->read_only;
        const bool yes = i->small == 0   ? shared
                         : i->small == 1 ? local
                         : i->small == 2 ? constant
                         : i->small == 3 ? param
                                         : !shared && !local && !param && !constant;
        r |= Mask{yes} << l;
    }
    Mask* d = w.col<Mask>(i->d);
    *d = (*d & ~m) | r;
    return i + 1;
}

void decode_isspacep(Decoder& d) {
    const Column a = d.value(1, Type::b64);
    const bool shared = d.has("shared") || d.has("shared::cta") || d.has("shared::cluster");
    d.emit(isspacep, d.result_predicate(d.operand(0)), a).small = shared                                    ? 0
                                                                  : d.has("local")                          ? 1
                                                                  : d.has("const")                          ? 2
                                                                  : d.has("param") || d.has("param::entry") ? 3
                                                                                                            : 4;
}

}  // namespace

Handler special_handler(const std::string& name, Type& type) {
    struct Entry {
        Handler handler;
        Type type;
    };
    static const std::unordered_map<std::string_view, Entry> kTable = {
        {"%tid.x", {read_tid<0>, Type::u32}},
        {"%tid.y", {read_tid<1>, Type::u32}},
        {"%tid.z", {read_tid<2>, Type::u32}},
        {"%ntid.x", {read_ntid<0>, Type::u32}},
        {"%ntid.y", {read_ntid<1>, Type::u32}},
        {"%ntid.z", {read_ntid<2>, Type::u32}},
        {"%ctaid.x", {read_ctaid<0>, Type::u32}},
        {"%ctaid.y", {read_ctaid<1>, Type::u32}},
        {"%ctaid.z", {read_ctaid<2>, Type::u32}},
        {"%nctaid.x", {read_nctaid<0>, Type::u32}},
        {"%nctaid.y", {read_nctaid<1>, Type::u32}},
        {"%nctaid.z", {read_nctaid<2>, Type::u32}},
        {"%laneid", {read_lanes<0>, Type::u32}},
        {"%lanemask_eq", {read_lanes<1>, Type::u32}},
        {"%lanemask_lt", {read_lanes<2>, Type::u32}},
        {"%lanemask_le", {read_lanes<3>, Type::u32}},
        {"%lanemask_ge", {read_lanes<4>, Type::u32}},
        {"%lanemask_gt", {read_lanes<5>, Type::u32}},
        {"%warpid", {read_other<0>, Type::u32}},
        {"%nwarpid", {read_other<1>, Type::u32}},
        {"%smid", {read_other<2>, Type::u32}},
        {"%nsmid", {read_other<3>, Type::u32}},
        {"%clock", {read_other<4>, Type::u32}},
        {"%clock_hi", {read_other<5>, Type::u32}},
        {"%dynamic_smem_size", {read_other<6>, Type::u32}},
        {"%total_smem_size", {read_other<7>, Type::u32}},
        {"%aggr_smem_size", {read_other<7>, Type::u32}},
        {"%envreg1", {read_other<8>, Type::u32}},
        {"%envreg2", {read_other<9>, Type::u32}},
        {"%globaltimer_lo", {read_other<11>, Type::u32}},
        {"%globaltimer_hi", {read_other<12>, Type::u32}},
        {"%clock64", {read_clock64, Type::u64}},
        {"%globaltimer", {read_globaltimer, Type::u64}},
        {"%gridid", {read_gridid, Type::u64}},
        {"WARP_SZ", {read_other<14>, Type::u32}},
        // A grid without clusters: each block is a cluster of its own.
        {"%clusterid.x", {read_ctaid<0>, Type::u32}},
        {"%clusterid.y", {read_ctaid<1>, Type::u32}},
        {"%clusterid.z", {read_ctaid<2>, Type::u32}},
        {"%nclusterid.x", {read_nctaid<0>, Type::u32}},
        {"%nclusterid.y", {read_nctaid<1>, Type::u32}},
        {"%nclusterid.z", {read_nctaid<2>, Type::u32}},
        {"%cluster_ctaid.x", {read_other<10>, Type::u32}},
        {"%cluster_ctaid.y", {read_other<10>, Type::u32}},
        {"%cluster_ctaid.z", {read_other<10>, Type::u32}},
        {"%cluster_nctaid.x", {read_other<13>, Type::u32}},
        {"%cluster_nctaid.y", {read_other<13>, Type::u32}},
        {"%cluster_nctaid.z", {read_other<13>, Type::u32}},
        {"%cluster_ctarank", {read_other<10>, Type::u32}},
        {"%cluster_nctarank", {read_other<13>, Type::u32}}};
    const auto found = kTable.find(name);
    if (found == kTable.end()) return nullptr;
    type = found->second.type;
    return found->second.handler;
}

Handler local_address_handler() { return local_address<u64>; }

void add_move(DecodeTable& t) {
    t[Opcode::mov] = mov;
    t[Opcode::cvta] = cvta;
    t[Opcode::isspacep] = decode_isspacep;
}

}  // namespace vgpu
