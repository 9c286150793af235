// Which sectors of global memory the L2 cache still holds from earlier launches, and which it evicts. It evicts the
// oldest. A sector's age is the launch that touched it last (Allocation::touched).
#pragma once

#include <cstdint>
#include <vector>

namespace vgpu {

class L2Contents {
  public:
    // An L2 full of what nobody reads again and what is not in memory yet, as after cudaMemset of more than it holds.
    void set_sectors(std::uint64_t sectors) {
        sectors_ = sectors;
        forget();
    }
    void forget() {
        filled_ = 0;
        oldest_ = current_ + 1;
    }

    // Launches have ascending numbers from 1 on.
    void begin_launch(std::uint32_t number) {
        if (number <= current_) {  // the numbers begin anew
            current_ = 0;
            forget();
        }
        current_ = number;
        if (filled_at_.size() <= number) filled_at_.resize(number + 1);
        filled_at_[number] = filled_;
        lose();
    }
    // Whether what that launch touched is still there; 0: no launch. Age counts from the launch's beginning: after a
    // launch over more than L2 holds, the next one in the same order finds nothing.
    bool holds(std::uint32_t launch) const { return launch >= oldest_; }
    // Makes room for a sector. Returns whether the one that has to go was there before all launches.
    bool fill() {
        const bool is_old = filled_ < sectors_;
        ++filled_;
        lose();
        return is_old;
    }

  private:
    void lose() {
        while (oldest_ < current_ && filled_ - filled_at_[oldest_] > sectors_) ++oldest_;
    }

    std::uint64_t sectors_ = 0, filled_ = 0;     // since forget()
    std::uint32_t current_ = 0, oldest_ = 1;     // launches
    std::vector<std::uint64_t> filled_at_ = {};  // by launch: filled_ when it began
};

}  // namespace vgpu
