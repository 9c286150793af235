// Undefined bits of computed values: a bit of the result is undefined only if it depends on an undefined bit. Compilers
// move code before its condition, so anything less exact would report correct programs.
#include <algorithm>
#include <cstring>

#include "virtual_gpu/exec/handlers/ops.h"
#include "virtual_gpu/undefined/shadow.h"

namespace vgpu {
namespace {

using Bits = std::uint64_t[32];

// Runs the instruction on operands of our own: for each of d, a, b, c and a fourth, what the lanes shall see.
class Trial {
  public:
    Trial(const Instr* i, bool has_fourth) : instr_(*i) {
        instr_.d = kPlace;
        instr_.a = 2 * kPlace;
        instr_.b = 3 * kPlace;
        instr_.c = 4 * kPlace;
        if (has_fourth) instr_.aux = 5 * kPlace;
    }
    // Operand 1 is a, 2 is b, 3 is c, 4 the fourth.
    void set(int operand, int bytes, const Bits& values) {
        std::uint8_t* to = &memory_[static_cast<std::size_t>(operand + 1) * kPlace];
        if (bytes == 0) {
            Mask m = 0;
            for (int l = 0; l < kLanes; ++l) m |= static_cast<Mask>(values[l] & 1) << l;
            std::memcpy(to, &m, sizeof m);
            return;
        }
        for (int l = 0; l < kLanes; ++l) std::memcpy(to + l * bytes, &values[l], static_cast<std::size_t>(bytes));
    }
    Instr& instr() { return instr_; }
    void run(Warp& w, int bytes, Bits& out) {
        std::uint8_t* const registers = w.base[0];
        w.base[0] = memory_;
        instr_.run(&instr_, w, kAllLanes);
        get_values(w, instr_.d, bytes, out);
        w.base[0] = registers;
    }

