// ldmatrix, stmatrix, movmatrix: 8x8 matrices of 16-bit elements between shared memory and the lanes of a warp. Lane t
// holds elements 2(t%4) and 2(t%4)+1 of row t/4. All lanes of the warp take part.
//
// An instruction for several matrices becomes one for each: lanes 8j to 8j+7 give the addresses of the rows of matrix
// j.
#include <cstring>

#include "virtual_gpu/exec/handlers/ops.h"
#include "virtual_gpu/exec/machine/access.h"
#include "virtual_gpu/exec/machine/meeting.h"
#include "virtual_gpu/undefined/shadow.h"

namespace vgpu {
namespace {

using ptx::Operand;
using ptx::Type;

constexpr int kRows = 8, kRowBytes = 16;
enum : std::uint8_t { kMatrix = 3, kIsGeneric = 4, kTransposed = 8 };  // Instr::small: number of the matrix, flags

struct Element {
    int row, column;
};
// The element that lane t holds as its half k.
Element element_of(int lane, int half, bool transposed) {
    const int along = 2 * (lane % 4) + half, across = lane / 4;
    return transposed ? Element{along, across} : Element{across, along};
}

// Reads or writes the rows of the instruction's matrix: the lanes that give their addresses, and may access them.
Mask resolve_rows(Warp& w, const Instr* i, Mask m, Lanes& l, const Request& r) {
    const int first = (i->small & kMatrix) * kRows;
    const Mask rows = m & Mask{0xFF} << first;
    if (rows == 0) return 0;
    if (w.shadow) [[unlikely]]
        decide(w, i, rows, i->a, 8,
               r.use == Use::read ? "is in the address that is read" : "is in the address that is written");
    const u64* a = w.col<const u64>(i->a);
    for (int lane = 0; lane < kLanes; ++lane) l.address[lane] = a[lane] + static_cast<u64>(i->imm);
    // One request for all matrices of the instruction.
    Counters* counters = w.run->counting ? &w.run->tally.counters[w.function->count_base + i->source] : nullptr;
    const std::uint64_t loads = counters ? counters->shared_loads : 0, stores = counters ? counters->shared_stores : 0;
    const Mask good =
        (i->small & kIsGeneric) != 0 ? resolve_generic(w, i, rows, l, r) : resolve_shared(w, i, rows, l, r);
    if (counters && first != 0) {
        counters->shared_loads = loads;
        counters->shared_stores = stores;
    }
    return good;
}

const Instr* load_matrix(const Instr* i, Warp& w, Mask m) {
    const Instr* next = nullptr;
    if (!all_here(i, w, m, i->b, next)) return next;
    Lanes l;
    const Mask rows = resolve_rows(w, i, m, l, {.bytes = kRowBytes, .use = Use::read, .element_bytes = 2});
    const int first = (i->small & kMatrix) * kRows;
    const bool transposed = (i->small & kTransposed) != 0;
    u16 matrix[kRows][kRows];
    std::memset(matrix, 0xCD, sizeof matrix);
    for (int r = 0; r < kRows; ++r)
        if ((rows >> (first + r) & 1) != 0) std::memcpy(matrix[r], l.at(first + r, kRowBytes), kRowBytes);
    u32* d = w.col<u32>(i->d);
    RequestBits undefined{};
    for (int lane : lanes(m))
        for (int half = 0; half < 2; ++half) {
            const auto [row, column] = element_of(lane, half, transposed);
            const auto shift = static_cast<unsigned>(16 * half);
            d[lane] = (d[lane] & ~(u32{0xFFFF} << shift)) | u32{matrix[row][column]} << shift;
            if (l.undefined == nullptr || (rows >> (first + row) & 1) == 0) continue;
            std::memcpy(&undefined.bits[lane][2 * half], &l.undefined->bits[first + row][2 * column], 2);
            if (undefined.bits[lane][2 * half] != 0 || undefined.bits[lane][2 * half + 1] != 0)
                undefined.origin[lane][0] = l.undefined->origin[first + row][column / 2];
        }
    if (w.shadow) [[unlikely]]
        w.shadow->define(i->d, 4, m);
    if (l.undefined) [[unlikely]]
        loaded_undefined(w, m, undefined, &i->d, 1, 4, 4, false);
    if (w.run->counting) w.ready[i->d >> 6] = w.now + l.cycles;
    return i + 1;
}

const Instr* store_matrix(const Instr* i, Warp& w, Mask m) {
    const Instr* next = nullptr;
    if (!all_here(i, w, m, i->b, next)) return next;
    const int first = (i->small & kMatrix) * kRows;
    const bool transposed = (i->small & kTransposed) != 0;
    const u32* c = w.col<const u32>(i->c);
    const RequestBits* held = w.shadow ? stored_undefined(w, i, m, &i->c, 1, 4, 4) : nullptr;
    RequestBits undefined{};
    u8 values[kLanes][kRowBytes] = {};
    for (int lane = 0; lane < kLanes; ++lane)
        for (int half = 0; half < 2; ++half) {
            const auto [row, column] = element_of(lane, half, transposed);
            const u16 value = u16(c[lane] >> (16 * half));
            std::memcpy(&values[first + row][2 * column], &value, 2);
            if (held == nullptr) continue;
            std::memcpy(&undefined.bits[first + row][2 * column], &held->bits[lane][2 * half], 2);
            if (held->bits[lane][2 * half] != 0 || held->bits[lane][2 * half + 1] != 0)
                undefined.origin[first + row][column / 2] = held->origin[lane][0];
        }
    Lanes l;
    const Mask good = resolve_rows(w, i, m, l,
                                   {.bytes = kRowBytes,
                                    .use = Use::write,
                                    .element_bytes = 2,
                                    .values = values,
                                    .undefined = held != nullptr ? &undefined : nullptr});
    for (int lane : lanes(good)) std::memcpy(l.at(lane, kRowBytes), values[lane], kRowBytes);
    return i + 1;
}

const Instr* move_matrix(const Instr* i, Warp& w, Mask m) {
    const Instr* next = nullptr;
    if (!all_here(i, w, m, i->b, next)) return next;
    alignas(64) u32 a[kLanes];
    std::memcpy(a, w.col<const u32>(i->a), sizeof a);
    std::uint64_t bits[kLanes] = {}, moved[kLanes] = {};
    OriginId origin[kLanes] = {}, moved_origin[kLanes] = {};
    const bool is_undefined = w.shadow != nullptr && w.shadow->any(i->a);
    if (is_undefined) {
        w.shadow->get(i->a, 4, bits);
        std::memcpy(origin, w.shadow->origins(i->a), sizeof origin);
    }
    u32* d = w.col<u32>(i->d);
    for (int lane : lanes(m)) {
        u32 value = 0;
        for (int half = 0; half < 2; ++half) {
            const auto [row, column] = element_of(lane, half, true);
            const int from = 4 * row + column / 2;
            const auto shift = static_cast<unsigned>(16 * half), down = static_cast<unsigned>(16 * (column % 2));
            value |= (a[from] >> down & 0xFFFF) << shift;
            const std::uint64_t here = bits[from] >> down & 0xFFFF;
            moved[lane] |= here << shift;
            if (here != 0) moved_origin[lane] = origin[from];
        }
        d[lane] = value;
    }
    if (w.shadow) [[unlikely]]
        w.shadow->put(i->d, 4, m, moved, moved_origin);
    return i + 1;
}

int matrices_of(const Decoder& d) {
    if (!d.has("sync") || !d.has("m8n8") || !d.has("b16") || d.has("shared::cluster")) throw Unsupported{};
    return d.has("x4") ? 4 : d.has("x2") ? 2 : d.has("x1") ? 1 : throw Unsupported{};
}

// `emit_one` gives the registers of matrix j to its instruction.
template <class Emit>
void each_matrix(Decoder& d, const Operand& address, Emit&& emit_one) {
    const int count = matrices_of(d);
    std::int64_t offset = 0;
    const Column a = decode_address(d, address, offset);
    const Column members = d.constant(kAllLanes, 4);
    for (int j = 0; j < count; ++j) {
        Instr& i = emit_one(static_cast<std::size_t>(j), a, members);
        i.imm = offset;
        i.small = static_cast<std::uint8_t>(j | (d.has("shared") || d.has("shared::cta") ? 0 : kIsGeneric) |
                                            (d.has("trans") ? kTransposed : 0));
        d.passes(Rule::across_lanes);
    }
}

void ldmatrix(Decoder& d) {
    // The addresses are read before any result is written, which may be the same register.
    each_matrix(d, d.operand(1), [&](std::size_t j, Column a, Column members) -> Instr& {
        return d.emit(load_matrix, d.result(Decoder::part(d.operand(0), j), Type::b32), a, members);
    });
}

void stmatrix(Decoder& d) {
    each_matrix(d, d.operand(0), [&](std::size_t j, Column a, Column members) -> Instr& {
        return d.emit(store_matrix, kNone, a, members, d.value(Decoder::part(d.operand(1), j), Type::b32));
    });
}

void movmatrix(Decoder& d) {
    if (!d.has("sync") || !d.has("m8n8") || !d.has("trans") || !d.has("b16")) throw Unsupported{};
    const Column a = d.value(1, Type::b32), members = d.constant(kAllLanes, 4);
    d.emit(move_matrix, d.result(0, Type::b32), a, members);
    d.passes(Rule::across_lanes);
}

}  // namespace

void add_matrix(DecodeTable& t) {
    t[Opcode::ldmatrix] = ldmatrix;
    t[Opcode::stmatrix] = stmatrix;
    t[Opcode::movmatrix] = movmatrix;
}

}  // namespace vgpu
