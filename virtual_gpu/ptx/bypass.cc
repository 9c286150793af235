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

class Graph {
  public:
    Graph(const Function& f, const std::function<bool(const Instruction&)>& waits) : blocks_(Blocks(f).all) {
        for (const Block& b : blocks_) traits_.push_back(traits(f, b, waits));
        find_postdominators();
    }

    std::vector<Bypass> bypasses() const {
        std::vector<Bypass> found;
        for (std::size_t b = 0; b < blocks_.size(); ++b) {
            const Block& block = blocks_[b];
            if (!traits_[b].is_conditional || block.next.size() != 2 || block.next[0] == block.next[1]) continue;
            const Set sides[] = {region(b, block.next[0]), region(b, block.next[1])};
            for (int side = 0; side < 2; ++side) {
                Bypass bypass{block.end - 1, side == 0, {}};
                const Set ahead = round(b, {block.next[static_cast<std::size_t>(side)]});
                for (std::size_t other = 0; other < blocks_.size(); ++other) {
                    const std::vector<std::uint32_t>& barriers = traits_[other].barriers;
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
        t.is_conditional = conditional && last.opcode == "bra";
        t.only_leaves = leaves(last) && !conditional && b.end - b.begin == 1;
        t.stops = last.opcode == "trap" && !conditional;
        return t;
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
                    if (traits_[to].stops) continue;
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
            if (seen[n] || not_to[n] || traits_[n].only_leaves || traits_[n].stops) continue;
            seen[n] = true;
            if (n != last) open.insert(open.end(), blocks_[n].next.begin(), blocks_[n].next.end());
        }
        return seen;
    }

    std::vector<Block> blocks_;
    std::vector<Traits> traits_;
    std::vector<Set> postdominators_;
};

}  // namespace

std::vector<Bypass> bypasses(const Function& f, const std::function<bool(const Instruction&)>& waits) {
    if (std::none_of(f.body.begin(), f.body.end(), waits)) return {};
    return Graph(f, waits).bypasses();
}

}  // namespace vgpu::ptx
