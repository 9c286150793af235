#include "virtual_gpu/ptx/bypass.h"

#include <algorithm>

namespace vgpu::ptx {
namespace {

using Set = std::vector<bool>;  // of basic blocks

struct BasicBlock {
    std::uint32_t begin = 0, end = 0;
    std::vector<std::size_t> next;  // conditional branch: where it leads when taken, then the block that follows
    std::vector<std::uint32_t> barriers;
    bool is_conditional = false;
    bool leaves = false;    // nothing but the return
    bool dead_end = false;  // stops the kernel
};

bool is_leave(const Instruction& i) { return i.opcode == "ret" || i.opcode == "exit"; }
bool ends_block(const Instruction& i) {
    return is_leave(i) || i.opcode == "bra" || i.opcode == "brx" || i.opcode == "trap";
}

class Graph {
  public:
    Graph(const Function& f, const std::function<bool(const Instruction&)>& waits) {
        cut(f);
        for (BasicBlock& b : blocks_) connect(f, b, waits);
        find_postdominators();
    }

    std::vector<Bypass> bypasses() const {
        std::vector<Bypass> found;
        for (std::size_t b = 0; b < blocks_.size(); ++b) {
            const BasicBlock& block = blocks_[b];
            if (!block.is_conditional || block.next.size() != 2 || block.next[0] == block.next[1]) continue;
            const Set sides[] = {region(b, block.next[0]), region(b, block.next[1])};
            for (int side = 0; side < 2; ++side) {
                Bypass bypass{block.end - 1, side == 0, {}};
                const Set ahead = round(b, {block.next[static_cast<std::size_t>(side)]});
                for (std::size_t other = 0; other < blocks_.size(); ++other) {
                    const std::vector<std::uint32_t>& barriers = blocks_[other].barriers;
                    if (!barriers.empty() && sides[1 - side][other] && !sides[side][other] &&
                        meet(ahead, round(b, blocks_[other].next)))
                        bypass.barriers.insert(bypass.barriers.end(), barriers.begin(), barriers.end());
                }
                if (!bypass.barriers.empty()) found.push_back(bypass);
            }
        }
        return found;
    }

  private:
    void cut(const Function& f) {
        Set leads(f.body.size() + 1);
        leads[0] = true;
        const auto target = [&](const Operand& op) {
            if (op.kind == Operand::Kind::label) leads[static_cast<std::size_t>(op.index)] = true;
            for (int to : op.targets) leads[static_cast<std::size_t>(to)] = true;
        };
        for (std::size_t n = 0; n < f.body.size(); ++n) {
            for (const Operand& op : f.body[n].operands) target(op);
            if (ends_block(f.body[n])) leads[n + 1] = true;
        }
        block_of_.resize(f.body.size() + 1);
        for (std::size_t n = 0; n <= f.body.size(); ++n) {
            if (leads[n] || n == f.body.size()) {
                if (!blocks_.empty()) blocks_.back().end = static_cast<std::uint32_t>(n);
                BasicBlock b;
                b.begin = b.end = static_cast<std::uint32_t>(n);
                blocks_.push_back(b);
            }
            block_of_[n] = blocks_.size() - 1;
        }
        blocks_.back().leaves = true;  // behind the last instruction stands an implicit return
    }

    void connect(const Function& f, BasicBlock& b, const std::function<bool(const Instruction&)>& waits) {
        if (b.begin == b.end) return;
        for (std::uint32_t n = b.begin; n < b.end; ++n)
            if (waits(f.body[n])) b.barriers.push_back(n);
        const Instruction& last = f.body[b.end - 1];
        const bool conditional = last.guard >= 0;
        if (last.opcode == "bra" || last.opcode == "brx")
            for (const Operand& op : last.operands) {
                if (op.kind == Operand::Kind::label) b.next.push_back(block_of_[static_cast<std::size_t>(op.index)]);
                for (int to : op.targets) b.next.push_back(block_of_[static_cast<std::size_t>(to)]);
            }
        b.is_conditional = conditional && last.opcode == "bra";
        if (conditional || !ends_block(last)) b.next.push_back(block_of_[b.end]);
        b.leaves = is_leave(last) && !conditional && b.end - b.begin == 1;
        b.dead_end = last.opcode == "trap" && !conditional;
    }

    // The blocks that every path from a block to the end goes through: the largest solution of the usual equations.
    void find_postdominators() {
        const std::size_t count = blocks_.size();
        postdominators_.assign(count, Set(count, true));
        for (bool again = true; again;) {
            again = false;
            for (std::size_t b = count; b-- > 0;) {
                Set all(count, true);
                bool ends = true;
                for (std::size_t to : blocks_[b].next) {
                    if (blocks_[to].dead_end) continue;
                    ends = false;
                    for (std::size_t p = 0; p < count; ++p) all[p] = all[p] && postdominators_[to][p];
                }
                if (ends) all.assign(count, false);
                all[b] = true;
                again |= all != postdominators_[b];
                postdominators_[b] = std::move(all);
            }
        }
    }

    // The blocks on all paths from `first`, up to the branch that ends `b` or to the block where its two sides meet.
    Set region(std::size_t b, std::size_t first) const {
        Set met = postdominators_[b];
        met[b] = false;
        return reached({first}, b, met);
    }

    // The blocks that lanes reach from `open` without passing the branch of `b` again.
    Set round(std::size_t b, const std::vector<std::size_t>& open) const {
        return reached(open, b, Set(blocks_.size()));
    }

    // Whether lanes that skip a barrier run code that comes after it.
    static bool meet(const Set& ahead, const Set& after) {
        for (std::size_t n = 0; n < ahead.size(); ++n)
            if (ahead[n] && after[n]) return true;
        return false;
    }

    // The blocks that lanes reach from those in `open`, going no further than the end of `last` and never into those in
    // `not_to`. A block in which they only leave the kernel does not count.
    Set reached(std::vector<std::size_t> open, std::size_t last, const Set& not_to) const {
        Set seen(blocks_.size());
        while (!open.empty()) {
            const std::size_t n = open.back();
            open.pop_back();
            if (seen[n] || not_to[n] || blocks_[n].leaves || blocks_[n].dead_end) continue;
            seen[n] = true;
            if (n != last) open.insert(open.end(), blocks_[n].next.begin(), blocks_[n].next.end());
        }
        return seen;
    }

    std::vector<BasicBlock> blocks_;
    std::vector<std::size_t> block_of_;  // by instruction
    std::vector<Set> postdominators_;
};

}  // namespace

std::vector<Bypass> bypasses(const Function& f, const std::function<bool(const Instruction&)>& waits) {
    if (std::none_of(f.body.begin(), f.body.end(), waits)) return {};
    return Graph(f, waits).bypasses();
}

}  // namespace vgpu::ptx
