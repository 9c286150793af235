#include "virtual_gpu/ptx/bypass.h"

#include <algorithm>

#include "virtual_gpu/ptx/blocks.h"

namespace vgpu::ptx {
namespace {

using Set = std::vector<bool>;  // of basic blocks

struct Traits {  // of a basic block
    std::vector<std::uint32_t> barriers;
    bool is_conditional = false;  // next: where the branch leads when taken, then the block that follows
    bool only_leaves = false;
    bool stops = false;  // the kernel, by a trap
};

constexpr std::size_t kMostSteps = 20'000'000;  // then the rest of the branches is not looked at

class Graph {
  public:
    Graph(const Function& f, const std::function<bool(const Instruction&)>& waits)
        : blocks_(Blocks(f).all),
          traits_(traits(f, blocks_, waits)),
          postdominator_(postdominators()),
          after_(postdominator_) {}

    std::vector<Bypass> bypasses() {
        std::vector<Bypass> found;
        for (std::size_t b = 0; b < blocks_.size() && steps_ < kMostSteps; ++b) {
            const Block& block = blocks_[b];
            if (!traits_[b].is_conditional || block.next.size() != 2 || block.next[0] == block.next[1]) continue;
            const Region sides[] = {region(b, block.next[0]), region(b, block.next[1])};
            for (int side = 0; side < 2; ++side) {
                Bypass bypass{block.end - 1, side == 0, {}};
                Region ahead;
                for (const std::size_t other : sides[1 - side].blocks) {
                    if (traits_[other].barriers.empty() || sides[side].has[other]) continue;
                    if (ahead.has.empty())
                        ahead = reached({block.next[static_cast<std::size_t>(side)]}, b, false, nullptr);
                    // Whether lanes that skip the barrier run code that comes after it.
                    meets_ = false;
                    reached(blocks_[other].next, b, false, &ahead.has);
                    if (!meets_) continue;
                    const std::vector<std::uint32_t>& barriers = traits_[other].barriers;
                    bypass.barriers.insert(bypass.barriers.end(), barriers.begin(), barriers.end());
                }
                std::sort(bypass.barriers.begin(), bypass.barriers.end());
                if (!bypass.barriers.empty()) found.push_back(bypass);
            }
        }
        return found;
    }

  private:
    struct Region {
        Set has;
        std::vector<std::size_t> blocks;  // the same
    };

    static std::vector<Traits> traits(const Function& f, const std::vector<Block>& blocks,
                                      const std::function<bool(const Instruction&)>& waits) {
        std::vector<Traits> all;
        for (const Block& b : blocks) all.push_back(traits(f, b, waits));
        return all;
    }

    static Traits traits(const Function& f, const Block& b, const std::function<bool(const Instruction&)>& waits) {
        Traits t;
        if (b.begin == b.end) {
            t.only_leaves = true;
            return t;
        }
        for (std::uint32_t n = b.begin; n < b.end; ++n)
            if (waits(f.body[n])) t.barriers.push_back(n);
        const Instruction& last = f.body[b.end - 1];
        const bool conditional = last.guard >= 0;
        t.is_conditional = conditional && last.opcode == Opcode::bra;
        t.only_leaves = last.is(kLeaves) && !conditional && b.end - b.begin == 1;
        t.stops = last.opcode == Opcode::trap && !conditional;
        return t;
    }

    // The next block that every path from a block to the end goes through. What stops the kernel is no such path.
    std::vector<std::size_t> postdominators() const {
        const std::size_t end = blocks_.size();
        Edges back(end + 1);
        for (std::size_t b = 0; b < end; ++b) {
            bool ends = true;
            for (const std::size_t to : blocks_[b].next) {
                if (traits_[to].stops) continue;
                ends = false;
                back[to].push_back(b);
            }
            if (ends) back[end].push_back(b);
        }
        return immediate_dominators(back, end);
    }

    // The blocks on all paths from `first`, up to the branch that ends `b` or to the block where its two sides meet.
    // None if no path from `b` ends.
    Region region(std::size_t b, std::size_t first) {
        if (postdominator_[b] == kNoBlock) return {Set(blocks_.size()), {}};
        return reached({first}, b, true, nullptr);
    }

    // The blocks that lanes reach from those in `open`, going no further than the end of `last`, and if `up_to_meeting`
    // never to where its sides have met. A block in which they only leave the kernel does not count. With `ahead`, the
    // search ends, and meets_ is set, at the first block that is in there.
    Region reached(std::vector<std::size_t> open, std::size_t last, bool up_to_meeting, const Set* ahead) {
        Region seen{Set(blocks_.size()), {}};
        while (!open.empty()) {
            const std::size_t n = open.back();
            open.pop_back();
            ++steps_;
            if (seen.has[n] || traits_[n].only_leaves || traits_[n].stops) continue;
            if (up_to_meeting && n != last && after_.is_below(last, n)) continue;
            seen.has[n] = true;
            seen.blocks.push_back(n);
            if (ahead != nullptr && (*ahead)[n]) {
                meets_ = true;
                break;
            }
            // Where the sides of the branch meet, they have met: what comes behind tells no more.
            if (n != last && n != postdominator_[last])
                open.insert(open.end(), blocks_[n].next.begin(), blocks_[n].next.end());
        }
        return seen;
    }

    std::vector<Block> blocks_;
    std::vector<Traits> traits_;
    std::vector<std::size_t> postdominator_;
    Forest after_;  // of postdominators
    std::size_t steps_ = 0;
    bool meets_ = false;
};

}  // namespace

std::vector<Bypass> bypasses(const Function& f, const std::function<bool(const Instruction&)>& waits) {
    if (std::none_of(f.body.begin(), f.body.end(), waits)) return {};
    return Graph(f, waits).bypasses();
}

}  // namespace vgpu::ptx
