// cp.async: copies from global to shared memory that a thread starts and waits for later.
#include <algorithm>
#include <array>
#include <cstring>

#include "virtual_gpu/exec/handlers/ops.h"
#include "virtual_gpu/exec/machine/access.h"
#include "virtual_gpu/exec/machine/async_copies.h"
#include "virtual_gpu/undefined/shadow.h"

namespace vgpu {
namespace {

using ptx::Operand;
using ptx::Type;

// Copied at once; see machine/async_copies.h.
template <int kBytes>
const Instr* copy_async(const Instr* i, Warp& w, Mask m) {
    Lanes from, to;
    const u64 *a = w.col<const u64>(i->a), *b = w.col<const u64>(i->b);
    const u32* size = w.col<const u32>(i->c);
    for (int l = 0; l < kLanes; ++l) {
        to.address[l] = a[l] + static_cast<u64>(i->imm);
        from.address[l] = b[l] + static_cast<u64>(static_cast<s64>(static_cast<s32>(i->aux)));
    }
    std::uint8_t values[kLanes][kBytes] = {};
    Mask reads = 0;
    for (int l : lanes(m)) reads |= Mask{size[l] > 0} << l;
    if (reads != 0) resolve_global(w, i, reads, from, {.bytes = kBytes, .use = Use::read});
    for (int l : lanes(reads)) std::memcpy(values[l], from.at(l, kBytes), std::min<u32>(size[l], kBytes));
    Request request{.bytes = kBytes, .use = Use::write, .values = values};
    if (from.undefined) {
        RequestBits& bits = w.run->undefined.stored;
        bits = RequestBits{};
        for (int l : lanes(reads)) {
            std::memcpy(bits.bits[l], from.undefined->bits[l], std::min<u32>(size[l], kBytes));
            std::memcpy(bits.origin[l], from.undefined->origin[l], sizeof bits.origin[l]);
        }
        request.undefined = &bits;
    }
    const Mask good = resolve_shared(w, i, m, to, request);
    for (int l : lanes(good)) std::memcpy(to.at(l, kBytes), values[l], kBytes);
    w.run->progress.note();
    if (w.run->counting) w.copies.arrivals.started(w.now + (reads != 0 ? from.cycles : 0) + to.cycles);
    if (w.run->checking) {
        std::array<u32, kLanes> offset{};
        const std::uint8_t* shared = w.block->shared.data();
        for (int l : lanes(good)) offset[static_cast<std::size_t>(l)] = static_cast<u32>(to.at(l, kBytes) - shared);
        copy_started(w, i, good, offset, kBytes);
    }
    return i + 1;
}

const Instr* commit_copies(const Instr* i, Warp& w, Mask m) {
    if (w.run->counting) w.copies.arrivals.committed();
    if (w.run->checking) copies_committed(w, m);
    return i + 1;
}
const Instr* await_copies(const Instr* i, Warp& w, Mask m) {
    if (w.run->counting)
        w.wait_until(i->imm < 0 ? w.copies.arrivals.of_all()
                                : w.copies.arrivals.of_groups_but(static_cast<u64>(i->imm)));
    if (w.run->checking) copies_awaited(w, m, i->imm);
    return i + 1;
}

void cp(Decoder& d) {
    if (d.has("reduce") || !d.has("async")) throw Unsupported{};
    if (d.has("bulk")) return decode_bulk_copy(d);
    if (d.has("mbarrier")) return decode_copies_arrive(d);
    if (d.has("commit_group")) return void(d.emit(commit_copies, kNone));
    if (d.has("wait_group") || d.has("wait_all")) {
        constexpr std::uint64_t kMostGroups = 1 << 20;
        if (d.has("wait_group") && (d.operand(0).kind != Operand::Kind::imm || d.operand(0).is_float))
            throw Unsupported{};
        d.emit(await_copies, kNone).imm =
            d.has("wait_all") ? -1 : static_cast<s64>(std::min<std::uint64_t>(d.operand(0).bits, kMostGroups));
        return;
    }
    std::int64_t to = 0, from = 0;
    // The first address is in shared, the second in global memory.
    const Column a = decode_address(d, d.operand(0), to), b = decode_address(d, d.operand(1), from);
    const std::uint64_t bytes = d.operand(2).bits;
    const std::size_t count = d.operands() - (d.has("L2::cache_hint") ? 1 : 0);  // a policy is the last operand
    if (count < 3 || count > 4 || d.operand(2).kind != Operand::Kind::imm ||
        (bytes != 4 && bytes != 8 && bytes != 16) || from != static_cast<s32>(from))
        throw Unsupported{};
    const Column size = count > 3 ? d.value(3, Type::u32) : d.constant(bytes, 4);
    Instr& i = d.emit(bytes == 16 ? copy_async<16> : bytes == 8 ? copy_async<8> : copy_async<4>, kNone, a, b, size);
    i.imm = to;
    i.aux = static_cast<u32>(from);
    d.passes(Rule::copy);
}

}  // namespace

void add_copies(DecodeTable& t) { t[Opcode::cp] = cp; }

}  // namespace vgpu
