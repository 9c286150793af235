#include "virtual_gpu/ptx/blocks.h"

#include <algorithm>
#include <utility>

namespace vgpu::ptx {
namespace {

bool ends_block(const Instruction& i) { return i.is(kJumps | kEnds); }

void each_target(const Instruction& i, const auto& f) {
    if (!i.is(kJumps)) return;
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

// Lengauer and Tarjan, "A Fast Algorithm for Finding Dominators in a Flowgraph" (1979), with path compression: a text
// of many thousand labels is no reason to wait.
std::vector<std::size_t> immediate_dominators(const Edges& next, std::size_t root) {
    const std::size_t count = next.size();
    std::vector<std::size_t> number(count, kNoBlock), node, parent;  // by depth-first search; parent by number
    std::vector<std::pair<std::size_t, std::size_t>> open = {{root, kNoBlock}};
    while (!open.empty()) {
        const auto [at, from] = open.back();
        open.pop_back();
        if (number[at] != kNoBlock) continue;
        number[at] = node.size();
        node.push_back(at);
        parent.push_back(from);
        for (auto to = next[at].rbegin(); to != next[at].rend(); ++to)
            if (number[*to] == kNoBlock) open.emplace_back(*to, number[at]);
    }
    const std::size_t reached = node.size();
    Edges before(reached), bucket(reached);
    for (std::size_t n = 0; n < reached; ++n)
        for (const std::size_t to : next[node[n]]) before[number[to]].push_back(n);
    std::vector<std::size_t> semi(reached), best(reached), ancestor(reached, kNoBlock), dominator(reached, kNoBlock),
        path;
    for (std::size_t n = 0; n < reached; ++n) semi[n] = best[n] = n;
    const auto evaluate = [&](std::size_t n) {
        if (ancestor[n] == kNoBlock) return n;
        path.clear();
        for (std::size_t at = n; ancestor[ancestor[at]] != kNoBlock; at = ancestor[at]) path.push_back(at);
        for (auto at = path.rbegin(); at != path.rend(); ++at) {
            if (semi[best[ancestor[*at]]] < semi[best[*at]]) best[*at] = best[ancestor[*at]];
            ancestor[*at] = ancestor[ancestor[*at]];
        }
        return best[n];
    };
    for (std::size_t n = reached; n-- > 1;) {
        for (const std::size_t from : before[n]) semi[n] = std::min(semi[n], semi[evaluate(from)]);
        bucket[semi[n]].push_back(n);
        ancestor[n] = parent[n];
        for (const std::size_t one : std::exchange(bucket[parent[n]], {})) {
            const std::size_t least = evaluate(one);
            dominator[one] = semi[least] < semi[one] ? least : parent[n];
        }
    }
    std::vector<std::size_t> found(count, kNoBlock);
    for (std::size_t n = 1; n < reached; ++n) {
        if (dominator[n] != semi[n]) dominator[n] = dominator[dominator[n]];
        found[node[n]] = node[dominator[n]];
    }
    return found;
}

Forest::Forest(const std::vector<std::size_t>& parent) : first_(parent.size()), last_(parent.size()) {
    Edges children(parent.size());
    std::vector<std::pair<std::size_t, std::size_t>> open;  // node, children that have been visited
    std::size_t at = 0;
    for (std::size_t n = 0; n < parent.size(); ++n)
        if (parent[n] != kNoBlock) children[parent[n]].push_back(n);
    for (std::size_t root = 0; root < parent.size(); ++root) {
        if (parent[root] != kNoBlock) continue;
        first_[root] = at++;
        open.emplace_back(root, 0);
        while (!open.empty()) {
            auto& [node, visited] = open.back();
            if (visited == children[node].size()) {
                last_[node] = at;
                open.pop_back();
                continue;
            }
            const std::size_t child = children[node][visited++];
            first_[child] = at++;
            open.emplace_back(child, 0);
        }
    }
}

std::vector<std::size_t> reverse_postorder(const Edges& next, std::size_t root) {
    std::vector<std::size_t> order = postorder(next, root);
    std::reverse(order.begin(), order.end());
    return order;
}

std::optional<std::uint32_t> loop_around(const Function& f, std::uint32_t instruction) {
    const Blocks blocks(f);
    Edges next(blocks.all.size()), before(blocks.all.size());
    for (std::size_t b = 0; b < next.size(); ++b) {
        next[b] = blocks.all[b].next;
        for (const std::size_t to : next[b]) before[to].push_back(b);
    }
    const Forest dominated(immediate_dominators(next, 0));
    const std::size_t own = blocks.of[instruction];
    std::optional<std::uint32_t> found;
    std::size_t smallest = kNoBlock;
    for (std::size_t head = 0; head < next.size(); ++head) {
        std::vector<bool> is_inside(next.size());
        std::vector<std::size_t> open;
        for (const std::size_t from : before[head])
            if (dominated.is_below(from, head)) open.push_back(from);
        if (open.empty()) continue;
        is_inside[head] = true;
        std::size_t size = 1;
        while (!open.empty()) {
            const std::size_t b = open.back();
            open.pop_back();
            if (is_inside[b]) continue;
            is_inside[b] = true;
            ++size;
            open.insert(open.end(), before[b].begin(), before[b].end());
        }
        if (is_inside[own] && size < smallest) smallest = size, found = blocks.all[head].begin;
    }
    return found;
}

}  // namespace vgpu::ptx
