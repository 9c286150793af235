// A bound from below: what no program can beat on this device, however it hides its work from the model of a kernel's
// time. It follows from what was done, not from when: each part of the device needs its time for the sum of all work.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "virtual_gpu/timing/profile.h"
#include "virtual_gpu/timing/work.h"

namespace vgpu {

struct LeastTime {
    double seconds = 0;
    std::string by;  // the part that decides it: "dram", "issue", ...
};

// What a call has done so far, on the whole device.
class LeastWork {
  public:
    void add(const Demand& work) { sum_.add(work); }
    // Of a launch, by line of L2: an atomic waits for those before it on the same line, from whichever kernel they are.
    void add_atomics(const std::unordered_map<std::uint64_t, std::uint64_t>& lanes_on_lines);
    // `sectors`: distinct ones of 32 bytes that were touched. Each has crossed DRAM once at least: L2 has nothing of a
    // call's inputs, and is full of stores, so that it writes one back for each sector that it takes in. Whether L2
    // still has a sector when it is touched again depends on the order of things; a bound does not count on either.
    LeastTime time(const DeviceProperties&, std::uint64_t sectors) const;

  private:
    Demand sum_;
    std::unordered_map<std::uint64_t, std::uint64_t> lines_;
    std::uint64_t most_on_one_line_ = 0;
};

}  // namespace vgpu
