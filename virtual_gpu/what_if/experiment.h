// A launch under rules: what they keep while it runs, and what the interpreter asks them.
#pragma once

#include <cstdint>

#include "virtual_gpu/exec/decode/code.h"

namespace vgpu {
struct Block;
struct Run;
}  // namespace vgpu

namespace vgpu::what_if {

class Experiment {
  public:
    explicit Experiment(const Rules& rules) : rules_(rules) {}
    const Rules& rules() const { return rules_; }

    // Nothing in the block goes on: lets those go that an order holds. False: there are none.
    bool go_on(Block&);
    // By index: the lanes of this warp that wait for their turn; false: none.
    bool next_lane(Warp&);
    // One at a time: whether these lanes may begin; the lowest takes the line.
    bool enter(const Warp&, int lane);
    void leave(const Warp&, Mask lanes);

  private:
    const Rules& rules_;
    struct Owner {
        const Block* block = nullptr;  // nullptr: nobody
        std::uint64_t linear = 0;
        int warp = 0, lane = 0;
    } owner_;
};

// Instructions that the decoder adds.
Handler order_handler();  // aux: number of the order
Handler turn_handler();   // by index
Handler enter_handler();  // one at a time
Handler leave_handler();

}  // namespace vgpu::what_if
