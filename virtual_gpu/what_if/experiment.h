// A launch under rules: what they keep while it runs, and what the interpreter asks them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "virtual_gpu/exec/decode/code.h"

namespace vgpu {
struct Block;
struct Lanes;
struct Request;
struct Run;
}  // namespace vgpu

namespace vgpu::what_if {

class Experiment {
  public:
    explicit Experiment(const Rules& rules) : rules_(rules) {}
    const Rules& rules() const { return rules_; }

    // Nothing in the block goes on: lets those go that an order holds. False: there are none.
    bool go_on(Block&);
    // By index: lets the next lane of this warp go, if the one before it cannot go on; false: none waits for its turn.
    bool next_lane(Warp&);
    bool has_turn(const Warp& w, Mask lanes) const { return turn_.warp == &w && (lanes >> turn_.lane & 1) != 0; }
    int lane_whose_turn_it_is() const { return turn_.lane; }
    // One at a time: which of these lanes may begin, or go on; -1: none.
    int enter(const Warp&, Mask lanes);
    bool leave(const Warp&, Mask lanes);  // false: none of them has begun

    // In place: an access to global memory, instead of its checks. A plain read gets what was there before the grid.
    void access_in_place(Warp&, const Instr*, Mask, Lanes&, const Request&, Allocation* one);

    // Whether a result that is too large is the first one of the grid: the others may be made from it.
    bool is_first_overflow() { return !std::exchange(has_overflowed_, true); }

  private:
    bool is_taken() const;
    void keep(const Allocation&);
    void read_kept(Mask, Lanes&, std::size_t bytes, Memory&, Allocation* one) const;
    void swap_known(Memory&);

    const Rules& rules_;
    struct Turn {
        const Warp* warp = nullptr;
        int lane = 0;
    } turn_;
    struct Owner {
        const Block* block = nullptr;  // nullptr: nobody
        std::uint64_t linear = 0;
        int warp = 0, lane = 0;
    } owner_;
    struct Kept {  // of an array, from before the grid's first write to it
        std::vector<std::uint8_t> data, written, whole;
        std::uint8_t* other = nullptr;  // its `written`, while they are swapped
    };
    std::map<DevicePtr, Kept> kept_;
    bool has_overflowed_ = false;
};

// Instructions that the decoder adds.
constexpr std::uint32_t kGoesAnotherWay = 256;
Handler order_handler();  // aux: number of the order; kGoesAnotherWay: around the second place
Handler turn_handler();   // by index
Handler enter_handler();  // one at a time
Handler leave_handler();

}  // namespace vgpu::what_if
