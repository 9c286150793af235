// Operations between the lanes of a warp: shfl vote activemask match redux elect.
#include <bit>
#include <cstring>

#include "virtual_gpu/exec/handlers/ops.h"
#include "virtual_gpu/exec/machine/meeting.h"
#include "virtual_gpu/undefined/shadow.h"

namespace vgpu {
namespace {

using ptx::Operand;
using ptx::Type;

void set_predicate(Warp& w, Column c, Mask m, Mask value) {
    Mask* d = w.col<Mask>(c);
    *d = (*d & ~m) | (value & m);
}

// CUDA's shuffles have a width of 1, 2, 4, ... 32 lanes, which nvcc passes as a mask of segments.
void check_width(Warp& w, const Instr* i, Mask m, u32 segment) {
    const u32 width = 32 - segment;
    if (std::has_single_bit(width)) return;
    Reporter& reporter = w.run->reporter;
    reporter.found(w, i, m, Kind::invalid_access,
                   "the shuffle at " + reporter.at(reporter.place(w, i)) + " has a width of " + counted(width, "lane") +
                       ", which is not a power of two: its result is undefined",
                   "choose a width of 2, 4, 8, 16 or 32 lanes, and leave out the lanes that have nothing to add");
}

// d: result, a: value, b: lane or delta, c: clamp and segment; imm: member mask's column; aux: predicate's column.
enum ShuffleMode : std::uint8_t { kUp, kDown, kBfly, kIdx };
template <ShuffleMode kMode>
const Instr* shuffle(const Instr* i, Warp& w, Mask m) {
    const Instr* next = nullptr;
    if (i->imm != kNone && !all_here(i, w, m, static_cast<Column>(i->imm), next)) return next;
    alignas(64) u32 a[kLanes];
    std::memcpy(a, w.col<const u32>(i->a), sizeof a);
    const u32 *b = w.col<const u32>(i->b), *c = w.col<const u32>(i->c);
    u32* d = w.col<u32>(i->d);
    alignas(64) u32 result[kLanes], source[kLanes], is_inside[kLanes];
    for (int l = 0; l < kLanes; ++l) {
        const u32 lane = u32(l), value = b[l] & 31, clamp = c[l] & 31, segment = c[l] >> 8 & 31;
        const u32 highest = (lane & segment) | (clamp & ~segment), lowest = lane & segment;
        const u32 from = kMode == kUp     ? lane - value
                         : kMode == kDown ? lane + value
                         : kMode == kBfly ? lane ^ value
                                          : lowest | (value & ~segment);
        const bool ok = kMode == kUp ? s32(from) >= s32(highest) : from <= highest;
        is_inside[l] = ok ? 1 : 0;
        source[l] = (ok ? from : lane) & 31;
    }
    Mask inside = 0;
    for (int l = 0; l < kLanes; ++l) inside |= is_inside[l] << l;
    for (int l = 0; l < kLanes; ++l) result[l] = a[source[l]];
    if (m != kAllLanes)
        for (int l = 0; l < kLanes; ++l) result[l] = (m >> source[l] & 1) != 0 ? result[l] : kPoisonWord;
    if (w.run->checking) check_width(w, i, m, c[first_lane(m)] >> 8 & 31);
    if (w.run->checking && (m != kAllLanes || w.shadow)) [[unlikely]]
        shuffled_undefined(w, i, m, source, ~m);
    VGPU_LANES d[l] = (m >> l & 1) != 0 ? result[l] : d[l];
    if (i->aux != kNone) {
        set_predicate(w, i->aux, m, inside);
        if (w.run->counting) w.ready[i->aux >> 6] = w.now + w.run->setup.latency[kShuffle];
    }
    return i + 1;
}

void shfl(Decoder& d) {
    const Operand& to = d.operand(0);
    const bool pair = to.kind == Operand::Kind::vector, sync = d.has("sync");
    const Column a = d.value(1, Type::b32), b = d.value(2, Type::b32), c = d.value(3, Type::b32);
    const Column members = sync ? d.value(4, Type::b32) : kNone;
    const Column result = d.result(pair ? Decoder::part(to, 0) : to, Type::b32);
    const Column predicate = pair ? d.result_predicate(Decoder::part(to, 1)) : kNone;
    Instr& i = d.emit(d.has("up")     ? shuffle<kUp>
                      : d.has("down") ? shuffle<kDown>
                      : d.has("bfly") ? shuffle<kBfly>
                                      : shuffle<kIdx>,
                      result, a, b, c);
    i.imm = members;
    i.aux = predicate;
    d.passes(Rule::shuffle);
}

// a: predicate; b: member masks
template <VoteMode kMode>
const Instr* vote(const Instr* i, Warp& w, Mask m) {
    const Instr* next = nullptr;
    if (i->b != kNone && !all_here(i, w, m, i->b, next)) return next;
    const Mask p = w.predicate(i->a);
    const u32* members = i->b != kNone ? w.col<const u32>(i->b) : nullptr;
    if constexpr (kMode == kBallot) {
        u32* d = w.col<u32>(i->d);
        for (int l : lanes(m)) d[l] = p & m & (members ? members[l] : kAllLanes);
    } else {
        Mask r = 0;
        for (int l : lanes(m)) {
            const Mask who = m & (members ? members[l] : kAllLanes), yes = p & who;
            r |= Mask{kMode == kAll ? yes == who : kMode == kAny ? yes != 0 : yes == 0 || yes == who} << l;
        }
        set_predicate(w, i->d, m, r);
    }
    if (w.shadow) [[unlikely]]
        voted_undefined(w, i, m, p, kMode);
    return i + 1;
}

void decode_vote(Decoder& d) {
    const Column a = d.predicate(d.operand(1));
    const Column members = d.has("sync") ? d.value(2, Type::b32) : kNone;
    if (d.has("ballot")) {
        d.emit(vote<kBallot>, d.result(0, Type::b32), a, members);
        d.passes(Rule::across_lanes);
        return;
    }
    d.emit(d.has("all")   ? vote<kAll>
           : d.has("any") ? vote<kAny>
                          : vote<kUni>,
           d.result_predicate(d.operand(0)), a, members);
    d.passes(Rule::across_lanes);
}

const Instr* activemask(const Instr* i, Warp& w, Mask m) {
    u32* d = w.col<u32>(i->d);
    for (int l : lanes(m)) d[l] = m;
    return i + 1;
}

template <class T, bool kEvery>
const Instr* match(const Instr* i, Warp& w, Mask m) {
    const Instr* next = nullptr;
    if (!all_here(i, w, m, i->b, next)) return next;
    alignas(64) T a[kLanes];
    std::memcpy(a, w.col<const T>(i->a), sizeof a);
    const u32* members = w.col<const u32>(i->b);
    u32* d = w.col<u32>(i->d);
    Mask p = 0;
    u32 result[kLanes] = {};
    for (Mask left = m; left != 0;) {  // once for each value
        const T value = a[std::countr_zero(left)];
        Mask equal = 0;
        for (int k = 0; k < kLanes; ++k) equal |= Mask{a[k] == value} << k;
        equal &= m;
        for (int l : lanes(equal)) {
            const Mask who = m & members[l], same = equal & who;
            const bool all = same == who;
            result[l] = kEvery ? (all ? who : 0) : same;
            p |= Mask{all} << l;
        }
        left &= ~equal;
    }
    if (w.shadow) [[unlikely]]
        matched_undefined(w, i, m);
    for (int l : lanes(m)) d[l] = result[l];
    if (i->aux != kNone) set_predicate(w, i->aux, m, p);
    return i + 1;
}

void decode_match(Decoder& d) {
    const Operand& to = d.operand(0);
    const bool pair = to.kind == Operand::Kind::vector, wide = size_of(d.type()) == 8, every = d.has("all");
    const Column a = d.value(1, d.type()), members = d.value(2, Type::b32);
    const Column result = d.result(pair ? Decoder::part(to, 0) : to, Type::b32);
    const Column predicate = pair ? d.result_predicate(Decoder::part(to, 1)) : kNone;
    d.emit(wide ? (every ? match<u64, true> : match<u64, false>) : (every ? match<u32, true> : match<u32, false>),
           result, a, members)
        .aux = predicate;
    d.passes(Rule::across_lanes);
}

enum ReduceMode : std::uint8_t { kSum, kMinS, kMaxS, kMinU, kMaxU, kBitAnd, kBitOr, kBitXor };
const Instr* redux(const Instr* i, Warp& w, Mask m) {
    const Instr* next = nullptr;
    if (!all_here(i, w, m, i->b, next)) return next;
    const u32 *a = w.col<const u32>(i->a), *members = w.col<const u32>(i->b);
    u32 result[kLanes] = {};
    for (int l : lanes(m)) {
        const Mask who = m & members[l];
        if (who == 0) continue;
        u32 r = a[first_lane(who)];
        for (int k : lanes(who & (who - 1))) {
            const u32 x = a[k];
            switch (i->small) {
                case kSum:
                    r += x;
                    break;
                case kMinS:
                    r = u32(std::min(s32(r), s32(x)));
                    break;
                case kMaxS:
                    r = u32(std::max(s32(r), s32(x)));
                    break;
                case kMinU:
                    r = std::min(r, x);
                    break;
                case kMaxU:
                    r = std::max(r, x);
                    break;
                case kBitAnd:
                    r &= x;
                    break;
                case kBitOr:
                    r |= x;
                    break;
                default:
                    r ^= x;
                    break;
            }
        }
        result[l] = r;
    }
    if (w.shadow) [[unlikely]]
        reduced_undefined(w, i, m);
    u32* d = w.col<u32>(i->d);
    for (int l : lanes(m)) d[l] = result[l];
    return i + 1;
}

void decode_redux(Decoder& d) {
    const Type t = d.type();
    if (t == Type::f32 || size_of(t) != 4) throw Unsupported{};
    const bool s = is_signed_type(t);
    const Column a = d.value(1, t), members = d.value(2, Type::b32);
    d.emit(redux, d.result(0, t), a, members).small = d.has("add")   ? kSum
                                                      : d.has("min") ? (s ? kMinS : kMinU)
                                                      : d.has("max") ? (s ? kMaxS : kMaxU)
                                                      : d.has("and") ? kBitAnd
                                                      : d.has("or")  ? kBitOr
                                                                     : kBitXor;
    d.passes(Rule::across_lanes);
}

const Instr* elect(const Instr* i, Warp& w, Mask m) {
    const Instr* next = nullptr;
    if (!all_here(i, w, m, i->b, next)) return next;
    const u32* members = w.col<const u32>(i->b);
    u32* d = w.col<u32>(i->d);
    Mask leads = 0;
    for (int l : lanes(m)) {
        const Mask who = members[l] & m;
        d[l] = who != 0 ? u32(first_lane(who)) : 0;
        leads |= Mask{d[l] == u32(l)} << l;
    }
    set_predicate(w, i->aux, m, leads);
    if (w.shadow) [[unlikely]] {
        w.shadow->define(i->d, 4, m);
        w.shadow->define(i->aux, 0, m);
    }
    return i + 1;
}

void decode_elect(Decoder& d) {
    const Operand& to = d.operand(0);
    if (to.kind != Operand::Kind::vector) throw Unsupported{};
    const Column members = d.value(1, Type::b32);
    const Column result = d.result(Decoder::part(to, 0), Type::b32),
                 predicate = d.result_predicate(Decoder::part(to, 1));
    d.emit(elect, result, kNone, members).aux = predicate;
    d.passes(Rule::across_lanes);
}

}  // namespace

void add_warp(DecodeTable& t) {
    t[Opcode::shfl] = shfl;
    t[Opcode::vote] = decode_vote;
    t[Opcode::activemask] = [](Decoder& d) { d.emit(activemask, d.result(0, Type::b32)); };
    t[Opcode::match] = decode_match;
    t[Opcode::redux] = decode_redux;
    t[Opcode::elect] = decode_elect;
}

}  // namespace vgpu
