// setp set selp slct.
#include "virtual_gpu/exec/handlers/float_ops.h"

namespace vgpu {
namespace {

using ptx::Type;

enum Comparison { kEq, kNe, kLt, kLe, kGt, kGe, kEqu, kNeu, kLtu, kLeu, kGtu, kGeu, kNum, kNan, kComparisons };

template <Comparison kHow, class T>
bool compare(T a, T b) {
    const bool unordered = std::is_floating_point_v<T> && (a != a || b != b);
    switch (kHow) {
        case kEq:
            return a == b;
        case kNe:
            return a != b && !unordered;
        case kLt:
            return a < b;
        case kLe:
            return a <= b;
        case kGt:
            return a > b;
        case kGe:
            return a >= b;
        case kEqu:
            return a == b || unordered;
        case kNeu:
            return a != b || unordered;
        case kLtu:
            return !(a >= b);
        case kLeu:
            return !(a > b);
        case kGtu:
            return !(a <= b);
        case kGeu:
            return !(a < b);
        case kNum:
            return !unordered;
        default:
            return unordered;
    }
}

enum Combine : std::uint8_t { kNothing, kAnd, kOr, kXor };

template <Comparison kHow, class T, bool kFtz>
const Instr* setp(const Instr* i, Warp& w, Mask m) {
    const T *a = w.col<const T>(i->a), *b = w.col<const T>(i->b);
    Mask r = 0;
    for (int l = 0; l < kLanes; ++l) {
        bool yes;
        if constexpr (std::is_floating_point_v<T>)
            yes = compare<kHow>(flush<kFtz>(a[l]), flush<kFtz>(b[l]));
        else
            yes = compare<kHow>(a[l], b[l]);
        r |= yes ? Mask{1} << l : 0;
    }
    Mask second = ~r;
    if (i->small != kNothing) {
        const Mask c = w.predicate(i->c);
        r = i->small == kAnd ? r & c : i->small == kOr ? r | c : r ^ c;
        second = i->small == kAnd ? second & c : i->small == kOr ? second | c : second ^ c;
    }
    Mask* d = w.col<Mask>(i->d);
    *d = (*d & ~m) | (r & m);
    if (i->aux != kNone) {
        Mask* q = w.col<Mask>(i->aux);
        *q = (*q & ~m) | (second & m);
    }
    return i + 1;
}

Comparison comparison_of(const Decoder& d, bool is_float) {
    static const std::unordered_map<std::string_view, Comparison> kNames = {
        {"eq", kEq},   {"ne", kNe},   {"lt", kLt},   {"le", kLe},   {"gt", kGt},   {"ge", kGe},
        {"lo", kLt},   {"ls", kLe},   {"hi", kGt},   {"hs", kGe},   {"equ", kEqu}, {"neu", kNeu},
        {"ltu", kLtu}, {"leu", kLeu}, {"gtu", kGtu}, {"geu", kGeu}, {"num", kNum}, {"nan", kNan}};
    for (const auto& m : d.in->modifiers)
        if (const auto found = kNames.find(m); found != kNames.end()) {
            if (!is_float && found->second > kGe) throw Unsupported{};
            return found->second;
        }
    throw Unsupported{};
}

template <class T, bool kFtz, std::size_t... kN>
Handler pick(Comparison c, std::index_sequence<kN...>) {
    static constexpr Handler kAll[] = {setp<static_cast<Comparison>(kN), T, kFtz>...};
    return kAll[c];
}

Handler handler_for(Comparison c, Type t, bool ftz) {
    using Floats = std::make_index_sequence<kComparisons>;
    using Integers = std::make_index_sequence<kEqu>;
    if (t == Type::f64) return pick<double, false>(c, Floats{});
    if (t == Type::f32) return ftz ? pick<float, true>(c, Floats{}) : pick<float, false>(c, Floats{});
    Handler h = nullptr;
    with_integer(t, [&](auto x) { h = pick<decltype(x), false>(c, Integers{}); });
    return h;
}

enum : std::uint8_t { kIsBfloat = 1, kFlushHalf = 2 };
const Instr* half_column(const Instr* i, Warp& w, Mask m) {
    float* d = w.col<float>(i->d);
    const u16* a = w.col<const u16>(i->a);
    for (int l : lanes(m)) {
        d[l] = (i->small & kIsBfloat) != 0 ? bfloat_to_float(a[l]) : half_to_float(a[l]);
        if ((i->small & kFlushHalf) != 0 && std::fabs(d[l]) < 0x1p-14f) d[l] = std::copysign(0.0f, d[l]);
    }
    return i + 1;
}

template <int kShift>
const Instr* one_half(const Instr* i, Warp& w, Mask m) {
    u16* d = w.col<u16>(i->d);
    const u32* a = w.col<const u32>(i->a);
    for (int l : lanes(m)) d[l] = u16(a[l] >> kShift);
    return i + 1;
}
const Instr* both_halves(const Instr* i, Warp& w, Mask m) {
    u32* d = w.col<u32>(i->d);
    const u16 *a = w.col<const u16>(i->a), *b = w.col<const u16>(i->b);
    for (int l : lanes(m)) d[l] = a[l] | u32(b[l]) << 16;
    return i + 1;
}

// The type of the operands: the last one named (set has the result's first).
Type operand_type(const Decoder& d) { return d.type(d.types() - 1); }

bool is_pair(Type t) { return t == Type::f16x2 || t == Type::bf16x2; }
bool is_bfloat(Type t) { return t == Type::bf16 || t == Type::bf16x2; }

enum class Part : std::uint8_t { all, low, high };  // of a pair of operands

// An operand in half precision, widened.
Column half_operand(Decoder& d, std::size_t n, Type t, Part part) {
    Column narrow = d.value(n, part == Part::all ? Type::b16 : Type::b32);
    if (part != Part::all) {
        const Column one = d.temporary(2);
        d.emit_hidden(part == Part::low ? one_half<0> : one_half<16>, one, narrow);
        d.passes(Rule::moves);
        narrow = one;
    }
    const Column wide = d.temporary(4);
    d.emit_hidden(half_column, wide, narrow).small = static_cast<std::uint8_t>(is_bfloat(t)   ? kIsBfloat
                                                                               : d.has("ftz") ? kFlushHalf
                                                                                              : 0);
    return wide;
}

void decode_comparison(Decoder& d, Column to, Column second, Part part = Part::all) {
    Type t = operand_type(d);
    if (is_pair(t) != (part != Part::all)) throw Unsupported{};
    const bool is_half = t == Type::f16 || t == Type::bf16 || is_pair(t);
    const Column a = is_half ? half_operand(d, 1, t, part) : d.value(1, t);
    const Column b = is_half ? half_operand(d, 2, t, part) : d.value(2, t);
    Column c = kNone;
    if (is_half) t = Type::f32;
    std::uint8_t combine = kNothing;
    if (d.operands() == 4) {
        combine = d.has("and") ? kAnd : d.has("or") ? kOr : d.has("xor") ? kXor : throw Unsupported{};
        c = d.predicate(d.operand(3));
    }
    const Comparison how = comparison_of(d, is_float_type(t));
    Instr& i = d.emit(handler_for(how, t, d.has("ftz") && !is_half), to, a, b, c);
    i.aux = second;
    i.small = combine;
    d.passes(is_float_type(t)           ? Rule::compare_float
             : how == kEq || how == kNe ? Rule::compare_equal
             : is_signed_type(t)        ? Rule::compare_signed
                                        : Rule::compare);
}

void decode_setp(Decoder& d) {
    const ptx::Operand& to = d.operand(0);
    if (to.kind == ptx::Operand::Kind::vector) {
        const Column p = d.result_predicate(Decoder::part(to, 0)), q = d.result_predicate(Decoder::part(to, 1));
        if (is_pair(operand_type(d))) {
            decode_comparison(d, p, kNone, Part::low);
            return decode_comparison(d, q, kNone, Part::high);
        }
        return decode_comparison(d, p, q);
    }
    decode_comparison(d, d.result_predicate(to), kNone);
}

template <class T>
const Instr* selp(const Instr* i, Warp& w, Mask m) {
    T* d = w.col<T>(i->d);
    const T *a = w.col<const T>(i->a), *b = w.col<const T>(i->b);
    const Mask p = w.predicate(i->c);
    if (m == kAllLanes) {
        VGPU_LANES d[l] = (p >> l & 1) != 0 ? a[l] : b[l];
    } else {
        VGPU_LANES {
            const T r = (p >> l & 1) != 0 ? a[l] : b[l];
            d[l] = (m >> l & 1) != 0 ? r : d[l];
        }
    }
    return i + 1;
}

void emit_select(Decoder& d, Column to, Column a, Column b, Column p, int bytes) {
    d.emit(bytes == 8 ? selp<u64> : bytes == 4 ? selp<u32> : selp<u16>, to, a, b, p);
    d.passes(Rule::select);
}

void decode_selp(Decoder& d) {
    const Type t = d.type();
    const Column a = d.value(1, t), b = d.value(2, t), p = d.predicate(d.operand(3));
    emit_select(d, d.result(0, t), a, b, p, size_of(t));
}

// What set gives for true, in a result of this many bytes.
std::uint64_t true_value(Type t, int bytes) {
    if (t == Type::f32) return 0x3F80'0000u;
    if (t == Type::f16 || t == Type::f16x2) return 0x3C00u;
    if (t == Type::bf16 || t == Type::bf16x2) return 0x3F80u;
    if (t != Type::u32 && t != Type::s32 && t != Type::u16 && t != Type::s16) throw Unsupported{};
    return bytes == 2 ? 0xFFFFu : 0xFFFF'FFFFu;
}

void decode_set(Decoder& d) {
    const Type t = d.type(0);
    const Column p = d.temporary(0);
    if (!is_pair(operand_type(d))) {
        const int bytes = size_of(t);
        const std::uint64_t yes = true_value(t, bytes);
        decode_comparison(d, p, kNone);
        return emit_select(d, d.result(0, t), d.constant(yes, bytes), d.constant(0, bytes), p, bytes);
    }
    if (size_of(t) != 4) throw Unsupported{};
    const std::uint64_t yes = true_value(t, 2);
    Column half[2];
    for (const Part part : {Part::low, Part::high}) {
        decode_comparison(d, p, kNone, part);
        half[part == Part::high] = d.temporary(2);
        emit_select(d, half[part == Part::high], d.constant(yes, 2), d.constant(0, 2), p, 2);
    }
    d.emit_hidden(both_halves, d.result(0, Type::b32), half[0], half[1]);
    d.passes(Rule::moves).moved = 3;
}

template <class T, class C, bool kFtz = false>
const Instr* slct(const Instr* i, Warp& w, Mask m) {
    T* d = w.col<T>(i->d);
    const T *a = w.col<const T>(i->a), *b = w.col<const T>(i->b);
    const C* c = w.col<const C>(i->c);
    for (int l : lanes(m)) {
        C sign = c[l];
        if constexpr (std::is_same_v<C, float>) sign = flush<kFtz>(sign);
        d[l] = sign >= 0 ? a[l] : b[l];
    }
    return i + 1;
}

void decode_slct(Decoder& d) {
    const Type t = d.type(0), u = d.type(1);
    const Column a = d.value(1, t), b = d.value(2, t), c = d.value(3, u);
    const auto of = [&]<class T>(T) -> Handler {
        return u != Type::f32 ? slct<T, s32> : d.has("ftz") ? slct<T, float, true> : slct<T, float>;
    };
    d.emit(size_of(t) == 8 ? of(u64{}) : size_of(t) == 4 ? of(u32{}) : of(u16{}), d.result(0, t), a, b, c);
    d.passes(Rule::select_by_sign);
}

}  // namespace

void add_compare(DecodeTable& t) {
    t[Opcode::setp] = decode_setp;
    t[Opcode::set] = decode_set;
    t[Opcode::selp] = decode_selp;
    t[Opcode::slct] = decode_slct;
}

}  // namespace vgpu
