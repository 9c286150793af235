#include "virtual_gpu/ptx/block_order.h"

#include <algorithm>
#include <functional>
#include <queue>

#include "virtual_gpu/ptx/blocks.h"

namespace vgpu::ptx {
namespace {

using Set = std::vector<bool>;  // of basic blocks

class Orderer {
  public:
    explicit Orderer(const Function& f) : f_(f), blocks_(f), after_(blocks_.all.size()) {
        for (const Block& b : blocks_.all) next_.push_back(b.next);
        dominator_ = immediate_dominators(next_, 0);
        Edges into(next_.size());
        for (std::size_t b = 0; b < next_.size(); ++b) {
            if (b != 0 && dominator_[b] == kNoBlock) continue;  // nothing leads there
            for (std::size_t to : next_[b]) {
                into[to].push_back(b);
                if (dominates(to, b))
                    headers_.push_back(to);
                else
                    after_[b].push_back(to);
            }
        }
        std::sort(headers_.begin(), headers_.end());
        headers_.erase(std::unique(headers_.begin(), headers_.end()), headers_.end());
        if (!headers_.empty()) find_postdominators();
        for (std::size_t header : headers_) keep_together(header, into);
    }

    bool is_in_order() const {
        for (std::size_t b = 0; b < after_.size(); ++b)
            if (std::any_of(after_[b].begin(), after_[b].end(), [&](std::size_t to) { return to <= b; })) return false;
        return true;
    }

    // In the order of the text, unless something forbids it.
    std::vector<std::size_t> order() const {
        const std::size_t count = after_.size() - 1;  // without the implicit return, which comes last
        std::vector<std::size_t> waits_for(count + 1), found;
        for (const auto& all : after_)
            for (std::size_t to : all) ++waits_for[to];
        std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
        for (std::size_t b = 0; b < count; ++b)
            if (waits_for[b] == 0) ready.push(b);
        Set done(count + 1);
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
            for (std::size_t to : after_[b])
                if (--waits_for[to] == 0 && to != count) ready.push(to);
        }
        return found;
    }

    const Block& block(std::size_t b) const { return blocks_.all[b]; }

  private:
    bool dominates(std::size_t a, std::size_t b) const {
        while (b != a && b != kNoBlock) b = dominator_[b];
        return b == a;
    }

    // What stops the kernel is no way out.
    void find_postdominators() {
        const std::size_t end = next_.size();
        Edges back(end + 1);
        for (std::size_t b = 0; b < end; ++b) {
            for (std::size_t to : next_[b]) back[to].push_back(b);
            const bool stops = block(b).end > block(b).begin && f_.body[block(b).end - 1].opcode == "trap";
            if (next_[b].empty() && !stops) back[end].push_back(b);
        }
        postdominator_ = immediate_dominators(back, end);
    }

    // What all ways out of the loop lead to comes behind it.
    void keep_together(std::size_t header, const Edges& into) {
        Set loop(next_.size());
        std::vector<std::size_t> open;
        loop[header] = true;
        for (std::size_t from : into[header])
            if (dominates(header, from)) open.push_back(from);
        while (!open.empty()) {
            const std::size_t b = open.back();
            open.pop_back();
            if (loop[b]) continue;
            loop[b] = true;
            open.insert(open.end(), into[b].begin(), into[b].end());
        }
        std::size_t behind = postdominator_[header];
        while (behind < next_.size() && loop[behind]) behind = postdominator_[behind];
        if (behind >= next_.size() || dominates(behind, header)) return;
        for (std::size_t b = 0; b < next_.size(); ++b)
            if (loop[b]) after_[b].push_back(behind);
    }

    const Function& f_;
    Blocks blocks_;
    Edges next_, after_;
    std::vector<std::size_t> dominator_, postdominator_;  // immediate ones
    std::vector<std::size_t> headers_;                    // of loops
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