  private:
    static constexpr Column kPlace = 256;
    Instr instr_;
    alignas(64) std::uint8_t memory_[6 * kPlace] = {};
};

std::uint64_t upward(std::uint64_t bits) { return bits | (0 - bits); }
std::uint64_t all_or_none(std::uint64_t bits) { return bits != 0 ? ~std::uint64_t{0} : 0; }

std::uint64_t by_halves(std::uint64_t bits) {
    return ((bits & 0xFFFF) != 0 ? 0xFFFF : 0) | ((bits & 0xFFFF'0000) != 0 ? 0xFFFF'0000 : 0);
}

// One instruction: its operands' undefined bits and values.
struct Arithmetic {
    Warp& w;
    const Instr* i;
    Mask m;
    const Passing& p;
    Shadow& s;
    Bits a, b, c, va, vb, vc, out;
    OriginId origin[32];

    Arithmetic(Warp& warp, const Instr* instr, Mask mask, const Passing& passing)
        : w(warp), i(instr), m(mask), p(passing), s(*warp.shadow) {
        s.get(i->a, p.a, a);
        s.get(i->b, p.b, b);
        s.get(i->c, p.c, c);
    }
    void values() {
        get_values(w, i->a, p.a, va);
        get_values(w, i->b, p.b, vb);
        get_values(w, i->c, p.c, vc);
    }

    // The origin of each lane's result. Copies pass on what they have got; other results say where they were computed.
    void find_origins(const Column* columns, const int* bytes, int count, bool is_copy) {
        std::fill(std::begin(origin), std::end(origin), 0);
        Mask found = 0;
        for (int k = 0; k < count; ++k) {
            const Mask here = s.undefined(columns[k], bytes[k]) & m & ~found;
            if (here == 0) continue;
            const OriginId* from = s.origins(columns[k]);
            for (int l : lanes(here)) origin[l] = from[l];
            found |= here;
        }
        if (is_copy) return;
        OriginId variable = 0;
        for (int l : lanes(found)) {
            if ((origin[l] & kOriginNumber) == 0) {
                if (variable == 0) variable = w.run->reporter.variable_origin(w, i);
                origin[l] = variable;
            }
            origin[l] |= kComputed;
        }
    }
    void find_origins(bool is_copy) {
        const Column columns[] = {i->a, i->b, i->c};
        const int bytes[] = {p.a, p.b, p.c};
        find_origins(columns, bytes, 3, is_copy);
    }

    void multiply(bool adds) {
        values();
        for (int l = 0; l < kLanes; ++l) {
            const bool zero = (a[l] == 0 && va[l] == 0) || (b[l] == 0 && vb[l] == 0);
            out[l] = upward((zero ? 0 : a[l] | b[l]) | (adds ? c[l] : 0));
        }
    }

    void move() {
        Trial trial(i, p.more != 0);
        values();
        Bits fourth = {}, unsure = {};
        if (p.more != 0) {
            get_values(w, i->aux, p.more, fourth);
            s.get(i->aux, p.more, unsure);
        }
        trial.set(1, p.a, (p.moved & 1) != 0 ? a : va);
        trial.set(2, p.b, (p.moved & 2) != 0 ? b : vb);
        trial.set(3, p.c, (p.moved & 4) != 0 ? c : vc);
        if (p.more != 0) trial.set(4, p.more, fourth);
        trial.run(w, p.d, out);
        for (int l = 0; l < kLanes; ++l) {
            if ((p.moved & 1) == 0) unsure[l] |= a[l];
            if ((p.moved & 2) == 0) unsure[l] |= b[l];
            if ((p.moved & 4) == 0) unsure[l] |= c[l];
            if (unsure[l] != 0) out[l] = ~std::uint64_t{0};
        }
    }

    void lop3() {
        values();
        const auto f = [&](std::uint64_t x, std::uint64_t y, std::uint64_t z) {
            std::uint64_t r = 0;
            for (int k = 0; k < 8; ++k)
                if ((i->imm >> k & 1) != 0)
                    r |= ((k & 4) != 0 ? x : ~x) & ((k & 2) != 0 ? y : ~y) & ((k & 1) != 0 ? z : ~z);
            return r;
        };
        for (int l = 0; l < kLanes; ++l) {
            const std::uint64_t r = f(va[l], vb[l], vc[l]);
            out[l] = 0;
            for (int k = 1; k < 8; ++k)  // what changes if undefined bits of some operands turn over
                out[l] |= r ^ f((k & 4) != 0 ? va[l] ^ a[l] : va[l], (k & 2) != 0 ? vb[l] ^ b[l] : vb[l],
                                (k & 1) != 0 ? vc[l] ^ c[l] : vc[l]);
        }
    }

    void select(bool by_sign) {
        values();
        for (int l = 0; l < kLanes; ++l) {
            const bool first = by_sign ? (vc[l] >> 31 & 1) == 0 : vc[l] != 0;
            out[l] = c[l] != 0 ? a[l] | b[l] | (va[l] ^ vb[l]) : first ? a[l] : b[l];
        }
    }

    // The comparison alone, without the other predicate.
    void compared(const Bits& x, const Bits& y, Bits& result) {
        Trial trial(i, false);
        trial.set(1, p.a, x);
        trial.set(2, p.b, y);
        trial.instr().small = 0;
        trial.instr().aux = kNone;
        trial.run(w, 0, result);
    }

    // Whether the comparison depends on undefined bits. Order is monotonic: if the least a with the greatest b and the
    // greatest a with the least b compare alike, all values do.
    void find_open(Bits& open) {
        for (int l = 0; l < kLanes; ++l)
            open[l] = (a[l] | b[l]) != 0 && (p.rule != Rule::compare_equal || ((va[l] ^ vb[l]) & ~(a[l] | b[l])) == 0);
        if (p.rule == Rule::compare_float || p.rule == Rule::compare_equal) return;
        const int top = 8 * std::max(p.a, p.b) - 1;
        const std::uint64_t sign = p.rule == Rule::compare_signed ? std::uint64_t{1} << top : 0;
        Bits least_a, least_b, greatest_a, greatest_b, one, other;
        for (int l = 0; l < kLanes; ++l) {
            least_a[l] = ((va[l] ^ sign) & ~a[l]) ^ sign;
            least_b[l] = ((vb[l] ^ sign) & ~b[l]) ^ sign;
            greatest_a[l] = ((va[l] ^ sign) | a[l]) ^ sign;
            greatest_b[l] = ((vb[l] ^ sign) | b[l]) ^ sign;
        }
        compared(least_a, greatest_b, one);
        compared(greatest_a, least_b, other);
        for (int l = 0; l < kLanes; ++l) open[l] &= one[l] ^ other[l];
    }

    void compare() {
        values();
        Bits result, second = {}, open;
        compared(va, vb, result);
        find_open(open);
        // As enum Combine in compare.cc.
        const auto combined = [&](std::uint64_t value, int l) -> std::uint64_t {
            switch (i->small) {
                case 0:
                    return open[l];
                case 1:
                    return (open[l] & c[l]) | (open[l] & vc[l]) | (c[l] & value);
                case 2:
                    return (open[l] & c[l]) | (open[l] & ~vc[l]) | (c[l] & ~value & 1);
                default:
                    return open[l] | c[l];
            }
        };
        for (int l = 0; l < kLanes; ++l) {
            out[l] = combined(result[l], l);
            second[l] = combined(~result[l] & 1, l);
        }
        if (i->aux == kNone) return;
        find_origins(false);
        s.put(i->aux, 0, m, second, origin);
    }

    void unpack() {
        find_origins(true);
        for (int k = 0; k < p.parts; ++k) {
            for (int l = 0; l < kLanes; ++l) out[l] = a[l] >> (8 * p.more * k);
            const Column to = w.function->lists[i->aux + static_cast<unsigned>(k)];
            bool any = false;
            for (int l : lanes(m)) any |= (p.more == 8 ? out[l] : out[l] & ((std::uint64_t{1} << 8 * p.more) - 1)) != 0;
            if (any)
                s.put(to, p.more, m, out, origin);
            else
                s.define(to, p.more, m);
        }
    }

    void pack() {
        Column columns[4];
        int bytes[4];
        std::fill(std::begin(out), std::end(out), 0);
        for (int k = 0; k < p.parts; ++k) {
            columns[k] = w.function->lists[i->aux + static_cast<unsigned>(k)];
            bytes[k] = p.more;
            s.get(columns[k], p.more, a);
            for (int l = 0; l < kLanes; ++l) out[l] |= a[l] << (8 * p.more * k);
        }
        find_origins(columns, bytes, p.parts, true);
    }

    void carry() {
        for (int l = 0; l < kLanes; ++l) out[l] = upward(a[l] | b[l] | ((p.moved & 4) != 0 ? c[l] : 0));
        find_origins(false);
        if (p.parts != 2) return;
        Bits carried;
        for (int l = 0; l < kLanes; ++l) carried[l] = out[l] != 0;
        s.put(i->c, 0, m, carried, origin);
    }

    void run() {
        switch (p.rule) {
            case Rule::upward:
                for (int l = 0; l < kLanes; ++l) out[l] = upward(a[l] | b[l] | c[l]);
                break;
            case Rule::multiply:
                multiply(false);
                break;
            case Rule::multiply_add:
                multiply(true);
                break;
            case Rule::halves:
                for (int l = 0; l < kLanes; ++l) out[l] = by_halves(a[l] | b[l] | c[l]);
                break;
            case Rule::half_pair:
                for (int l = 0; l < kLanes; ++l)
                    out[l] = (all_or_none(a[l]) & 0xFFFF'0000) | (all_or_none(b[l]) & 0xFFFF);
                break;
            case Rule::bit_and:
                values();
                for (int l = 0; l < kLanes; ++l) out[l] = (a[l] & b[l]) | (a[l] & vb[l]) | (b[l] & va[l]);
                break;
            case Rule::bit_or:
                values();
                for (int l = 0; l < kLanes; ++l) out[l] = (a[l] & b[l]) | (a[l] & ~vb[l]) | (b[l] & ~va[l]);
                break;
            case Rule::bit_xor:
                for (int l = 0; l < kLanes; ++l) out[l] = a[l] | b[l];
                break;
            case Rule::lop3:
                lop3();
                break;
            case Rule::moves:
                move();
                break;
            case Rule::select:
            case Rule::select_by_sign:
                select(p.rule == Rule::select_by_sign);
                break;
            case Rule::compare:
            case Rule::compare_signed:
            case Rule::compare_equal:
            case Rule::compare_float:
                compare();
                break;
            case Rule::carry:
                carry();
                s.put(i->d, p.d, m, out, origin);
                return;
            case Rule::pack:
                pack();
                s.put(i->d, p.d, m, out, origin);
                return;
            case Rule::unpack:
                return unpack();
            default:
                for (int l = 0; l < kLanes; ++l) out[l] = all_or_none(a[l] | b[l] | c[l]);
        }
        const bool is_copy = p.rule == Rule::bit_and || p.rule == Rule::bit_or || p.rule == Rule::bit_xor ||
                             p.rule == Rule::lop3 || p.rule == Rule::moves || p.rule == Rule::select ||
                             p.rule == Rule::select_by_sign;
        find_origins(is_copy);
        s.put(i->d, p.d, m, out, origin);
    }
};

bool reads_undefined(const Warp& w, const Instr* i, const Passing& p) {
    const Shadow& s = *w.shadow;
    if (s.any(i->a) || s.any(i->b) || s.any(i->c)) return true;
    if (p.rule == Rule::moves) return p.more != 0 && s.any(i->aux);
    if (p.rule != Rule::pack) return false;
    for (int k = 0; k < p.parts; ++k)
        if (s.any(w.function->lists[i->aux + static_cast<unsigned>(k)])) return true;
    return false;
}

// All sources are defined.
void define_results(const Warp& w, const Instr* i, Mask m, const Passing& p) {
    Shadow& s = *w.shadow;
    switch (p.rule) {
        case Rule::unpack:
            for (int k = 0; k < p.parts; ++k) s.define(w.function->lists[i->aux + static_cast<unsigned>(k)], p.more, m);
            return;
        case Rule::compare:
        case Rule::compare_signed:
        case Rule::compare_equal:
        case Rule::compare_float:
            if (i->aux != kNone) s.define(i->aux, 0, m);
            break;
        case Rule::carry:
            if (p.parts == 2) s.define(i->c, 0, m);
            break;
        default:
            break;
    }
    s.define(i->d, p.d, m);
}

}  // namespace

void pass_arithmetic(Warp& w, const Instr* i, Mask m, const Passing& p) {
    if (reads_undefined(w, i, p))
        Arithmetic(w, i, m, p).run();
    else
        define_results(w, i, m, p);
}

}  // namespace vgpu
