#include "virtual_gpu/ptx/block_order.h"

#include <algorithm>
#include <functional>
#include <queue>

#include "virtual_gpu/ptx/blocks.h"

namespace vgpu::ptx {
namespace {

// Which blocks come before which. A loop has a node of its own, behind all of its blocks: so what comes behind the loop
// waits for one node, not for each block.
class Orderer {
  public:
    explicit Orderer(const Function& f) : f_(f), blocks_(f), after_(blocks_.all.size()) {
        for (const Block& b : blocks_.all) next_.push_back(b.next);
        dominator_ = immediate_dominators(next_, 0);
        const Forest dominators(dominator_);
        Edges into(next_.size()), back(next_.size());
        for (std::size_t b = 0; b < next_.size(); ++b) {
            if (b != 0 && dominator_[b] == kNoBlock) continue;  // nothing leads there
            for (std::size_t to : next_[b]) {
                into[to].push_back(b);
                if (dominators.is_below(b, to))
                    back[to].push_back(b);
                else
                    after_[b].push_back(to);
            }
        }
        find_loops(into, back);
        if (!loops_.empty()) keep_together(dominators);
    }

    bool is_in_order() const {
        for (std::size_t b = 0; b < next_.size(); ++b)
            if (std::any_of(after_[b].begin(), after_[b].end(), [&](std::size_t to) { return to <= b; })) return false;
        return std::all_of(loops_.begin(), loops_.end(), [](const Loop& l) { return l.last < l.behind; });
    }

    // In the order of the text, unless something forbids it.
    std::vector<std::size_t> order() const {
        const std::size_t count = next_.size() - 1;  // without the implicit return, which comes last
        std::vector<std::size_t> waits_for(after_.size()), found, over;
        for (const auto& all : after_)
            for (std::size_t to : all) ++waits_for[to];
        std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
        for (std::size_t b = 0; b < count; ++b)
            if (waits_for[b] == 0) ready.push(b);
        std::vector<bool> done(count + 1);
        for (std::size_t oldest = 0; found.size() < count;) {
            while (done[oldest]) ++oldest;
            std::size_t b = oldest;  // if none is ready: a loop with several entries
            if (!ready.empty()) {
                b = ready.top();
                ready.pop();
            }
            if (done[b]) continue;
            done[b] = true;
            found.push_back(b);
            for (over = {b}; !over.empty();) {
                const std::size_t node = over.back();
                over.pop_back();
                for (std::size_t to : after_[node]) {
                    if (--waits_for[to] != 0) continue;
                    if (to > count)
                        over.push_back(to);
                    else if (to != count)
                        ready.push(to);
                }
            }
        }
        return found;
    }

    const Block& block(std::size_t b) const { return blocks_.all[b]; }

  private:
    struct Loop {
        std::size_t header = 0, last = 0;  // block; the last of its blocks in the text
        std::size_t behind = kNoBlock;     // what all ways out lead to; kNoBlock: nothing that has to come later
    };

    // Natural loops, inner ones first. Each block learns the header of the innermost loop that it is in; a header that
    // of the loop around its own.
    void find_loops(const Edges& into, const Edges& back) {
        around_.assign(next_.size(), kNoBlock);
        loop_of_.assign(next_.size(), kNoBlock);
        std::vector<std::size_t> leader(next_.size()), open;
        for (std::size_t b = 0; b < leader.size(); ++b) leader[b] = b;
        const auto outermost = [&](std::size_t b) {  // the header of the largest loop so far that the block is in
            while (leader[b] != b) b = leader[b] = leader[leader[b]];
            return b;
        };
        std::vector<std::size_t> by_depth = reverse_postorder(next_, 0);
        for (auto header = by_depth.rbegin(); header != by_depth.rend(); ++header) {
            if (back[*header].empty()) continue;
            loop_of_[*header] = loops_.size();
            Loop& loop = loops_.emplace_back(Loop{*header, *header, kNoBlock});
            open.assign(back[*header].begin(), back[*header].end());
            while (!open.empty()) {
                const std::size_t b = outermost(open.back());
                open.pop_back();
                if (b == *header) continue;
                around_[b] = leader[b] = *header;
                loop.last = std::max(loop.last, loop_of_[b] != kNoBlock ? loops_[loop_of_[b]].last : b);
                open.insert(open.end(), into[b].begin(), into[b].end());
            }
        }
    }

    // What stops the kernel is no way out.
    std::vector<std::size_t> postdominators() const {
        const std::size_t end = next_.size();
        Edges back(end + 1);
        for (std::size_t b = 0; b < end; ++b) {
            for (std::size_t to : next_[b]) back[to].push_back(b);
            const bool stops = block(b).end > block(b).begin && f_.body[block(b).end - 1].opcode == Opcode::trap;
            if (next_[b].empty() && !stops) back[end].push_back(b);
        }
        return immediate_dominators(back, end);
    }

    // What all ways out of the loop lead to comes behind it.
    void keep_together(const Forest& dominators) {
        const std::vector<std::size_t> postdominator = postdominators();
        const Forest nest(around_);
        const std::size_t first = next_.size();
        after_.resize(first + loops_.size());
        for (std::size_t b = 0; b < first; ++b) {
            const std::size_t loop = loop_of_[b] != kNoBlock  ? loop_of_[b]
                                     : around_[b] != kNoBlock ? loop_of_[around_[b]]
                                                              : kNoBlock;
            if (loop != kNoBlock) after_[b].push_back(first + loop);
        }
        for (std::size_t n = 0; n < loops_.size(); ++n) {
            Loop& loop = loops_[n];
            if (around_[loop.header] != kNoBlock) after_[first + n].push_back(first + loop_of_[around_[loop.header]]);
            std::size_t behind = postdominator[loop.header];
            while (behind < first && nest.is_below(behind, loop.header)) behind = postdominator[behind];
            if (behind >= first || dominators.is_below(loop.header, behind)) continue;
            loop.behind = behind;
            after_[first + n].push_back(behind);
        }
    }

    const Function& f_;
    Blocks blocks_;
    Edges next_, after_;                  // after_: also of loops, behind the blocks
    std::vector<std::size_t> dominator_;  // immediate ones
    std::vector<Loop> loops_;
    std::vector<std::size_t> around_, loop_of_;  // by block: header of the loop around it; number of its own loop
};

}  // namespace

std::vector<Span> block_order(const Function& f) {
    const auto count = static_cast<std::uint32_t>(f.body.size());
    const Orderer orderer(f);
    if (orderer.is_in_order()) return {{0, count}};
    std::vector<Span> spans;
    for (std::size_t b : orderer.order()) {
        const Block& block = orderer.block(b);
        if (!spans.empty() && spans.back().end == block.begin)
            spans.back().end = block.end;
        else
            spans.push_back({block.begin, block.end});
    }
    return spans;
}

}  // namespace vgpu::ptx
