// What a launch brings into L2.
#pragma once

#include "virtual_gpu/exec/machine/run.h"

namespace vgpu {

// Notes that the launch has touched these bytes. Returns how many of their sectors L2 did not have.
inline int touch(Run& run, Allocation& a, std::uint64_t begin, std::uint64_t end) {
    int fresh = 0;
    for (std::uint64_t s = begin / 32; s <= (end - 1) / 32; ++s) {
        const std::uint16_t last = a.touched[s];
        if (last == run.setup.launch_number) continue;
        a.touched[s] = run.setup.launch_number;
        ++run.result.unique_sectors;
        run.memory.touch_in_call(a, s);
        L2Contents& l2 = run.memory.l2();
        if (l2.holds(last)) continue;
        ++fresh;
        run.result.old_victims += l2.fill() ? 1 : 0;
    }
    run.result.new_sectors += static_cast<unsigned>(fresh);
    return fresh;
}

}  // namespace vgpu
