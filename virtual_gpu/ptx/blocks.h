// The basic blocks of a function, and which of them every way to another passes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "virtual_gpu/ptx/module.h"

namespace vgpu::ptx {

// Whether the instruction behind this one may come after it.
bool goes_on(const Instruction&);

struct Block {
    std::uint32_t begin = 0, end = 0;  // instructions of the function
    std::vector<std::size_t> next;     // blocks: where its branch leads, then the block behind it
};

struct Blocks {
    explicit Blocks(const Function&);
    std::vector<Block> all;       // in the order of the text; behind them an empty one, the implicit return
    std::vector<std::size_t> of;  // by instruction; one more for the end
};

using Edges = std::vector<std::vector<std::size_t>>;
constexpr std::size_t kNoBlock = ~std::size_t{0};

// The immediate dominator of each node; kNoBlock for the root and for nodes that cannot be reached.
std::vector<std::size_t> immediate_dominators(const Edges&, std::size_t root);

// A forest, given by each node's parent: whether a node is below another one, at once.
class Forest {
  public:
    explicit Forest(const std::vector<std::size_t>& parent);    // kNoBlock: it has none
    bool is_below(std::size_t node, std::size_t other) const {  // or is it
        return first_[other] <= first_[node] && first_[node] < last_[other];
    }

  private:
    std::vector<std::size_t> first_, last_;
};

// All nodes that can be reached, each before what it leads to without going round a loop.
std::vector<std::size_t> reverse_postorder(const Edges&, std::size_t root);

// The first instruction of the innermost loop around an instruction; without a loop, none.
std::optional<std::uint32_t> loop_around(const Function&, std::uint32_t instruction);

}  // namespace vgpu::ptx
