// Branches on an undefined value that do not matter. A merge reads one key past its end, compares it, and drops the
// result: `if (!(a < b)) b = keys[++at];`. The compiler makes this a selection, which passes undefined bits on, or a
// branch, which would be reported. So a branch that only chooses values is treated as a selection: each lane runs both
// ways, up to the next instruction that does more than compute. If both ways arrive at the same place, the registers
// that differ there become undefined. A second run changes what only one way loads, so that equal values in memory,
// such as zeros, hide no difference.
#include <cstring>
#include <set>
#include <utility>
#include <vector>

#include "virtual_gpu/exec/decode/decoder.h"
#include "virtual_gpu/exec/machine/machine.h"
#include "virtual_gpu/undefined/shadow.h"

namespace vgpu {
namespace {

constexpr int kMostSteps = 2000;

// Whether the instruction does more than compute, load or branch.
bool has_effect(const Instr* i, const Passing& p) {
    switch (p.rule) {
        case Rule::late_check:
            return false;
        case Rule::load:
            return p.in == LoadsFrom::elsewhere;
        case Rule::branch:
            return i->a != kNone || i->run == branch_past_barriers_handler();
        case Rule::unpack:
            return false;
        default:
            return decides(p.rule) || i->d == kNone;
    }
}

std::uint64_t value_of(const Warp& w, Column c, int bytes, int lane) {
    if (bytes == 0) return w.predicate(c) >> lane & 1;
    std::uint64_t v = 0;
    std::memcpy(&v, w.col<std::uint8_t>(c) + lane * bytes, static_cast<std::size_t>(bytes));
    return v;
}

void set_value(const Warp& w, Column c, int bytes, int lane, std::uint64_t v) {
    if (bytes != 0) {
        std::memcpy(w.col<std::uint8_t>(c) + lane * bytes, &v, static_cast<std::size_t>(bytes));
        return;
    }
    Mask& m = *w.col<Mask>(c);
    m = (m & ~(Mask{1} << lane)) | static_cast<Mask>(v & 1) << lane;
}

// Runs one lane on its warp's registers, and puts them back.
class Path {
  public:
    struct Written {
        Column column;
        int bytes;
        std::uint64_t before, after;
    };

    using Loads = std::set<std::pair<const Instr*, std::uint64_t>>;  // and the addresses

    // Loads that are not among `known` get their value with the bits of `change` turned over.
    Path(Warp& w, int lane, const Loads* known = nullptr, std::uint64_t change = 0)
        : w_(w), lane_(lane), known_(known), change_(change), place_(w.function->register_bytes / 64) {}
    bool run(const Instr* from) {
        const bool arrives = walk(from);
        for (Written& one : written) one.after = value_of(w_, one.column, one.bytes, lane_);
        for (const Written& one : written) set_value(w_, one.column, one.bytes, lane_, one.before);
        return arrives;
    }
    std::uint64_t after(const Written& other) const {  // in the column that another path has written
        const std::size_t n = place_[other.column >> 6];
        return n != 0 ? written[n - 1].after : other.before;
    }
    bool has_written(Column c) const { return place_[c >> 6] != 0; }

    const Instr* end = nullptr;
    std::vector<Written> written;
    Loads loads;

  private:
    bool walk(const Instr* i) {
        for (int steps = 0; steps < kMostSteps; ++steps) {
            const Passing& p = w_.function->passing_of(i);
            if (has_effect(i, p)) {
                end = i;
                return true;
            }
            const bool runs = i->guard == kNoColumn || ((w_.predicate(i->guard) >> lane_ & 1) != 0) != i->guard_negated;
            if (p.rule == Rule::branch && i->imm <= i - w_.function->code.data()) return false;  // a loop
            if (p.rule == Rule::branch && runs) {
                i = w_.function->code.data() + i->imm;
                continue;
            }
            if (runs && p.rule != Rule::late_check && p.rule != Rule::branch && !step(i, p)) return false;
            ++i;
        }
        return false;
    }

    bool step(const Instr* i, const Passing& p) {
        if (p.rule == Rule::load) return load(i, p);
        if (p.rule == Rule::unpack) {
            for (int k = 0; k < p.parts; ++k) keep(w_.function->lists[i->aux + static_cast<unsigned>(k)], p.more);
        } else {
            keep(i->d, p.d);
            const bool compares = p.rule >= Rule::compare && p.rule <= Rule::compare_float;
            if (compares && i->aux != kNone) keep(i->aux, 0);
            if (p.rule == Rule::carry && p.parts == 2) keep(i->c, 0);
        }
        return i->run(i, w_, Mask{1} << lane_) == i + 1;
    }

