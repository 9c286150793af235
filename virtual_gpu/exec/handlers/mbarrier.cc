// mbarrier: barriers as objects in shared memory, which cuda::barrier and cuda::pipeline use since compute capability
// 8.0, and the bulk copies of 9.0 that report to them. An object's bits are opaque in PTX; here they are struct Phase.
// An arrival releases and a wait acquires, like atomics.
#include <algorithm>
#include <array>
#include <cstring>

#include "virtual_gpu/exec/decode/atomics.h"
#include "virtual_gpu/exec/handlers/ops.h"
#include "virtual_gpu/exec/machine/access.h"
#include "virtual_gpu/exec/machine/async_copies.h"
#include "virtual_gpu/undefined/shadow.h"

namespace vgpu {
namespace {

using ptx::Operand;
using ptx::Type;

constexpr u64 kCountMask = (u64{1} << 20) - 1, kBytesMask = (u64{1} << 22) - 1;
constexpr u32 kMostCount = kCountMask;

// The running phase: arrivals it still waits for, arrivals of the next one, bytes that copies have yet to bring.
struct Phase {
    u64 bits;
    u64 pending() const { return bits & kCountMask; }
    u64 expected() const { return bits >> 20 & kCountMask; }
    u64 bytes() const { return bits >> 40 & kBytesMask; }
    u64 parity() const { return bits >> 62 & 1; }
    static Phase of(u64 pending, u64 expected, u64 bytes, u64 parity) {
        return {(pending & kCountMask) | (expected & kCountMask) << 20 | (bytes & kBytesMask) << 40 |
                (parity & 1) << 62};
    }
    Phase after(u64 arrivals, u64 drops, u64 more_bytes) const {
        const u64 left = pending() - arrivals, next = expected() - drops;
        const u64 missing = (bytes() + more_bytes) & kBytesMask;
        if ((left & kCountMask) != 0 || missing != 0) return of(left, next, missing, parity());
        return of(next, next, 0, parity() ^ 1);
    }
};

// What an instruction does, in Instr::aux.
constexpr u32 kArrives = 1, kDrops = 2, kExpects = 4, kCompletes = 8, kParity = 16, kGeneric = 32, kAwaitsCopies = 64;

Mask resolve(Warp& w, const Instr* i, Mask m, Lanes& l, Request r) {
    const u64* address = w.col<const u64>(i->a);
    for (int lane = 0; lane < kLanes; ++lane) l.address[lane] = address[lane] + static_cast<u64>(i->imm);
    r.bytes = 8;
    if (r.strong) w.since_chosen.strong = true;
    return (i->aux & kGeneric) != 0 ? resolve_generic(w, i, m, l, r) : resolve_shared(w, i, m, l, r);
}

const Instr* init(const Instr* i, Warp& w, Mask m) {
    const u32* count = w.col<const u32>(i->b);
    u64 values[kLanes];
    for (int l = 0; l < kLanes; ++l) values[l] = Phase::of(count[l], count[l], 0, 0).bits;
    for (int l : lanes(m)) {
        if (count[l] - 1 < kMostCount) continue;
        w.run->reporter.found(w, i, Mask{1} << l, Kind::invalid_access,
                              "mbarrier.init was asked to wait for " + std::to_string(count[l]) + " arrivals",
                              "a barrier waits for 1 to 1048575 arrivals");
    }
    Lanes l;
    const Mask good = resolve(w, i, m, l, {.use = Use::write, .values = values});
    for (int lane : lanes(good)) std::memcpy(l.at(lane, 8), &values[lane], 8);
    w.run->progress.note();
    return i + 1;
}

// The lane's barrier: its offset in the block's shared memory.
u32 barrier_of(const Instr* i, const Warp& w, int lane) {
    const u64 window = (i->aux & kGeneric) != 0 ? kSharedWindow : 0;
    const u64 at = w.col<const u64>(i->a)[lane] + static_cast<u64>(i->imm) - window;
    const u64 number = (at >> kSharedBits) - 1;
    const SharedLayout& shared = w.run->setup.shared;
    return number < shared.place.size() ? shared.place[number] + static_cast<u32>(at & ((u64{1} << kSharedBits) - 1))
                                        : AsyncCopy::kNoBarrier;
}

// Lanes one after the other, each as an atomic.
const Instr* change(const Instr* i, Warp& w, Mask m) {
    const bool is_checking = w.run->checking;
    if (is_checking && (i->aux & (kAwaitsCopies | kCompletes)) != 0)
        for (int lane : lanes(m)) copies_report_to(w, lane, barrier_of(i, w, lane), (i->aux & kCompletes) != 0);
    Lanes l;
    const Mask good = resolve(w, i, m, l, {.use = Use::reduction, .strong = true, .order = kReleases});
    const u64 arrival = (i->aux & kAwaitsCopies) != 0 ? w.copies.arrivals.of_all()
                        : (i->aux & kCompletes) != 0  ? w.copies.bulk_arrival
                                                      : 0;
    const u32* number = w.col<const u32>(i->b);  // arrivals, or bytes
    u64* state = w.col<u64>(i->d);
    for (int lane : lanes(good)) {
        Phase phase{};
        std::memcpy(&phase, l.at(lane, 8), 8);
        const u64 n = number[lane];
        const bool in_bytes = (i->aux & (kExpects | kCompletes)) != 0;
        const u64 arrivals = (i->aux & kArrives) == 0 ? 0 : in_bytes ? 1 : n;
        const u64 bytes = (i->aux & kExpects) != 0 ? n : (i->aux & kCompletes) != 0 ? 0 - n : 0;
        if (arrivals > phase.pending())
            w.run->reporter.found(w, i, Mask{1} << lane, Kind::invalid_access,
                                  "more threads arrive at the barrier than the " + std::to_string(phase.expected()) +
                                      " that it was made for",
                                  "the count that the barrier was made with is the number of arrivals in a phase");
        const Phase next = phase.after(arrivals, (i->aux & kDrops) != 0 ? arrivals : 0, bytes);
        std::memcpy(l.at(lane, 8), &next, 8);
        if (w.run->counting) {
            u64& last = w.block->arrived[barrier_of(i, w, lane)];
            last = std::max({last, w.now + l.cycles, arrival});
        }
        if (is_checking && next.parity() != phase.parity()) copies_completed(*w.block, barrier_of(i, w, lane));
        if (i->d != kNone) state[lane] = phase.bits;
    }
    if (w.run->counting && i->d != kNone) w.ready[i->d >> 6] = w.now + l.cycles;
    if (l.undefined) [[unlikely]]
        changed_undefined(w, i, good, *l.undefined, 8);
    w.run->progress.note();
    return i + 1;
}

// Whether the phase is over that a token, or a parity, stands for.
const Instr* test_wait(const Instr* i, Warp& w, Mask m) {
    Lanes l;
    const Mask good = resolve(w, i, m, l, {.use = Use::read, .strong = true, .order = kAcquires});
    Mask over = 0;
    for (int lane : lanes(good)) {
        Phase phase{};
        std::memcpy(&phase, l.at(lane, 8), 8);
        const u64 of =
            (i->aux & kParity) != 0 ? w.col<const u32>(i->b)[lane] & 1 : Phase{w.col<const u64>(i->b)[lane]}.parity();
        if (phase.parity() == of) continue;
        over |= Mask{1} << lane;
        if (w.run->counting) w.wait_until(w.block->arrived[barrier_of(i, w, lane)]);
        if (w.run->checking) copies_seen(*w.block, barrier_of(i, w, lane));
    }
    Mask* d = w.col<Mask>(i->d);
    *d = (*d & ~m) | over;
    if (w.run->counting) w.ready[i->d >> 6] = w.now + l.cycles;
    if (l.undefined) [[unlikely]]
        changed_undefined(w, i, good, *l.undefined, 8);
    return i + 1;
}

const Instr* pending_count(const Instr* i, Warp& w, Mask m) {
    for (int l : lanes(m)) w.col<u32>(i->d)[l] = static_cast<u32>(Phase{w.col<const u64>(i->a)[l]}.pending());
    return i + 1;
}

u32 space_of(const Decoder& d) {
    return d.has("shared") || d.has("shared::cta") || d.has("shared::cluster") ? 0 : kGeneric;
}

Instr& emit(Decoder& d, Handler h, Column result, std::size_t address, Column number, u32 does) {
    std::int64_t offset = 0;
    const Column a = decode_address(d, d.operand(address), offset);
    Instr& i = d.emit(h, result, a, number, number);
    i.imm = offset;
    i.aux = does | space_of(d);
    d.passes(Rule::atomic);
    return i;
}

void mbarrier(Decoder& d) {
    const Column one = d.constant(1, 4);
    if (d.has("init")) return void(emit(d, init, kNone, 0, d.value(1, Type::u32), 0));
    if (d.has("inval")) return void(emit(d, change, kNone, 0, d.constant(0, 4), 0));
    if (d.has("pending_count")) return void(d.emit(pending_count, d.result(0, Type::u32), d.value(1, Type::u64)));
    if (d.has("test_wait") || d.has("try_wait")) {
        const bool parity = d.has("parity");
        const Column which = d.value(2, parity ? Type::u32 : Type::u64);
        return void(emit(d, test_wait, d.result_predicate(d.operand(0)), 1, which, parity ? kParity : 0));
    }
    if (d.has("expect_tx") && !d.has("arrive") && !d.has("arrive_drop"))
        return void(emit(d, change, kNone, 0, d.value(1, Type::u32), kExpects));
    if (d.has("complete_tx")) return void(emit(d, change, kNone, 0, d.value(1, Type::u32), kCompletes));
    if (!d.has("arrive") && !d.has("arrive_drop")) throw Unsupported{};
    // The token may be left out where another block of the cluster is meant.
    const bool has_state = d.operand(0).kind != Operand::Kind::address;
    const std::size_t first = has_state ? 1 : 0;
    const Column number = d.operands() > first + 1 ? d.value(first + 1, Type::u32) : one;
    const u32 does = kArrives | (d.has("arrive_drop") ? kDrops : 0) | (d.has("expect_tx") ? kExpects : 0);
    emit(d, change, has_state ? d.result(0, Type::u64) : kNone, first, number, does);
}

// ---- Bulk copies: done at once, by 16 bytes ----

constexpr int kPiece = 16;

// How many of the bytes from an address on lie in one array. A copy is checked as a whole before it touches anything:
// its size is a register's, so up to 4 GiB.
u64 room_in_shared(const Warp& w, u64 at) {
    const SharedLayout& shared = w.run->setup.shared;
    const u64 number = (at >> kSharedBits) - 1, in = at & ((u64{1} << kSharedBits) - 1);
    return number < shared.size.size() && in < shared.size[number] ? shared.size[number] - in : 0;
}
u64 room_in_global(const Warp& w, u64 at) {
    const Allocation* a = w.run->memory.find(at);
    return a != nullptr && !a->freed && at >= a->first && at - a->base < a->bytes ? a->bytes - (at - a->base) : 0;
}

const Instr* bulk_copy(const Instr* i, Warp& w, Mask m) {
    const u64 *to = w.col<const u64>(i->a), *from = w.col<const u64>(i->b);
    const u32* size = w.col<const u32>(i->c);
    const bool to_shared = i->small != 0;
    for (int l : lanes(m)) {
        const Mask lane = Mask{1} << l;
        if (size[l] % kPiece != 0) {
            w.run->reporter.found(w, i, lane, Kind::misaligned,
                                  "cp.async.bulk was asked to copy " + counted(size[l], "byte"),
                                  "the number of bytes is a multiple of 16, and so are both addresses");
            w.run->note_bad(Status::misaligned_address);
            continue;
        }
        const u64 room = to_shared ? std::min(room_in_global(w, from[l]), room_in_shared(w, to[l]))
                                   : std::min(room_in_shared(w, from[l]), room_in_global(w, to[l]));
        // Beyond that, the first piece outside is tried: it is a finding, and the copy does nothing else.
        const u64 begin = size[l] <= room ? 0 : room / kPiece * kPiece;
        std::array<u32, kLanes> first{};
        u32 cycles = 0;
        bool is_whole = true;
        for (u64 done = begin; done < size[l] && is_whole && !w.run->failed; done += kPiece) {
            Lanes source, target;
            std::fill_n(source.address, kLanes, from[l] + done);
            std::fill_n(target.address, kLanes, to[l] + done);
            std::uint8_t values[kLanes][kPiece] = {};
            Request read{.bytes = kPiece, .use = Use::read},
                write{.bytes = kPiece, .use = Use::write, .values = values};
            to_shared ? resolve_global(w, i, lane, source, read) : resolve_shared(w, i, lane, source, read);
            std::memcpy(values[l], source.contiguous ? source.first : source.host[l], kPiece);
            if (source.undefined) {
                RequestBits& bits = w.run->undefined.stored;
                bits = *source.undefined;
                write.undefined = &bits;
            }
            const Mask good =
                to_shared ? resolve_shared(w, i, lane, target, write) : resolve_global(w, i, lane, target, write);
            is_whole = good != 0 && size[l] <= room;
            if (!is_whole) continue;
            std::uint8_t* const at = target.contiguous ? target.first : target.host[l];
            std::memcpy(at, values[l], kPiece);
            cycles = std::max(cycles, source.cycles + target.cycles);
            if (done == 0 && to_shared)
                first[static_cast<std::size_t>(l)] = static_cast<u32>(at - w.block->shared.data());
        }
        w.copies.bulk_arrival = std::max(w.copies.bulk_arrival, w.now + cycles);
        w.run->progress.note();
        if (w.run->checking && to_shared && is_whole && size[l] != 0 && !w.run->failed)
            copy_started(w, i, lane, first, static_cast<int>(size[l]), true);
    }
    return i + 1;
}

}  // namespace

// cp.async.mbarrier.arrive: the thread's copies by cp.async count as complete, as whoever waits for the barrier waits
// for them. Without .noinc, the arrival is one that the barrier did not expect.
void decode_copies_arrive(Decoder& d) {
    emit(d, change, kNone, 0, d.constant(1, 4), kAwaitsCopies | (d.has("noinc") ? kArrives : 0));
}

// cp.async.bulk between global memory and the block's own shared memory. A prefetch is a hint: it does nothing here.
void decode_bulk_copy(Decoder& d) {
    if (d.has("tensor") || d.has("reduce") || d.has("multicast::cluster")) throw Unsupported{};
    if (d.has("commit_group") || d.has("wait_group") || d.has("prefetch"))
        return void(d.emit([](const Instr* i, Warp&, Mask) { return i + 1; }, kNone));
    if (d.operands() > (d.has("L2::cache_hint") ? 5 : 4) || d.has("cp_mask")) throw Unsupported{};
    const bool to_shared = d.has("mbarrier::complete_tx::bytes");
    if (!d.has("global")) throw Unsupported{};
    std::int64_t to = 0, from = 0;
    Column a = decode_address(d, d.operand(0), to), b = decode_address(d, d.operand(1), from);
    if (to != 0 || from != 0) throw Unsupported{};
    const Column size = d.value(2, Type::u32);
    d.emit(bulk_copy, kNone, a, b, size).small = to_shared ? 1 : 0;
    d.passes(Rule::copy);
    if (to_shared) emit(d, change, kNone, 3, size, kCompletes);
}

void add_mbarrier(DecodeTable& t) { t[Opcode::mbarrier] = mbarrier; }

}  // namespace vgpu
