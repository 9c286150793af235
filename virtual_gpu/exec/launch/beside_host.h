// A kernel beside the host, which may write what the kernel waits for.
#pragma once

#include <string>
#include <vector>

#include "virtual_gpu/exec/machine/machine.h"

namespace vgpu {

// Has every lane that could run been waiting in a loop that reads strongly?
bool all_spin(const std::vector<Block*>&);
void forget_spins(const std::vector<Block*>&);

class BesideHost {
  public:
    explicit BesideHost(Run& run) : run_(run) {}

    // All resident blocks have had their turn. Lets the host go on, and waits if all warps only wait for it.
    void round_over(const std::vector<Block*>&);
    // Nothing on the device can end the wait of all warps: may the host?
    bool may_go_on(const std::vector<Block*>&);
    // For the report of a deadlock: why the host does not help; "": nothing was expected of it.
    std::string why_not() const { return is_waiting_ ? run_.host->why_not() : ""; }

  private:
    bool wait(bool is_stuck);
    void tell_held_back(const std::vector<Block*>&);

    Run& run_;
    std::uint64_t checked_at_ = 0, waited_at_ = 0, noted_ = 0;
    bool is_waiting_ = false;
};

}  // namespace vgpu
