// Whether a grid still goes on. All warps of it may wait: for each other, for blocks that have not started, for a time.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "virtual_gpu/exec/machine/machine.h"

namespace vgpu {

class Stall {
  public:
    enum class Verdict : std::uint8_t {
        none,
        time,        // all only wait for a time: skip() lets it pass
        suspected,   // nothing changes: other blocks may help
        deadlocked,  // nothing changes, and for so long that nothing will
        repeated,    // each warp goes round with the same registers and memory, and waits for nothing
    };
    explicit Stall(Run& run);

    // After a turn of all resident blocks. `all_started`: there are no other blocks.
    Verdict look(const std::vector<Block*>&, bool all_started);
    // Whether time may help, as something has read a clock. More time each time, up to more than a day.
    bool may_skip() const { return progress_.timed > progress_.changed && skipped() < kMostSkipped; }
    void skip(const std::vector<Block*>&);
    // Warps should take short turns, as look() has to see each often.
    bool is_close() const { return skipped() != 0 || (is_probing_ && probed_since_ > progress_.changed); }
    void block_came_or_went() { moved_at_ = progress_.steps; }

  private:
    static constexpr std::uint64_t kMostSkipped = std::uint64_t{1} << 47;  // cycles
    // Since the last change.
    std::uint64_t skipped() const { return skipped_since_ == progress_.changed ? skipped_ : 0; }
    void forget(const std::vector<Block*>&);
    enum class Repeats : std::uint8_t { unknown, yes, no };
    Repeats repeats(const std::vector<Block*>&, bool only_counting);

    const std::uint64_t max_steps_, max_stall_;
    Progress& progress_;
    std::uint64_t moved_at_ = 0;   // steps, when a block started or ended
    std::uint64_t looked_at_ = 0;  // steps, when the fragments' flags were cleared
    std::uint64_t skipped_ = 0, skipped_since_ = 0, settle_ = 0;
    // Where each warp has been, and with which registers, since all seem to be stalled.
    std::uint64_t probed_since_ = 0;
    bool is_probing_ = false;
    struct State {
        std::uint64_t registers = 0, ran = 0;
    };
    std::map<std::tuple<const Warp*, const Instr*, Mask>, State> states_;
    std::set<std::pair<const Warp*, Mask>> repeated_;
};

}  // namespace vgpu