    bool load(const Instr* i, const Passing& p) {
        const std::uint64_t at = w_.col<const std::uint64_t>(i->a)[lane_] + static_cast<std::uint64_t>(i->imm);
        const auto bytes = static_cast<std::size_t>(p.in_memory);
        const std::uint8_t* from = bytes_at(at, p.in, bytes * p.parts);
        if (from == nullptr) return false;
        const bool is_new = known_ && !known_->contains({i, at});
        loads.emplace(i, at);
        for (int k = 0; k < p.parts; ++k) {
            std::uint64_t v = 0;
            std::memcpy(&v, from + static_cast<std::size_t>(k) * bytes, bytes);
            if (is_new) v ^= change_ >> (64 - 8 * bytes);
            const int up = 64 - 8 * static_cast<int>(bytes);
            if (p.moved == 2) v = static_cast<std::uint64_t>(static_cast<std::int64_t>(v << up) >> up);
            const Column c = p.parts == 1 ? i->d : w_.function->lists[i->aux + static_cast<unsigned>(k)];
            const int wide = p.parts == 1 ? p.d : p.more;
            keep(c, wide);
            set_value(w_, c, wide, lane_, v);
        }
        return true;
    }

    const std::uint8_t* bytes_at(std::uint64_t at, LoadsFrom from, std::size_t bytes) const {
        const Run& run = *w_.run;
        if (at % bytes != 0) return nullptr;
        const bool in_window = at - kSharedWindow < kWindowBytes;
        if (from == LoadsFrom::shared || (from == LoadsFrom::generic && in_window)) {
            if (from == LoadsFrom::generic) at -= kSharedWindow;
            const std::uint64_t n = (at >> kSharedBits) - 1, in = at & ((std::uint64_t{1} << kSharedBits) - 1);
            if (n >= run.setup.shared.size.size() || in + bytes > run.setup.shared.size[n]) return nullptr;
            return w_.block->shared.data() + run.setup.shared.place[n] + in;
        }
        const Allocation* a = run.memory.find(at);
        const bool inside = a && !a->freed && at >= a->base && at - a->base + bytes <= a->bytes;
        return inside ? a->data + (at - a->base) : nullptr;
    }

    void keep(Column c, int bytes) {
        std::uint32_t& n = place_[c >> 6];
        if (n != 0) return;
        written.push_back({c, bytes, value_of(w_, c, bytes, lane_), 0});
        n = static_cast<std::uint32_t>(written.size());
    }

    Warp& w_;
    int lane_;
    const Loads* known_;
    std::uint64_t change_;
    std::vector<std::uint32_t> place_;  // of each column, in `written`, from 1 on
};

}  // namespace

Mask choose_either_way(Warp& w, const Instr* branch, Mask unsure) {
    Run& run = *w.run;
    if (has_effect(branch, w.function->passing_of(branch)) || run.undefined.decided.contains(branch)) return 0;
    const bool counting = run.counting;
    run.counting = false;
    const Instr* target = w.function->code.data() + branch->imm;
    Mask same = 0;
    for (int lane : lanes(unsure)) {
        const bool taken = ((w.predicate(branch->guard) >> lane & 1) != 0) != branch->guard_negated;
        const Instr *from = taken ? target : branch + 1, *other_from = taken ? branch + 1 : target;
        Path own(w, lane);
        if (!own.run(from)) continue;
        Path other(w, lane, &own.loads, ~std::uint64_t{0});
        if (!other.run(other_from) || other.end != own.end) continue;
        Path changed(w, lane, &other.loads, 0xAAAA'AAAA'AAAA'AAAAu);
        if (!changed.run(from) || changed.end != own.end) continue;
        same |= Mask{1} << lane;
        const OriginId origin = w.shadow->origins(branch->guard)[lane] | kComputed;
        const auto differs = [&](const Path::Written& one, std::uint64_t bits) {
            if (bits == 0) return;
            if (w.undefined.either_ways.empty()) w.shadow->watch(true);
            w.undefined.either_ways.push_back({w.frame, one.column, one.bytes, lane, bits, origin});
        };
        for (const Path* path : {&std::as_const(own), &std::as_const(changed)}) {
            for (const Path::Written& one : path->written) differs(one, one.after ^ other.after(one));
            for (const Path::Written& one : other.written)
                if (!path->has_written(one.column)) differs(one, one.after ^ one.before);
        }
    }
    run.counting = counting;
    if (same != unsure) run.undefined.decided.insert(branch);
    return same;
}

void end_either_ways(Warp& w, const Instr* i, Mask m) {
    if (!has_effect(i, w.function->passing_of(i))) return;
    std::erase_if(w.undefined.either_ways, [&](const EitherWay& one) {
        if (one.frame != w.frame || (m >> one.lane & 1) == 0) return false;
        std::uint64_t bits[32];
        OriginId origin[32];
        w.shadow->get(one.column, one.bytes, bits);
        bits[one.lane] |= one.bits;
        origin[one.lane] = one.origin;
        w.shadow->put(one.column, one.bytes, Mask{1} << one.lane, bits, origin);
        return true;
    });
    if (w.undefined.either_ways.empty()) w.shadow->watch(false);
}

}  // namespace vgpu
