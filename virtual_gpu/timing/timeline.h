// When the grids of a launch run, if kernels launch kernels: who waits for whom, how much of the device each one needs,
// and what a launch by a kernel takes.
#pragma once

#include <cstdint>
#include <vector>

#include "virtual_gpu/timing/profile.h"
#include "virtual_gpu/timing/work.h"

namespace vgpu {

struct TimedGrid {
    int number = 0, parent = -1;  // in order of launch; the first is 0, launched by the host
    bool is_tail = false;         // after its parent and all that is launched by it
    std::vector<int> after;       // grids that are complete before
    double issued = 0;            // seconds after its block's start, which counts as the parent's
    double seconds = 0;           // alone on the device
    Demand work;                  // of all of it
};

class Timeline {
  public:
    explicit Timeline(const DeviceProperties& profile) : profile_(profile) {}
    void add(TimedGrid);
    // Seconds from the start of grid 0 until all grids have ended.
    double end() const;
    Demand work() const;  // of all grids

  private:
    const DeviceProperties& profile_;
    std::vector<TimedGrid> grids_;  // by number
};

}  // namespace vgpu
