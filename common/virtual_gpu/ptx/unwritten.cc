#include "virtual_gpu/ptx/unwritten.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <string_view>

namespace vgpu::ptx {
namespace {

using Words = std::vector<std::uint64_t>;  // a bit for each register

bool has_no_result(const Instruction& i) {
    constexpr std::array<std::string_view, 15> kNone = {"st",    "red",      "bra",       "brx",       "call",
                                                        "ret",   "exit",     "cp",        "trap",      "membar",
                                                        "fence", "prefetch", "prefetchu", "nanosleep", "discard"};
    if (std::find(kNone.begin(), kNone.end(), i.opcode) != kNone.end()) return true;
    const bool barrier = i.opcode == "bar" || i.opcode == "barrier";
    return barrier && std::find(i.modifiers.begin(), i.modifiers.end(), "red") == i.modifiers.end();
}

void each_register(const Operand& op, const std::function<void(int)>& f) {
    if ((op.kind == Operand::Kind::reg || op.kind == Operand::Kind::address) && op.index >= 0) f(op.index);
    for (const Operand& e : op.elements) each_register(e, f);
}

void each_read(const Instruction& i, const std::function<void(int)>& f) {
    for (std::size_t n = has_no_result(i) ? 0 : 1; n < i.operands.size(); ++n) each_register(i.operands[n], f);
    if (i.guard >= 0) f(i.guard);
    if (i.call && i.call->callee_register >= 0) f(i.call->callee_register);
}

void each_write(const Instruction& i, const std::function<void(int)>& f) {
    if (!has_no_result(i) && !i.operands.empty() && i.guard < 0) each_register(i.operands[0], f);
}

bool ends(const Instruction& i) { return i.opcode == "ret" || i.opcode == "exit" || i.opcode == "trap"; }

struct BasicBlock {
    std::size_t begin = 0, end = 0;
    std::vector<std::size_t> next;
    Words written;  // at its start, on every path; all of them until a path is known
    bool reached = false;
};

std::vector<BasicBlock> cut(const Function& f) {
    const std::size_t count = f.body.size();
    std::vector<bool> leads(count + 1);
    const auto targets = [](const Instruction& i, auto to) {
        if (i.opcode != "bra" && i.opcode != "brx") return;
        for (const Operand& op : i.operands) {
            if (op.kind == Operand::Kind::label) to(static_cast<std::size_t>(op.index));
            for (int t : op.targets) to(static_cast<std::size_t>(t));
        }
    };
    leads[0] = true;
    for (std::size_t n = 0; n < count; ++n) {
        const Instruction& i = f.body[n];
        targets(i, [&](std::size_t t) { leads[t] = true; });
        if (i.opcode == "bra" || i.opcode == "brx" || ends(i)) leads[n + 1] = true;
    }
    std::vector<BasicBlock> blocks;
    std::vector<std::size_t> block_of(count + 1);
    for (std::size_t n = 0; n < count; ++n) {
        if (leads[n]) blocks.push_back({n, n, {}, {}});
        blocks.back().end = n + 1;
        block_of[n] = blocks.size() - 1;
    }
    for (BasicBlock& b : blocks) {
        const Instruction& last = f.body[b.end - 1];
        targets(last, [&](std::size_t t) {
            if (t < count) b.next.push_back(block_of[t]);
        });
        const bool goes_on = last.guard >= 0 || !(ends(last) || last.opcode == "bra" || last.opcode == "brx");
        if (goes_on && b.end < count) b.next.push_back(block_of[b.end]);
    }
    return blocks;
}

}  // namespace

std::vector<int> unwritten_registers(const Function& f) {
    if (f.body.empty()) return {};
    const std::size_t words = f.registers.size() / 64 + 1;
    const auto set = [](Words& w, int r) { w[static_cast<std::size_t>(r) / 64] |= std::uint64_t{1} << (r % 64); };
    std::vector<BasicBlock> blocks = cut(f);
    for (BasicBlock& b : blocks) b.written.assign(words, ~std::uint64_t{0});
    blocks[0].written.assign(words, 0);
    blocks[0].reached = true;
    for (bool again = true; again;) {
        again = false;
        for (BasicBlock& b : blocks) {
            if (!b.reached) continue;
            Words after = b.written;
            for (std::size_t n = b.begin; n < b.end; ++n) each_write(f.body[n], [&](int r) { set(after, r); });
            for (const std::size_t to : b.next) {
                again |= !blocks[to].reached;
                blocks[to].reached = true;
                for (std::size_t n = 0; n < words; ++n) {
                    const std::uint64_t both = blocks[to].written[n] & after[n];
                    again |= both != blocks[to].written[n];
                    blocks[to].written[n] = both;
                }
            }
        }
    }
    Words found(words);
    for (const BasicBlock& b : blocks) {
        if (!b.reached) continue;
        Words written = b.written;
        for (std::size_t n = b.begin; n < b.end; ++n) {
            each_read(f.body[n], [&](int r) {
                if ((written[static_cast<std::size_t>(r) / 64] >> (r % 64) & 1) == 0) set(found, r);
            });
            each_write(f.body[n], [&](int r) { set(written, r); });
        }
    }
    std::vector<int> out;
    for (std::size_t r = 0; r < f.registers.size(); ++r)
        if ((found[r / 64] >> (r % 64) & 1) != 0) out.push_back(static_cast<int>(r));
    return out;
}

}  // namespace vgpu::ptx
