#include "virtual_gpu/exec/launch/rounds.h"

#include <algorithm>

namespace vgpu {
namespace {

using ptx::Instruction;
using ptx::Operand;

// Instructions that may follow the one at `n`.
std::vector<std::uint32_t> successors(const std::vector<Instruction>& code, std::uint32_t n) {
    const Instruction& i = code[n];
    std::vector<std::uint32_t> out;
    if (i.is(ptx::kJumps))
        for (const Operand& o : i.operands) {
            if (o.kind == Operand::Kind::label) out.push_back(static_cast<std::uint32_t>(o.index));
            for (const int target : o.targets) out.push_back(static_cast<std::uint32_t>(target));
        }
    if (i.guard >= 0 || !i.is(ptx::kJumps | ptx::kEnds)) out.push_back(n + 1);
    return out;
}

// Results that depend on the operands alone.
bool is_pure(const Instruction& i) {
    if (i.opcode == Opcode::ld) return i.has("param");  // constant memory may be written by the host meanwhile
    if (!i.is(ptx::kPure) || i.has("cc")) return false;
    return std::ranges::none_of(i.operands, [](const Operand& o) {
        return o.kind == Operand::Kind::special &&
               (o.name.starts_with("%clock") || o.name.starts_with("%globaltimer") || o.name.starts_with("%pm"));
    });
}

// The step before `from`, in the same call, that gave a predicate its value.
std::optional<std::size_t> made(const std::vector<ThreadStep>& steps, std::size_t from, const Frame* frame, int what) {
    for (std::size_t n = from; n-- > 0;) {
        const ThreadStep& s = steps[n];
        if (s.frame != frame || !s.on || !has_result(s.ptx())) continue;
        if (writes(s.ptx(), what)) return n;
    }
    return std::nullopt;
}

// The comparisons that a predicate is made of.
void compares(const std::vector<ThreadStep>& steps, std::size_t from, const Frame* frame, int predicate,
              std::vector<std::size_t>& out, int depth = 0) {
    const auto at = made(steps, from, frame, predicate);
    if (!at || depth > 4) return;
    const Instruction& i = steps[*at].ptx();
    if (i.opcode == Opcode::setp) {
        if (i.operands.size() == 3) out.push_back(*at);
        return;
    }
    if (!i.has("pred")) return;
    for (std::size_t n = 1; n < i.operands.size(); ++n)
        each_register(i.operands[n], [&](int r) { compares(steps, *at, frame, r, out, depth + 1); });
}

// What is read from registers on the way from `begin` to `end`, so far as it decides which way that is, or the
// registers in `wanted` at its end. False: something else decides, too.
bool decided_by(const std::vector<ThreadStep>& steps, std::size_t begin, std::size_t end, std::vector<bool>& wanted) {
    for (std::size_t n = end; n-- > begin;) {
        const ThreadStep& s = steps[n];
        const Instruction& i = s.ptx();
        if (i.call || i.opcode == Opcode::trap) return false;
        const auto want = [&](int r) { wanted[static_cast<std::size_t>(r)] = true; };
        if (i.is(ptx::kJumps | ptx::kEnds)) {
            if (i.guard >= 0) want(i.guard);
            if (i.opcode == Opcode::brx) each_register(i.operands[0], want);
            continue;
        }
        if (!has_result(i)) continue;
        bool needed = false;
        each_register(i.operands[0], [&](int r) { needed |= wanted[static_cast<std::size_t>(r)]; });
        if (!needed) continue;
        if (s.on) {
            if (!is_pure(i)) return false;
            each_register(i.operands[0], [&](int r) { wanted[static_cast<std::size_t>(r)] = false; });
            for (std::size_t k = 1; k < i.operands.size(); ++k) each_register(i.operands[k], want);
        }
        if (i.guard >= 0) want(i.guard);
    }
    return true;
}

// Whether the steps follow each other in the code: none is missing.
bool is_whole(const std::vector<ThreadStep>& steps, std::size_t begin, std::size_t end) {
    for (std::size_t n = begin; n + 1 < end; ++n) {
        const std::vector<std::uint32_t> next = successors(steps[n].function->source->body, steps[n].source);
        if (std::ranges::find(next, steps[n + 1].source) == next.end()) return false;
    }
    return true;
}

}  // namespace

bool writes(const Instruction& i, int reg) {
    bool found = false;
    if (has_result(i)) each_register(i.operands[0], [&](int r) { found |= r == reg; });
    return found;
}

std::vector<bool> body_of(const LoopHead& head) {
    const std::vector<Instruction>& code = head.function->source->body;
    std::vector<std::vector<std::uint32_t>> before(code.size() + 1);
    for (std::uint32_t n = 0; n < code.size(); ++n)
        for (const std::uint32_t next : successors(code, n))
            if (next < before.size()) before[next].push_back(n);
    std::vector<bool> body(code.size() + 1);
    body[head.source] = true;
    std::vector<std::uint32_t> open = {head.branch};
    for (const std::uint32_t n : before[head.source])
        if (n >= head.source) open.push_back(n);  // back from here, or from a `continue`
    while (!open.empty()) {
        const std::uint32_t n = open.back();
        open.pop_back();
        if (body[n]) continue;
        body[n] = true;
        open.insert(open.end(), before[n].begin(), before[n].end());
    }
    return body;
}

bool Exit::is_same() const {
    const auto same = [](const auto& all) {
        return std::ranges::adjacent_find(all, std::not_equal_to<>{}) == all.end();
    };
    return !a.empty() && same(a) && same(b);
}

std::vector<Exit> exits_of(const LoopHead& head, const std::vector<bool>& body, const std::vector<ThreadStep>& steps) {
    std::vector<Exit> out;
    const std::size_t rounds = head.begins.size();
    for (std::size_t n = head.begins[rounds - 2]; n < head.begins[rounds - 1]; ++n) {
        const ThreadStep& s = steps[n];
        const Instruction& i = s.ptx();
        if (s.frame != head.frame || i.guard < 0 || !i.is(ptx::kJumps | ptx::kEnds)) continue;
        const auto next = successors(head.function->source->body, s.source);
        if (!i.is(ptx::kEnds) &&
            std::ranges::all_of(next, [&](std::uint32_t to) { return to < body.size() && body[to]; }))
            continue;
        std::vector<std::size_t> found;
        compares(steps, n, head.frame, i.guard, found);
        for (const std::size_t at : found) {
            Exit exit{{head.function, s.source}, {head.function, steps[at].source}, &steps[at].ptx(), {}, {}};
            out.push_back(exit);
        }
    }
    for (std::size_t n = head.begins[0]; n < head.begins[rounds - 1]; ++n)
        for (Exit& exit : out)
            if (steps[n].frame == head.frame && steps[n].source == exit.compare.source && steps[n].on) {
                exit.a.push_back(steps[n].a);
                exit.b.push_back(steps[n].b);
            }
    return out;
}

bool repeats_forever(const LoopHead& head, const std::vector<ThreadStep>& steps) {
    const std::size_t rounds = head.begins.size();
    if (rounds < 3) return false;
    const std::size_t first = head.begins[rounds - 3], begin = head.begins[rounds - 2], end = head.begins[rounds - 1];
    const auto at = [&](std::size_t n) { return steps.begin() + static_cast<std::ptrdiff_t>(n); };
    const auto same = [](const ThreadStep& x, const ThreadStep& y) {
        return x.frame == y.frame && x.source == y.source && x.on == y.on;
    };
    if (!std::equal(at(first), at(begin), at(begin), at(end), same)) return false;
    if (std::any_of(at(begin), at(end), [&](const ThreadStep& s) { return s.frame != head.frame; })) return false;
    if (begin == end || steps[begin].source != head.source || !is_whole(steps, begin, end)) return false;
    // What decides must itself be decided by nothing else in the next round.
    std::vector<bool> wanted(head.function->source->registers.size());
    for (std::vector<bool> known; known != wanted;) {
        known = wanted;
        std::vector<bool> at_begin = wanted;
        if (!decided_by(steps, begin, end, at_begin)) return false;
        for (std::size_t r = 0; r < wanted.size(); ++r) wanted[r] = wanted[r] || at_begin[r];
    }
    for (std::size_t r = 0; r < wanted.size(); ++r) {
        const bool is_wide = ptx::size_of(head.function->source->registers[r].type) > 8;  // only its half was seen
        if (wanted[r] && (is_wide || head.before[r] != head.now[r])) return false;
    }
    return true;
}

}  // namespace vgpu
