#include "virtual_gpu/undefined/unwritten.h"

#include <cstdint>
#include <functional>

#include "virtual_gpu/ptx/blocks.h"

namespace vgpu::ptx {
namespace {

using Words = std::vector<std::uint64_t>;  // a bit for each register

void each_write(const Instruction& i, const std::function<void(int)>& f) {
    if (has_result(i) && i.guard < 0) each_register(i.operands[0], f);
}

struct Known {      // of a basic block
    Words written;  // at its start, on every path; all of them until a path is known
    bool reached = false;
};

}  // namespace

std::vector<int> unwritten_registers(const Function& f) {
    if (f.body.empty()) return {};
    const std::size_t words = f.registers.size() / 64 + 1;
    const auto set = [](Words& w, int r) { w[static_cast<std::size_t>(r) / 64] |= std::uint64_t{1} << (r % 64); };
    const std::vector<Block> blocks = Blocks(f).all;
    std::vector<Known> known(blocks.size(), {Words(words, ~std::uint64_t{0}), false});
    known[0] = {Words(words), true};
    Edges next;
    for (const Block& block : blocks) next.push_back(block.next);
    const std::vector<std::size_t> order = reverse_postorder(next, 0);  // so that few rounds are enough
    for (bool again = true; again;) {
        again = false;
        for (const std::size_t b : order) {
            if (!known[b].reached) continue;
            Words after = known[b].written;
            for (std::size_t n = blocks[b].begin; n < blocks[b].end; ++n)
                each_write(f.body[n], [&](int r) { set(after, r); });
            for (const std::size_t to : blocks[b].next) {
                again |= !known[to].reached;
                known[to].reached = true;
                for (std::size_t n = 0; n < words; ++n) {
                    const std::uint64_t both = known[to].written[n] & after[n];
                    again |= both != known[to].written[n];
                    known[to].written[n] = both;
                }
            }
        }
    }
    Words found(words);
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        if (!known[b].reached) continue;
        Words written = known[b].written;
        for (std::size_t n = blocks[b].begin; n < blocks[b].end; ++n) {
            each_source(f.body[n], [&](int r) {
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
