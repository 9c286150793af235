#include "virtual_gpu/ptx/blocks.h"

#include <algorithm>
#include <utility>

namespace vgpu::ptx {
namespace {

bool branches(const Instruction& i) { return i.opcode == "bra" || i.opcode == "brx"; }
bool ends_block(const Instruction& i) { return leaves(i) || branches(i) || i.opcode == "trap"; }

void each_target(const Instruction& i, const auto& f) {
    if (!branches(i)) return;
    for (const Operand& op : i.operands) {
        if (op.kind == Operand::Kind::label) f(static_cast<std::size_t>(op.index));
        for (int to : op.targets) f(static_cast<std::size_t>(to));
    }
}

// The nodes that can be reached, each behind all that it leads to without going round a loop.
std::vector<std::size_t> postorder(const Edges& next, std::size_t root) {
    std::vector<std::size_t> order;
    std::vector<bool> seen(next.size());
    std::vector<std::pair<std::size_t, std::size_t>> open = {{root, 0}};  // node, edges that have been followed
    seen[root] = true;
    while (!open.empty()) {
        auto& [node, followed] = open.back();
        if (followed == next[node].size()) {
            order.push_back(node);
            open.pop_back();
            continue;
        }
        const std::size_t to = next[node][followed++];
        if (!seen[to]) open.emplace_back(to, 0);
        seen[to] = true;
    }
    return order;
}

}  // namespace

bool leaves(const Instruction& i) { return i.opcode == "ret" || i.opcode == "exit"; }
bool goes_on(const Instruction& i) { return i.guard >= 0 || !ends_block(i); }

Blocks::Blocks(const Function& f) {
    const std::size_t count = f.body.size();
    std::vector<bool> leads(count + 1);
    leads[0] = leads[count] = true;
    for (std::size_t n = 0; n < count; ++n) {
        each_target(f.body[n], [&](std::size_t to) { leads[to] = true; });
        if (ends_block(f.body[n])) leads[n + 1] = true;
    }
    for (std::uint32_t n = 0; n <= count; ++n) {
        if (leads[n]) all.push_back({n, n, {}});
        if (n < count) all.back().end = n + 1;
        of.push_back(all.size() - 1);
    }
    for (Block& b : all) {
        if (b.begin == b.end) continue;
        const Instruction& last = f.body[b.end - 1];
        each_target(last, [&](std::size_t to) { b.next.push_back(of[to]); });
        if (goes_on(last)) b.next.push_back(of[b.end]);
    }
}

std::vector<std::size_t> immediate_dominators(const Edges& next, std::size_t root) {
    const std::vector<std::size_t> order = postorder(next, root);
    std::vector<std::size_t> number(next.size(), kNoBlock), found(next.size(), kNoBlock);
    for (std::size_t n = 0; n < order.size(); ++n) number[order[n]] = n;
    Edges before(next.size());
    for (std::size_t from : order)
        for (std::size_t to : next[from]) before[to].push_back(from);
    const auto meet = [&](std::size_t a, std::size_t b) {
        while (a != b)
            if (number[a] < number[b])
                a = found[a];
            else
                b = found[b];
        return a;
    };
    found[root] = root;
    for (bool again = true; again;) {
        again = false;
        for (std::size_t n = order.size() - 1; n-- > 0;) {
            std::size_t dominator = kNoBlock;
            for (std::size_t from : before[order[n]])
                if (found[from] != kNoBlock) dominator = dominator == kNoBlock ? from : meet(dominator, from);
            again |= std::exchange(found[order[n]], dominator) != dominator;
        }
    }
    found[root] = kNoBlock;
    return found;
}

}  // namespace vgpu::ptx
